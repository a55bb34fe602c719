"""Running contenders in turn, each run in a separate process, and accepting only those whose output is correct.

    Task          the work: a corpus, a pattern, a vocabulary size
    Contender     an implementation: a function of trainers.py or encoders.py
    compete       runs them in turn, compares their outputs, and returns a Result for each
    Race          a task with its results, for the page

A run is timed inside its process, after the imports: from the corpus in a file to the output in a file. The processor
time of the same span is that of the process, with all its threads, and of the child processes that have ended. Memory
is the peak of the process.
"""

import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Task(NamedTuple):
    corpus: str
    """The path of a text file."""
    pattern: str
    vocab_size: int
    workers: int
    tokenizer: str = ""
    """The path of a saved tokenizer, for encoding."""


@dataclass(frozen=True)
class Contender:
    """One way to do a task.

    Attributes:
        name: for tables.
        work: takes the task and the path for the output.
        imports: modules imported before timing starts. The first one may be missing.
        asked: for readers of the results: what exactly it is asked to do.
        output: contenders with the same value must write the same bytes as the first of them in the list.
    """

    name: str
    work: Callable[[Task, Path], None]
    imports: tuple[str, ...]
    asked: str
    output: str = "the same"


@dataclass
class Result:
    """The times of each run and the peak memory in megabytes. Or the reason why the contender is left out."""

    name: str
    asked: str
    seconds: list[float] = field(default_factory=list)
    processor_seconds: list[float] = field(default_factory=list)
    """User and system time of all cores together."""
    megabytes: float = 0.0
    left_out: str = ""
    is_wrong: bool = False
    """Its output is wrong. That is a bug, in the contender or in the course."""

    @property
    def time(self) -> float:
        """The median of the seconds."""
        return median(self.seconds)

    @property
    def processor_time(self) -> float:
        """The median of the processor seconds."""
        return median(self.processor_seconds)


class Race(NamedTuple):
    task: Task
    size: int
    """The bytes of the text."""
    text: str
    """What the text is, for readers of the results."""
    runs: int
    results: list[Result]


class RunFailed(Exception):
    """The reason, in one sentence, why a run has no time."""


def compete(
    contenders: Sequence[Contender],
    task: Task,
    *,
    runs: int,
    limit: float,
    folder: Path,
    left_out: Mapping[str, str],
    notify: Callable[[str], None],
) -> list[Result]:
    """Run every contender `runs` times, in turn.

    Args:
        limit: seconds after which a run is stopped and its contender left out.
        folder: for the outputs, which are deleted after they have been compared.
        left_out: name -> the reason why this contender is not run at all.
        notify: called with a message about every run.
    """
    results = {contender.name: Result(contender.name, contender.asked) for contender in contenders}
    checksums: dict[str, set[str]] = {contender.name: set() for contender in contenders}
    for contender in contenders:
        results[contender.name].left_out = _missing(contender) or left_out.get(contender.name, "")
    for number in range(1, runs + 1):
        for contender in contenders:
            result = results[contender.name]
            if result.left_out:
                continue
            out = folder / "output"
            try:
                seconds, processor_seconds, megabytes = run(contender, task, out, limit)
            except RunFailed as failure:
                result.left_out = str(failure)
                notify(f"{contender.name}: {failure}")
                continue
            with out.open("rb") as file:
                checksums[contender.name].add(hashlib.file_digest(file, "sha256").hexdigest())
            out.unlink()
            result.seconds.append(seconds)
            result.processor_seconds.append(processor_seconds)
            result.megabytes = max(result.megabytes, megabytes)
            notify(f"run {number} of {runs}, {contender.name}: {seconds:.2f} s, {megabytes:.0f} MB")
    _check_outputs(contenders, results, checksums)
    return list(results.values())


def _check_outputs(
    contenders: Sequence[Contender], results: Mapping[str, Result], checksums: Mapping[str, set[str]]
) -> None:
    """Leave out every contender whose output differed, in any run, from that of the first one of its kind."""
    first_of_kind: dict[str, str] = {}
    for contender in contenders:
        first = first_of_kind.setdefault(contender.output, contender.name)
        result = results[contender.name]
        if result.left_out:
            continue
        if results[first].left_out and first != contender.name:
            result.left_out = (
                f"there is no output to compare with, because {first} is left out: {results[first].left_out}"
            )
        elif len(checksums[contender.name]) > 1:
            result.left_out, result.is_wrong = "its output differs from run to run", True
        elif checksums[contender.name] != checksums[first]:
            result.left_out, result.is_wrong = f"its output is not that of {first}", True


def _missing(contender: Contender) -> str:
    library = contender.imports[0]
    return "" if find_spec(library) else f"{library} is not installed (benchmarks/requirements.txt)"


def run(contender: Contender, task: Task, out: Path, limit: float) -> tuple[float, float, float]:
    """One run in a new process: seconds, processor seconds, megabytes. Raises RunFailed if it fails."""
    measured = out.with_suffix(".measured")
    name = f"{contender.work.__module__}.{contender.work.__name__}"
    imports = ",".join(contender.imports)
    command = [sys.executable, __file__, name, imports, json.dumps(task._asdict()), str(out), str(measured)]
    threads = {"RAYON_NUM_THREADS": str(task.workers), "TOKENIZERS_PARALLELISM": "true"}
    try:
        done = subprocess.run(command, env=os.environ | threads, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise RunFailed(f"it takes longer than {limit:.0f} s") from None
    if done.returncode:
        last_line = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RunFailed(f"it ended with exit code {done.returncode}: {last_line[:200]}")
    seconds, processor_seconds, megabytes = json.loads(measured.read_text())
    return seconds, processor_seconds, megabytes


def _work_in_this_process() -> None:
    """The main function of a process that `run` started."""
    name, imports, task, out, measured = sys.argv[1:]
    module, function = name.split(".")
    work = getattr(import_module(module), function)
    for needed in imports.split(","):
        import_module(needed)
    begin, processor_begin = time.perf_counter(), _processor_seconds()
    work(Task(**json.loads(task)), Path(out))
    seconds, processor_seconds = time.perf_counter() - begin, _processor_seconds() - processor_begin
    Path(measured).write_text(json.dumps([seconds, processor_seconds, _peak_megabytes()]))


def _processor_seconds() -> float:
    """User and system time of this process and its children so far."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _peak_megabytes() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s*(\d+)", status.read_text())[1]) / 1e3
    # Linux does not set this back when a process starts another program; macOS does, and counts bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


# --- a text in blocks, for libraries that take strings ----------------------------------------------------------------

READ_BYTES = 1 << 20

_SAFE = re.compile(rb"(?<=[a-z])(?= )")
"""Before a space that follows a lower-case letter: a cut there changes no piece under the gpt2 and gpt4 patterns."""


def blocks(path: str, size: int) -> Iterator[bytes]:
    """The text of a file in blocks of slightly more than `size` bytes, cut where that changes no token."""
    rest = b""
    with open(path, "rb") as file:
        while data := file.read(max(size, READ_BYTES)):
            *whole, rest = cut(rest + data, size)
            yield from whole
    yield rest


def cut(text: bytes, size: int) -> Iterator[bytes]:
    """A text in blocks of slightly more than `size` bytes; the last one is the remainder."""
    begin = 0
    while border := _SAFE.search(text, begin + size):
        yield text[begin : border.start()]
        begin = border.start()
    yield text[begin:]


if __name__ == "__main__":
    _work_in_this_process()
