"""The course's large named tokenizers on generated corpora as large as the real ones: seconds and peak memory.

    python benchmarks/named_tokenizers.py story g2c-small     g2c train story, and g2c train g2c on the small corpus
    python benchmarks/named_tokenizers.py g2c-full            g2c train g2c on the full one
    python benchmarks/named_tokenizers.py --scale 0.01        story on one percent of its corpus

The corpora are written under the file names of g2c/corpus/corpora.py into a folder where `g2c train` finds them. Then
`g2c verify` checks the tokenizer and the token IDs. The times are added to the results page of run.py.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import pyarrow
import pyarrow.parquet

import report
from contest import Result, RunFailed, measure
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.corpora import CORPORA, RemoteFile
from g2c.corpus.recipes import NAMED_TOKENIZERS
from g2c.corpus.workers import cores
from run import RESULTS
from text_generator import parts

CASES = {"story": "tinystories", "g2c-small": "g2c-small", "g2c-full": "g2c-full"}
"""Case -> the corpus to generate."""

PARAGRAPHS = {".txt": 2, ".parquet": 8}
"""Paragraphs per document: a story has about one kilobyte, a web page about four."""

ROWS = 1000
"""Documents written at a time."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=["story"], metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--scale", type=float, default=1.0, help="size of the corpora relative to the real ones")
    parser.add_argument("--texts", type=Path, help="a folder that keeps the corpora for the next run")
    parser.add_argument("--only-texts", action="store_true", help="write the corpora without training")
    parser.add_argument("--limit", type=float, default=7200, help="seconds after which a training is stopped")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for the results")
    options = parser.parse_args()
    for case in options.cases:
        if case not in CASES:
            parser.error(f"there is no case {case!r}; the names are {', '.join(CASES)}")
    failed = False
    with tempfile.TemporaryDirectory() as name:
        texts = options.texts or Path(name) / "texts"
        for case in options.cases:
            data = Path(name) / case
            size = make_corpus(CASES[case], texts, data, options.scale)
            if options.only_texts:
                continue
            result = train(case, data, Path(name) / "artifacts", options.limit)
            failed = failed or bool(result.left_out)
            save(options.results, case, size, result)
            print(f"{case}: {result.left_out or f'{result.seconds[0]:.0f} s, {result.megabytes:.0f} MB of memory'}")
    return 1 if failed else 0


def train(case: str, data: Path, artifacts: Path, limit: float) -> Result:
    """Run `g2c train` on a generated corpus, then `g2c verify`."""
    name = case.split("-")[0]
    result = Result(f"g2c train {name}", remark="Trains and encodes. Checked by g2c verify, which is not timed.")
    variables = {"G2C_DATA": str(data), "G2C_ARTIFACTS": str(artifacts), "G2C_SOLUTIONS": "all"}
    try:
        seconds, result.megabytes = measure([sys.executable, "-m", "g2c", "train", name, "--again"], variables, limit)
        print(f"{case}: {seconds:.0f} s, now verifying", file=sys.stderr)
        measure([sys.executable, "-m", "g2c", "verify", name], variables, limit)
        result.seconds.append(seconds)
    except RunFailed as failure:
        result.left_out = str(failure)
    return result


def save(results: Path, case: str, size: int, result: Result) -> None:
    """Add a time to the results page."""
    results.mkdir(parents=True, exist_ok=True)
    recipe = next(recipe for name, recipe in NAMED_TOKENIZERS.items() if name.lower().startswith(case.split("-")[0]))
    race = {
        "size": size,
        "text": "Generated documents",
        "pattern": recipe.pattern,
        "vocab_size": recipe.vocab_size,
        "workers": cores(),
        "runs": 1,
        "results": [asdict(result)],
    }
    report.save(results, case, f"{recipe.name}: training and encoding a corpus as large as {CASES[case]}", [race])
    report.write(results)


def make_corpus(corpus: str, texts: Path, data: Path, scale: float) -> int:
    """Write the files of a corpus into `texts`, except existing ones, and link them into `data`.

    Returns:
        the size of all documents, in bytes.
    """
    texts.mkdir(parents=True, exist_ok=True)
    data.mkdir()
    size = 0
    for seed, source in enumerate(CORPORA[corpus].files, start=1):
        # The scale is part of the name, so that a small trial file is not reused as a full one.
        path = texts / f"{scale}-{source.file}"
        about = path.with_suffix(".bytes")
        if not about.exists():
            print(f"Writing {source.file}, {scale * source.approximate_size / 1e6:,.0f} MB", file=sys.stderr)
            about.write_text(str(write_file(path, source, int(scale * source.approximate_size), seed)))
        (data / source.file).symlink_to(path.resolve())
        size += int(about.read_text())
    return size


def write_file(path: Path, source: RemoteFile, file_size: int, seed: int) -> int:
    """Write documents until the file has its size. Returns the size of their text."""
    kind = Path(source.file).suffix
    stream = documents(seed, PARAGRAPHS[kind])
    return (write_parquet if kind == ".parquet" else write_text)(path, stream, file_size)


def documents(seed: int, paragraphs: int) -> Iterator[str]:
    """An infinite stream of documents of this many paragraphs each."""
    for part in parts(seed):
        texts = part.decode().split("\n\n")
        for begin in range(0, len(texts), paragraphs):
            yield "\n\n".join(texts[begin : begin + paragraphs])


def write_text(path: Path, stream: Iterator[str], file_size: int) -> int:
    with path.open("w", encoding="utf-8", newline="") as file:
        while file.tell() < file_size:
            file.writelines(f"{document}\n{DOCUMENT_SEPARATOR}\n" for document in islice(stream, ROWS))
    return path.stat().st_size


def write_parquet(path: Path, stream: Iterator[str], file_size: int) -> int:
    size = 0
    schema = pyarrow.schema([("text", pyarrow.string())])
    with path.open("wb") as file, pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while file.tell() < file_size:
            rows = list(islice(stream, ROWS))
            size += sum(len(document.encode()) for document in rows)
            writer.write_table(pyarrow.table({"text": rows}, schema))
    return size


if __name__ == "__main__":
    sys.exit(main())
