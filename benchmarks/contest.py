"""Letting contenders take turns, each run in a process of its own, and believing only those whose output is right.

    Task          what is to be done: a corpus, a pattern, a size of the vocabulary
    Contender     who does it: a function of trainers.py or encoders.py
    compete       runs them in turn, compares what they wrote, and gives a Result for each

A run is timed inside its process, after the imports: from the corpus in a file to the output in a file. Its memory is
watched from outside and counts the process and its workers together.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import psutil

WATCH_EVERY = 0.05
"""Seconds between two looks at the memory."""


class Task(NamedTuple):
    corpus: str
    """The path of a text file."""
    pattern: str | None
    vocab_size: int
    workers: int
    tokenizer: str = ""
    """The path of a saved tokenizer, for encoding."""


@dataclass(frozen=True)
class Contender:
    """One way to do a task.

    Attributes:
        name: for tables.
        work: takes the task and the path for the output. It returns None, or the seconds it would have taken, when it
            is too slow to be run to the end.
        imports: modules that are imported before its time starts. The first one may not be installed.
        output: contenders with the same word here must write the same bytes as the first of them in the list.
        is_referee: it runs once and gets no row: it is there for others to be compared with.
        remark: what a reader has to know about it.
        largest: bytes of the largest text that it runs with; None: all.
    """

    name: str
    work: Callable[[Task, Path], float | None]
    imports: tuple[str, ...]
    output: str = "the same"
    is_referee: bool = False
    remark: str = ""
    largest: int | None = None


@dataclass
class Result:
    """What a contender needed: seconds of each run, and megabytes at the peak. Or why it is left out."""

    name: str
    seconds: list[float] = field(default_factory=list)
    megabytes: float = 0.0
    left_out: str = ""
    is_wrong: bool = False
    """Its output is not what it must be. That is a fault, of the contender or of the course."""
    remark: str = ""


class RunFailed(Exception):
    """Says in a sentence why a run has no time."""


def compete(
    contenders: Sequence[Contender],
    task: Task,
    *,
    runs: int,
    limit: float,
    folder: Path,
    left_out: Mapping[str, str],
    say: Callable[[str], None],
) -> list[Result]:
    """Run every contender `runs` times, in turn.

    Args:
        limit: seconds after which a run is stopped; its contender is left out then.
        folder: for the outputs, which are deleted when they have been looked at.
        left_out: name -> why this contender does not even start.
        say: is told about every run.
    """
    results = {contender.name: Result(contender.name, remark=contender.remark) for contender in contenders}
    checksums: dict[str, set[str]] = {contender.name: set() for contender in contenders}
    for contender in contenders:
        results[contender.name].left_out = _missing(contender) or left_out.get(contender.name, "")
    for number in range(1, runs + 1):
        for contender in contenders:
            result = results[contender.name]
            if result.left_out or (contender.is_referee and number > 1):
                continue
            out = folder / "output"
            try:
                seconds, megabytes = run(contender, task, out, limit)
            except RunFailed as failure:
                result.left_out = str(failure)
                say(f"{contender.name}: {failure}")
                continue
            with out.open("rb") as file:
                checksums[contender.name].add(hashlib.file_digest(file, "sha256").hexdigest())
            out.unlink()
            result.seconds.append(seconds)
            result.megabytes = max(result.megabytes, megabytes)
            say(f"run {number} of {runs}, {contender.name}: {seconds:.2f} s, {megabytes:.0f} MB")
    _check_outputs(contenders, results, checksums)
    return [results[contender.name] for contender in contenders if not contender.is_referee]


def _check_outputs(
    contenders: Sequence[Contender], results: Mapping[str, Result], checksums: Mapping[str, set[str]]
) -> None:
    """Leave out every contender that did not write, in each run, the same as the first one of its kind."""
    first_of_kind: dict[str, str] = {}
    for contender in contenders:
        first = first_of_kind.setdefault(contender.output, contender.name)
        result = results[contender.name]
        if result.left_out:
            continue
        if results[first].left_out and first != contender.name:
            result.left_out = f"there is nothing to compare its output with, for {first}: {results[first].left_out}"
        elif len(checksums[contender.name]) > 1:
            result.left_out, result.is_wrong = "its output differs from run to run", True
        elif checksums[contender.name] != checksums[first]:
            result.left_out, result.is_wrong = f"its output is not that of {first}", True


def _missing(contender: Contender) -> str:
    library = contender.imports[0]
    return "" if find_spec(library) else f"{library} is not installed (benchmarks/requirements.txt)"


def run(contender: Contender, task: Task, out: Path, limit: float) -> tuple[float, float]:
    """One run in a fresh process: seconds, and megabytes at the peak. RunFailed when it does not end well."""
    times = out.with_suffix(".seconds")
    name = f"{contender.work.__module__}.{contender.work.__name__}"
    imports = ",".join(contender.imports)
    command = [sys.executable, __file__, name, imports, json.dumps(task._asdict()), str(out), str(times)]
    threads = {"RAYON_NUM_THREADS": str(task.workers), "TOKENIZERS_PARALLELISM": "true"}
    _, megabytes = measure(command, threads, limit)
    return float(times.read_text()), megabytes


def measure(command: Sequence[str], variables: Mapping[str, str], limit: float) -> tuple[float, float]:
    """Run a command: seconds in all, and megabytes at the peak. RunFailed when it fails or takes too long."""
    begin = time.perf_counter()
    peak = 0
    process = psutil.Popen(
        command,
        env=os.environ | dict(variables),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        while process.poll() is None:
            peak = max(peak, _memory_of(process))
            if time.perf_counter() - begin > limit:
                raise RunFailed(f"it takes longer than {limit:.0f} s")
            time.sleep(WATCH_EVERY)
        seconds = time.perf_counter() - begin
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
    if process.returncode:
        last_line = (errors.strip().splitlines() or ["no message"])[-1]
        raise RunFailed(f"it ended with exit code {process.returncode}: {last_line[:200]}")
    return seconds, peak / 1e6


def _memory_of(process: psutil.Process) -> int:
    total = 0
    try:
        for member in (process, *process.children(recursive=True)):
            total += member.memory_info().rss
    except psutil.Error:  # one of them has just ended
        pass
    return total


def _work_in_this_process() -> None:
    """What a process that `run` started does."""
    name, imports, task, out, times = sys.argv[1:]
    module, function = name.split(".")
    work = getattr(import_module(module), function)
    for needed in imports.split(","):
        import_module(needed)
    begin = time.perf_counter()
    estimate = work(Task(**json.loads(task)), Path(out))
    seconds = time.perf_counter() - begin if estimate is None else estimate
    Path(times).write_text(str(seconds))


if __name__ == "__main__":
    _work_in_this_process()
