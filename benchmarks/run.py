"""How fast the course and the tokenizer libraries are, on this computer: training and encoding, 1 MB to 1 GB.

    python benchmarks/run.py                    everything, up to 1 GB of text: half an hour on two quiet cores
    python benchmarks/run.py --quick            a minute
    python benchmarks/run.py --parts encode --sizes 10MB,100MB --runs 5

Install the libraries with `pip install -r benchmarks/requirements.txt`; missing ones are left out. Texts are generated
(text_generator.py), except TinyShakespeare, which `./datasets.sh --tiny` fetches, and 100 MB of dictionaries and
documentation (real_text.py), which are downloaded where there is apt-get. Contenders take turns, each run in a
new process, and the median is reported. A time is written only if the output was correct: see contest.py; the
contenders are in trainers.py and encoders.py.

Writes measurements.json, results.md and the plots into the results folder. Parts and sizes that are not measured again
are kept.
`python benchmarks/report.py` writes the page again from measurements.json.
"""

import argparse
import statistics
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
from contest import Contender, Result, Task, compete
from g2c.common.errors import CorpusError
from g2c.corpus.corpora import corpus_files, load_corpus
from text_generator import parse_size

RESULTS = Path(__file__).with_name("results")
REAL = parse_size("100MB")
LARGE = parse_size("500MB")
"""Texts of this size or more are run only once."""


class Part(NamedTuple):
    """One kind of work and its contenders."""

    title: str
    contenders: Sequence[Contender]
    pattern: str | None
    vocab_size: int
    encodes: bool = False
    size: int | None = None
    """The only size of text; None for all sizes."""
    absent: dict[str, str] = {}
    """Libraries that cannot do this work, and why."""
    real: bool = False
    """Text that people wrote (real_text.py) instead of generated text."""


PARTS = {
    "small": Part(
        "Training on one megabyte, with and without a pattern",
        trainers.WITHOUT_A_PATTERN + trainers.WITH_A_PATTERN,
        "gpt2",
        4096,
        size=parse_size("1MB"),
    ),
    "train": Part("Training", trainers.WITH_A_PATTERN, "gpt2", 16384),
    "train-real": Part("Training on real text", trainers.WITH_A_PATTERN, "gpt2", 16384, size=REAL, real=True),
    "encode": Part("Encoding", encoders.CONTENDERS, "gpt4", 8192, encodes=True, absent=encoders.NOT_HERE),
    "encode-short": Part(
        "Encoding texts of 200 bytes, in one call or each in its own",
        encoders.SHORT_TEXTS,
        "gpt4",
        8192,
        encodes=True,
        size=parse_size("10MB"),
    ),
    "encode-real": Part(
        "Encoding real text",
        encoders.CONTENDERS,
        "gpt4",
        8192,
        encodes=True,
        size=REAL,
        absent=encoders.NOT_HERE,
        real=True,
    ),
    "unsplit": Part(
        "Encoding without a pattern",
        encoders.CONTENDERS,
        None,
        8192,
        encodes=True,
        size=parse_size("10MB"),
        absent=encoders.NOT_HERE,
    ),
}


def main() -> int:
    options = parse_options()
    for folder in filter(None, (options.results, options.texts)):
        folder.mkdir(parents=True, exist_ok=True)
    is_right = True
    # Compiling the engine's loops is part of set-up, like the compilation of the other libraries.
    subprocess.run([sys.executable, "-m", "g2c.engine"], check=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for key in options.parts:
            part = PARTS[key]
            sizes = [min(part.size, max(options.sizes))] if part.size else options.sizes
            races = []
            try:
                for race in race_all(part, sizes, options, folder):
                    races.append(race)
                    report.save(options.results, key, part.title, races)
                    report.write(options.results)
                    is_right = is_right and not any(result["is_wrong"] for result in race["results"])
            except real_text.NoRealText as error:
                print(f"{part.title} is left out. {error}", file=sys.stderr)
    print(f"The results are in {options.results / report.PAGE}.", file=sys.stderr)
    if not is_right:
        print("Some outputs are wrong; the page says which.", file=sys.stderr)
    return 0 if is_right else 1


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small texts, one run: about a minute")
    parser.add_argument("--parts", type=_parts, default=list(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--sizes", type=_sizes, help="sizes of the texts; default: 1MB,10MB,100MB,1GB")
    parser.add_argument("--runs", type=int, help="runs of each contender; default: 3, and 1 from 500 MB on")
    parser.add_argument("--limit", type=float, default=300, help="seconds; a run that takes longer is left out")
    parser.add_argument("--workers", type=int, default=2, help="threads or processes of each contender")
    parser.add_argument("--texts", type=Path, help="a folder that keeps the generated texts for the next run")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for the results")
    options = parser.parse_args()
    options.sizes = options.sizes or _sizes("1MB,4MB" if options.quick else "1MB,10MB,100MB,1GB")
    options.runs = options.runs or (1 if options.quick else 3)
    return options


def _parts(text: str) -> list[str]:
    for name in text.split(","):
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"There is no part {name!r}; the parts are {', '.join(PARTS)}.")
    return text.split(",")


def _sizes(text: str) -> list[int]:
    return sorted(parse_size(size) for size in text.split(","))


def race_all(part: Part, sizes: Sequence[int], options: argparse.Namespace, folder: Path) -> Iterator[dict]:
    """One race for each size, the smallest first, in the format of measurements.json."""
    seconds_before: dict[str, float] = {}
    left_out: dict[str, str] = {}
    size_before = 0
    for size in sizes:
        corpus, kind = make_corpus(part, size, options.texts or folder)
        size = corpus.stat().st_size
        # Ten megabytes have enough frequent merges for a vocabulary of 16,384; less text would fill it with rare words.
        vocab_size = part.vocab_size if size >= 5_000_000 else min(part.vocab_size, 4096)
        task = Task(str(corpus), part.pattern, vocab_size, options.workers)
        if part.encodes:
            task = task._replace(tokenizer=str(make_tokenizer(task, folder)))
        runs = options.runs if size < LARGE else 1
        title = f"{part.title}, {size / 1e6:,.0f} MB"
        expected = {name: seconds * size / size_before for name, seconds in seconds_before.items()}
        left_out |= unfit(part.contenders, size, expected, options.limit)

        def notify(text: str, title: str = title) -> None:
            print(f"{title}: {text}", file=sys.stderr, flush=True)

        results = compete(
            part.contenders,
            task,
            runs=runs,
            limit=options.limit,
            folder=folder,
            left_out=left_out,
            notify=notify,
        )
        for result in results:
            if result.left_out:
                left_out.setdefault(result.name, f"already on {size / 1e6:,.0f} MB: {result.left_out}")
        seconds_before = {result.name: statistics.median(result.seconds) for result in results if result.seconds}
        size_before = size
        yield {
            "size": size,
            "text": kind,
            "pattern": part.pattern,
            "vocab_size": vocab_size,
            "workers": options.workers,
            "runs": runs,
            "results": [asdict(result) for result in results] + absent(part),
        }


def unfit(contenders: Sequence[Contender], size: int, expected: dict[str, float], limit: float) -> dict[str, str]:
    """The contenders that are not run with a text of this size: name -> reason.

    Args:
        expected: name -> seconds, extrapolated from a smaller text.
    """
    reasons = {}
    for contender in contenders:
        if contender.largest is not None and size > contender.largest:
            reasons[contender.name] = f"only with texts up to {contender.largest / 1e6:,.0f} MB"
        elif expected.get(contender.name, 0) > limit:
            reasons[contender.name] = f"about {expected[contender.name]:,.0f} s expected; the limit is {limit:.0f} s"
    return reasons


def absent(part: Part) -> list[dict]:
    return [asdict(Result(name, left_out=reason)) for name, reason in part.absent.items()]


def make_corpus(part: Part, size: int, folder: Path) -> tuple[Path, str]:
    """A text file, and what kind of text it holds. The part "small" uses TinyShakespeare if it is available.

    Raises:
        NoRealText: the part needs real text, and this computer has none.
    """
    if part is PARTS["small"] and size == part.size:
        try:
            load_corpus("tinyshakespeare")
            return corpus_files("tinyshakespeare")[0], "TinyShakespeare"
        except CorpusError as error:
            print(f"{error} A generated text is used instead.", file=sys.stderr)
    corpus = folder / f"{'real-' if part.real else ''}{size}.txt"
    if not corpus.exists():
        unfinished = corpus.with_suffix(".unfinished")
        (real_text.write if part.real else text_generator.write)(unfinished, size)
        unfinished.rename(corpus)
    return corpus, "Real text" if part.real else "Generated text"


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
