"""How fast the course and the tokenizer libraries are, on this computer: training and encoding.

    python benchmarks/run.py                         everything with 1, 10 and 100 MB of generated text
    python benchmarks/run.py --quick                 a minute
    python benchmarks/run.py --real                  with text that people wrote, where there is apt-get
    python benchmarks/run.py --parts encode --sizes 10MB,1GB --runs 5

Install the libraries with `pip install -r benchmarks/requirements.txt`; missing ones are left out. Texts are generated
(text_generator.py), or come from packages of documentation (real_text.py). Contenders take turns, each run in a new
process, and the median is reported. A time is written only if the output was correct: see contest.py; the contenders
are in trainers.py and encoders.py.

Writes measurements.json, results.md and the plots into the results folder. Parts and sizes that are not measured again
are kept. `python benchmarks/report.py` writes the page again from measurements.json.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import encoders
import real_text
import report
import text_generator
import trainers
from contest import Contender, Task, compete
from text_generator import parse_size

RESULTS = Path(__file__).with_name("results")
LARGE = parse_size("500MB")
"""Texts of this size or more are run only once."""


class Part(NamedTuple):
    """One kind of work and its contenders."""

    title: str
    contenders: Sequence[Contender]
    pattern: str | None
    vocab_size: int
    encodes: bool = True
    size: int | None = None
    """The only size of text; None for all sizes."""


PARTS = {
    "train": Part("Training", trainers.CONTENDERS, "gpt2", 16384, encodes=False),
    "encode": Part("Encoding", encoders.CONTENDERS, "gpt4", 8192),
    "short": Part("Encoding texts of 200 bytes", encoders.SHORT_TEXTS, "gpt4", 8192, size=parse_size("10MB")),
    "unsplit": Part("Encoding without a pattern", encoders.CONTENDERS, None, 8192, size=parse_size("1MB")),
}


def main() -> int:
    options = parse_options()
    for folder in filter(None, (options.results, options.texts)):
        folder.mkdir(parents=True, exist_ok=True)
    is_right = True
    # Compiling the engine's loops is part of set-up, like the compilation of the other libraries.
    subprocess.run([sys.executable, "-m", "g2c.engine"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        for key in options.parts:
            part, races = PARTS[key], []
            try:
                for race in race_all(part, options, Path(folder)):
                    races.append(race)
                    title = f"{part.title}, real text" if options.real else part.title
                    report.save(options.results, f"{key}-real" if options.real else key, title, races)
                    report.write(options.results)
                    is_right = is_right and not any(result["is_wrong"] for result in race["results"])
            except real_text.NoRealText as error:
                print(error, file=sys.stderr)
                return 1
    print(f"The results are in {options.results / report.PAGE}.", file=sys.stderr)
    if not is_right:
        print("Some outputs are wrong; the page says which.", file=sys.stderr)
    return 0 if is_right else 1


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small texts, one run: about a minute")
    parser.add_argument("--real", action="store_true", help="text that people wrote instead of generated text")
    parser.add_argument("--parts", type=_parts, default=list(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--sizes", type=_sizes, help="sizes of the texts; default: 1MB,10MB,100MB")
    parser.add_argument("--runs", type=int, help="runs of each contender; default: 3, and 1 from 500 MB on")
    parser.add_argument("--limit", type=float, default=300, help="seconds; who takes longer is left out")
    parser.add_argument("--workers", type=int, default=2, help="threads of each contender")
    parser.add_argument("--texts", type=Path, help="a folder that keeps the texts for the next run")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for the results")
    options = parser.parse_args()
    options.sizes = options.sizes or _sizes("1MB,4MB" if options.quick else "1MB,10MB,100MB")
    options.runs = options.runs or (1 if options.quick else 3)
    return options


def _parts(text: str) -> list[str]:
    for name in text.split(","):
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"There is no part {name!r}; the parts are {', '.join(PARTS)}.")
    return text.split(",")


def _sizes(text: str) -> list[int]:
    return sorted(parse_size(size) for size in text.split(","))


def race_all(part: Part, options: argparse.Namespace, folder: Path) -> Iterator[dict]:
    """One race for each size, the smallest first, in the format of measurements.json."""
    left_out: dict[str, str] = {}
    for size in [min(part.size, max(options.sizes))] if part.size else options.sizes:
        corpus = make_corpus(size, options.real, options.texts or folder)
        # Ten megabytes have enough frequent merges for a vocabulary of 16,384; less text would fill it with rare words.
        vocab_size = part.vocab_size if size >= 5_000_000 else min(part.vocab_size, 4096)
        task = Task(str(corpus), part.pattern, vocab_size, options.workers)
        if part.encodes:
            task = task._replace(tokenizer=str(make_tokenizer(task, folder)))
        runs = options.runs if size < LARGE else 1
        title = f"{part.title}, {size / 1e6:,.0f} MB"

        def notify(text: str, title: str = title) -> None:
            print(f"{title}: {text}", file=sys.stderr, flush=True)

        results = compete(
            part.contenders, task, runs=runs, limit=options.limit, folder=folder, left_out=left_out, notify=notify
        )
        left_out = {result.name: result.left_out for result in results if result.left_out}
        yield {
            "size": corpus.stat().st_size,
            "text": "Text from packages of documentation" if options.real else "Generated text",
            "pattern": part.pattern,
            "vocab_size": vocab_size,
            "workers": options.workers,
            "runs": runs,
            "results": [asdict(result) for result in results],
        }


def make_corpus(size: int, is_real: bool, folder: Path) -> Path:
    """A text file. Raises NoRealText if it should be real text, and this computer has none."""
    corpus = folder / f"{'real-' if is_real else ''}{size}.txt"
    if not corpus.exists():
        unfinished = corpus.with_suffix(".unfinished")
        (real_text.write if is_real else text_generator.write)(unfinished, size)
        unfinished.rename(corpus)
    return corpus


def make_tokenizer(task: Task, folder: Path) -> Path:
    """The tokenizer that all contenders encode with, trained on the beginning of the text and saved."""
    from g2c.solutions.bpe import BPETokenizer
    from g2c.tokenizer import save

    # Without a pattern, training needs memory for every byte.
    sample = 10_000_000 if task.pattern else 1_000_000
    with open(task.corpus, "rb") as file:
        text = file.read(sample).decode(errors="ignore")
    tokenizer = BPETokenizer.with_course_special_tokens(pattern=task.pattern)
    tokenizer.train_exact(text, task.vocab_size, progress=False)
    path = folder / "tokenizer.json"
    save(tokenizer, path)
    return path


if __name__ == "__main__":
    sys.exit(main())
