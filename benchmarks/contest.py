"""Running contenders in turn, each run in a separate process, and accepting only those whose output is correct.

    Task          the work: a corpus, a pattern, a vocabulary size
    Contender     an implementation: a function of trainers.py or encoders.py
    compete       runs them in turn, compares their outputs, and returns a Result for each

A run is timed inside its process, after the imports: from the corpus in a file to the output in a file. The processor
time of the same span is that of the process, with all its threads, and of the child processes that have ended. Memory
is measured from outside, for the process and its children together.
"""

import hashlib
import json
import os
import resource
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
"""Seconds between two measurements of memory."""


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
        work: takes the task and the path for the output. It returns None, or the estimated seconds if it is too slow to
            be run to the end.
        imports: modules imported before timing starts. The first one may be missing.
        output: contenders with the same value must write the same bytes as the first of them in the list.
        is_referee: it runs once and gets no row: its output is a reference for others.
        remark: a note for readers of the results.
        largest: size in bytes of the largest text that it runs with; None for no limit.
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
    """The times of each run and the peak memory in megabytes. Or the reason why the contender is left out."""

    name: str
    seconds: list[float] = field(default_factory=list)
    processor_seconds: list[float] = field(default_factory=list)
    """User and system time of all cores together. Empty if the seconds are an estimate."""
    megabytes: float = 0.0
    left_out: str = ""
    is_wrong: bool = False
    """Its output is wrong. That is a bug, in the contender or in the course."""
    remark: str = ""


class Run(NamedTuple):
    """What one run took. An estimate has no processor time."""

    seconds: float
    processor_seconds: float | None
    megabytes: float


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
                measured = run(contender, task, out, limit)
            except RunFailed as failure:
                result.left_out = str(failure)
                notify(f"{contender.name}: {failure}")
                continue
            with out.open("rb") as file:
                checksums[contender.name].add(hashlib.file_digest(file, "sha256").hexdigest())
            out.unlink()
            result.seconds.append(measured.seconds)
            if measured.processor_seconds is not None:
                result.processor_seconds.append(measured.processor_seconds)
            result.megabytes = max(result.megabytes, measured.megabytes)
            times = f"{measured.seconds:.2f} s, {measured.megabytes:.0f} MB"
            notify(f"run {number} of {runs}, {contender.name}: {times}")
    _check_outputs(contenders, results, checksums)
    return [results[contender.name] for contender in contenders if not contender.is_referee]


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


def run(contender: Contender, task: Task, out: Path, limit: float) -> Run:
    """One run in a new process. Raises RunFailed if it fails."""
    times = out.with_suffix(".seconds")
    name = f"{contender.work.__module__}.{contender.work.__name__}"
    imports = ",".join(contender.imports)
    command = [sys.executable, __file__, name, imports, json.dumps(task._asdict()), str(out), str(times)]
    threads = {"RAYON_NUM_THREADS": str(task.workers), "TOKENIZERS_PARALLELISM": "true"}
    _, megabytes = measure(command, threads, limit)
    seconds, processor_seconds = json.loads(times.read_text())
    return Run(seconds, processor_seconds, megabytes)


def measure(command: Sequence[str], variables: Mapping[str, str], limit: float) -> tuple[float, float]:
    """Run a command: total seconds, and peak memory in megabytes. Raises RunFailed if it fails or takes too long."""
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
    except psutil.Error:  # One of them has just ended.
        pass
    return total


def _work_in_this_process() -> None:
    """The main function of a process that `run` started."""
    name, imports, task, out, times = sys.argv[1:]
    module, function = name.split(".")
    work = getattr(import_module(module), function)
    for needed in imports.split(","):
        import_module(needed)
    begin, processor_begin = time.perf_counter(), _processor_seconds()
    estimate = work(Task(**json.loads(task)), Path(out))
    seconds, processor_seconds = time.perf_counter() - begin, _processor_seconds() - processor_begin
    Path(times).write_text(json.dumps([seconds, processor_seconds] if estimate is None else [estimate, None]))


def _processor_seconds() -> float:
    """User and system time of this process and its children so far."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    _work_in_this_process()
