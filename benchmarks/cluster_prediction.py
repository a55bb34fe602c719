"""Predicted time and memory for a large corpus on a cluster, from rates that this script measures.

    python benchmarks/cluster_prediction.py [--size 200MB] [--write]      --write: into docs/cluster.md

Throughput is limited by the workers, of which there can be many, and by the single caller of encode_corpus or
count_words, which joins their results in order. Both are measured on generated text: one worker of a Dask cluster after
warm-up, and the caller alone when all results are already available. With N workers a corpus takes as long as the
slower of the two. Start-up, and a disk or network slower than the work, are not included.

The memory of a worker is the peak observed, and for encoding so is that of the caller. For counting, the caller holds a
table of all distinct words. Their number is predicted by Heaps' law: n times as much text has n^b times as many words,
with b measured on this text.
"""

import argparse
import math
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil

from contest import measure
from g2c.common.paths import REPOSITORY
from g2c.corpus import encoding, training
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.training import count_words
from g2c.corpus.workers import cores, run
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import save
from text_generator import parse_size, write

SIZES = {"10 GB": 10e9, "1 TB": 1e12, "15 TB": 15e12}
CORES = (2, 32, 512)
DOCS = REPOSITORY / "docs" / "cluster.md"
HEADING = "\n## Hours and memory\n\n"
"""The last section of the page: this script writes all of it."""
VOCABULARY = 16_384


@dataclass
class Rates:
    """Bytes of text per second, and bytes of memory."""

    worker: float
    caller: float
    worker_memory: int
    caller_memory: int = 0


# --- a cluster of one worker ------------------------------------------------------------------------------------------


@contextmanager
def one_worker() -> Iterator[tuple[str, psutil.Process]]:
    """The address of a cluster with one worker, and the worker's process."""
    dask, here = [sys.executable, "-m", "dask"], ["--host", "127.0.0.1"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "scheduler.json"
        place = ["--scheduler-file", str(file)]
        scheduler = [*dask, "scheduler", *here, *place, "--port", "0", "--dashboard-address", "127.0.0.1:0"]
        worker = [*dask, "worker", *here, *place, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        with subprocess.Popen(scheduler, **quiet) as first, ExitStack() as stack:
            stack.callback(first.kill)
            while first.poll() is None and not (file.exists() and file.stat().st_size):
                time.sleep(0.1)
            second = stack.enter_context(psutil.Popen(worker, **quiet))
            stack.callback(second.kill)
            yield str(file), second


class Watch:
    """Polls the memory of a process and keeps its peak."""

    def __init__(self, process: psutil.Process) -> None:
        self.peak = 0
        self._process, self._over = process, threading.Event()
        threading.Thread(target=self._poll, daemon=True).start()

    def _poll(self) -> None:
        while not self._over.wait(0.05):
            self.peak = max(self.peak, self._process.memory_info().rss)

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: Any) -> None:
        self._over.set()


# --- measuring --------------------------------------------------------------------------------------------------------


def measured(module: Any, work: Any, size: int) -> Rates:
    """The rates of `work`, a function of the address of a cluster, in which `module.run` hands out tasks."""
    with one_worker() as (address, process), Watch(process) as watch:
        seen: list[tuple[Any, Any, float]] = []

        def remember(factory: Any, settings: Any, tasks: Any, workers: Any, *, cluster: str, notify: Any) -> Iterator:
            for task, result in run(factory, settings, tasks, cluster=cluster, notify=notify):
                seen.append((task, pickle.dumps(result), time.perf_counter()))
            begin = time.perf_counter()
            for task, result, _ in seen:
                yield task, pickle.loads(result)
            seconds.append(time.perf_counter() - begin)

        seconds: list[float] = []
        with patch.object(module, "run", remember):
            work(address)
    # The first shard is left out: it includes the worker's warm-up.
    done = sum(task.size for task, *_ in seen[1:])
    return Rates(done / (seen[-1][2] - seen[0][2]), size / seconds[0], watch.peak)


def measure_encoding(corpus: Path, tokenizer: BPETokenizer, folder: Path) -> tuple[Rates, float]:
    """The rates, and the bytes of IDs for each byte of text."""

    def encode(address: str) -> Path:
        return encode_corpus(tokenizer, corpus, folder / "out", cluster=address, progress=False)

    size = corpus.stat().st_size
    rates = measured(encoding, encode, size)
    save(tokenizer, folder / "tokenizer.json")
    with one_worker() as (address, _):
        command = [sys.executable, "-m", "g2c", "encode", str(folder / "tokenizer.json"), str(corpus)]
        _, megabytes = measure([*command, "--output", str(folder / "out"), "--cluster", address], {}, 600)
    rates.caller_memory = int(megabytes * 1e6)
    return rates, (folder / "out" / "ids.uint32").stat().st_size / size


def measure_counting(corpus: Path, tokenizer: BPETokenizer, folder: Path) -> tuple[Rates, float, dict[bytes, int]]:
    """The rates, the exponent of Heaps' law, and the words."""
    words: dict[bytes, int] = {}

    def count(address: str) -> None:
        words.update(count_words(tokenizer, corpus, cluster=address, progress=False))

    size = corpus.stat().st_size
    rates = measured(training, count, size)
    part = folder / "part.txt"
    with corpus.open("rb") as file:
        part.write_bytes(file.read(size // 4).decode(errors="ignore").encode())
    fewer = count_words(tokenizer, part, workers=1, progress=False)
    return rates, math.log(len(words) / len(fewer), 4), words


def memory_of(words: dict[bytes, int]) -> int:
    return sys.getsizeof(words) + sum(sys.getsizeof(word) + sys.getsizeof(count) for word, count in words.items())


# --- predicting -------------------------------------------------------------------------------------------------------


def time_text(seconds: float) -> str:
    """A time in words, with two digits."""
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{two_digits(seconds / length)} {unit}"
    return f"{two_digits(seconds)} s"


def memory_text(size: float) -> str:
    for unit, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= length:
            return f"{two_digits(size / length)} {unit}"
    return f"{size:.0f} bytes"


def two_digits(number: float) -> str:
    return f"{float(f'{number:.2g}'):,.0f}" if number >= 10 else f"{number:.1f}"


def table(rates: Rates, caller_memory: Callable[[float], float]) -> Iterator[str]:
    """The rows of a table; a star where the caller is the bottleneck."""
    yield "| corpus | " + " | ".join(f"{count} cores" for count in CORES) + " | memory of a worker | of the caller |"
    yield "|---|" + "---|" * (len(CORES) + 2)
    for name, size in SIZES.items():
        cells = []
        for count in CORES:
            workers = count * rates.worker
            star = " *" if workers > rates.caller else ""
            cells.append(time_text(size / min(workers, rates.caller)) + star)
        memory = [memory_text(rates.worker_memory), memory_text(caller_memory(size))]
        yield f"| {name} | " + " | ".join([*cells, *memory]) + " |"


def page(corpus: Path, folder: Path) -> Iterator[str]:
    """The lines for docs/cluster.md."""
    size = corpus.stat().st_size
    tokenizer = BPETokenizer.with_course_special_tokens(pattern="gpt4")
    with corpus.open("rb") as file:
        tokenizer.train_exact(file.read(20_000_000).decode(errors="ignore"), VOCABULARY, progress=False)
    encoding, ratio = measure_encoding(corpus, tokenizer, folder)
    counting, exponent, words = measure_counting(corpus, tokenizer, folder)
    table_size = memory_of(words)

    yield f"Measured on {size / 1e6:,.0f} MB of generated text, on a computer with {cores()} cores, with the pattern"
    yield f"gpt4 and a vocabulary of {VOCABULARY:,}:"
    yield ""
    yield "| | a worker | the caller | so one caller keeps up with |"
    yield "|---|---|---|---|"
    for name, rates in (("encoding text files", encoding), ("counting words", counting)):
        worker, caller = rates.worker / 1e6, rates.caller / 1e6
        yield f"| {name} | {worker:.0f} MB/s | {caller:.0f} MB/s | {caller / worker:.0f} workers |"
    yield ""
    yield "Encoding text files, with all shards joined by one caller:"
    yield ""
    yield from table(encoding, lambda _: encoding.caller_memory)
    yield ""
    yield "Counting words:"
    yield ""
    yield from table(counting, lambda corpus_size: table_size * (corpus_size / size) ** exponent)
    yield ""
    yield f"`ids.uint32` has {ratio:.2f} times the bytes of the text. The text has {len(words):,} distinct words,"
    yield f"and n times as much text has n^{exponent:.2f} times as many. The caller's memory for counting is predicted"
    yield "from that."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=parse_size, default=parse_size("200MB"), help="of the generated text")
    parser.add_argument("--write", action="store_true", help="write the result into docs/cluster.md")
    options = parser.parse_args()
    if options.size < 100e6:
        parser.error("--size has to be 100MB or more: in a smaller text there are too few shards to measure.")

    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name) / "corpus.txt"
        write(corpus, options.size)
        lines = "\n".join(page(corpus, Path(name)))
    print(lines)
    if options.write:
        before = DOCS.read_text(encoding="utf-8").partition(HEADING)[0]
        DOCS.write_text(f"{before}{HEADING}{lines}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
