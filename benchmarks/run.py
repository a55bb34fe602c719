"""How fast the course and the tokenizer libraries are, on this computer: training and encoding.

    python benchmarks/run.py                         everything with 1, 10 and 100 MB of text
    python benchmarks/run.py --parts encode --sizes 10MB,1GB --runs 5 --corpus FILE

Install the libraries with `pip install -r benchmarks/requirements.txt`; missing ones are left out. The text comes from
packages of documentation (real_text.py), or is the beginning of a file. Contenders take turns, each run in a new
process, and the median is reported. A time is written only if the output was correct: see contest.py; the contenders
are in trainers.py and encoders.py.

Writes results.md, anew with every run: only the parts and sizes of this run are in it.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import encoders
import real_text
import report
import trainers
from contest import Contender, Race, Task, compete

PAGE = Path(__file__).with_name("results.md")
LARGE = 500_000_000
"""Texts of this size or more are run only once."""


class Part(NamedTuple):
    """One kind of work and its contenders."""

    title: str
    contenders: Sequence[Contender]
    pattern: str
    vocab_size: int


PARTS = {
    "train": Part("Training", trainers.CONTENDERS, "gpt2", 16384),
    "encode": Part("Encoding", encoders.CONTENDERS, "gpt4", 8192),
    "o200k": Part("Encoding with o200k, the tokenizer of GPT-4o and later", encoders.CONTENDERS, "o200k", 200_000),
}


def main() -> int:
    options = parse_options()
    parts: dict[str, list[Race]] = {}
    # Compiling the engine's loops is part of set-up, like the compilation of the other libraries.
    subprocess.run([sys.executable, "-m", "g2c.engine"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        for key in options.parts:
            races = parts.setdefault(PARTS[key].title, [])
            try:
                for race in race_all(PARTS[key], options, Path(folder)):
                    races.append(race)
                    report.write(options.page, parts)
            except real_text.NoRealText as error:
                print(f"{error} Name a file of text: --corpus FILE", file=sys.stderr)
                return 1
    print(f"The results are in {options.page}.", file=sys.stderr)
    is_wrong = any(result.is_wrong for races in parts.values() for race in races for result in race.results)
    if is_wrong:
        print("Some outputs are wrong; the page says which.", file=sys.stderr)
    return int(is_wrong)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="a file of text; default: packages of documentation")
    parser.add_argument("--parts", type=_parts, default=list(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--sizes", type=_sizes, default="1MB,10MB,100MB", help="sizes of the texts")
    parser.add_argument("--runs", type=int, default=3, help="runs of each contender; 1 from 500 MB on")
    parser.add_argument("--limit", type=float, default=300, help="seconds; who takes longer is left out")
    parser.add_argument("--workers", type=int, default=2, help="threads of each contender")
    parser.add_argument("--page", type=Path, default=PAGE, help="the file for the results")
    return parser.parse_args()


def _parts(text: str) -> list[str]:
    for name in text.split(","):
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"There is no part {name!r}; the parts are {', '.join(PARTS)}.")
    return text.split(",")


def _sizes(text: str) -> list[int]:
    """Numbers of bytes: "1MB" is a million."""
    sizes = []
    for size in text.split(","):
        match = re.fullmatch(r"([0-9.]+) *([kMG]?)B?", size)
        if match is None:
            raise argparse.ArgumentTypeError(f"{size!r} is not a size; write 500kB, 100MB or 1GB.")
        sizes.append(int(float(match[1]) * {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}[match[2]]))
    return sorted(sizes)


def race_all(part: Part, options: argparse.Namespace, folder: Path) -> Iterator[Race]:
    """One race for each size, the smallest first."""
    left_out: dict[str, str] = {}
    for size in options.sizes:
        corpus = make_corpus(size, options.corpus, folder)
        # Ten megabytes have enough frequent merges for a vocabulary of 16,384; less text would fill it with rare words.
        is_published = part.pattern == "o200k"
        vocab_size = part.vocab_size if size >= 5_000_000 or is_published else min(part.vocab_size, 4096)
        task = Task(str(corpus), part.pattern, vocab_size, options.workers)
        if part.contenders is encoders.CONTENDERS:
            task = task._replace(tokenizer=str(make_tokenizer(task, folder)))
        runs = options.runs if size < LARGE else 1
        title = f"{part.title}, {size / 1e6:,.0f} MB"

        def notify(text: str, title: str = title) -> None:
            print(f"{title}: {text}", file=sys.stderr, flush=True)

        results = compete(
            part.contenders, task, runs=runs, limit=options.limit, folder=folder, left_out=left_out, notify=notify
        )
        left_out = {result.name: result.left_out for result in results if result.left_out}
        text = options.corpus.name if options.corpus else "Text from packages of documentation"
        yield Race(task, corpus.stat().st_size, text, runs, results)


def make_corpus(size: int, given: Path | None, folder: Path) -> Path:
    """A text of this size. Raises NoRealText if no file is given, and this computer has no real text."""
    corpus = folder / f"{size}.txt"
    if not corpus.exists():
        if given is None:
            real_text.write(corpus, size, folder)
        else:
            with given.open("rb") as file:
                corpus.write_text(file.read(size).decode(errors="ignore"))
    return corpus


def make_tokenizer(task: Task, folder: Path) -> Path:
    """The tokenizer that all contenders encode with: o200k, or one trained on the beginning of the text; saved."""
    from g2c.corpus.published_tokenizers import load_published
    from g2c.solutions.bpe import BPETokenizer
    from g2c.tokenizer import save

    path = folder / "tokenizer.json"
    if task.pattern == "o200k":
        save(load_published("o200k", BPETokenizer), path)
        return path
    with open(task.corpus, "rb") as file:
        text = file.read(10_000_000).decode(errors="ignore")
    tokenizer = BPETokenizer.with_course_special_tokens(pattern=task.pattern)
    tokenizer.train_exact(text, task.vocab_size, progress=False)
    save(tokenizer, path)
    return path


if __name__ == "__main__":
    sys.exit(main())
