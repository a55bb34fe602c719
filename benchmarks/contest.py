"""Letting contenders take turns in processes of their own, and a table of what they needed."""

import hashlib
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psutil


class Run(NamedTuple):
    seconds: float
    cpu_seconds: float
    megabytes: float
    """Memory of the process and its workers together, at the peak."""


def compete(script: str, contenders: list[str], runs: int, folder: Path, arguments: list[str]) -> dict[str, list[Run]]:
    """Run every contender `runs` times, in turn. Ends the program when their outputs differ.

    Args:
        script: the file to start as `python SCRIPT --contender NAME OUT ARGUMENTS…`; it writes its result to OUT.
        folder: for the outputs.
    """
    results: dict[str, list[Run]] = {name: [] for name in contenders}
    sums: dict[str, str] = {}
    for _ in range(runs):
        for name in contenders:
            out = folder / name
            results[name].append(_measure([sys.executable, script, "--contender", name, str(out), *arguments]))
            with out.open("rb") as file:
                sums[name] = hashlib.file_digest(file, "sha256").hexdigest()
            out.unlink()
    if len(set(sums.values())) > 1:
        raise SystemExit(f"The outputs differ, so there is nothing to compare: {sums}")
    return results


def serve(contenders: dict[str, Callable[..., None]]) -> bool:
    """In a process that `compete` started: let the contender write its result, and return True."""
    if sys.argv[1:2] != ["--contender"]:
        return False
    name, out, *arguments = sys.argv[2:]
    contenders[name](Path(out), *arguments)
    return True


def print_table(results: dict[str, list[Run]], megabytes: float) -> None:
    """Medians as a table in Markdown, compared with the first contender."""
    medians = {name: statistics.median(run.seconds for run in runs) for name, runs in results.items()}
    first = next(iter(results))
    print(f"| contender | seconds | MB/s | processor seconds | memory, MB | seconds by those of {first} |")
    print("|---|---|---|---|---|---|")
    for name, runs in results.items():
        seconds, cpu = medians[name], statistics.median(run.cpu_seconds for run in runs)
        memory = max(run.megabytes for run in runs)
        rate, ratio = megabytes / seconds, seconds / medians[first]
        print(f"| {name} | {seconds:.2f} | {rate:.1f} | {cpu:.2f} | {memory:.0f} | {ratio:.2f} |")


def _measure(command: list[str]) -> Run:
    begin, cpu_begin = time.perf_counter(), _children_cpu()
    process = psutil.Popen(command)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _memory_of(process))
        time.sleep(0.02)
    seconds = time.perf_counter() - begin
    if process.returncode:
        raise SystemExit(f"{subprocess.list2cmdline(command)} failed with exit code {process.returncode}.")
    return Run(seconds, _children_cpu() - cpu_begin, peak / 1e6)


def _children_cpu() -> float:
    """Processor seconds of all processes that this one has waited for, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _memory_of(process: psutil.Process) -> int:
    total = 0
    try:
        for member in (process, *process.children(recursive=True)):
            total += member.memory_info().rss
    except psutil.Error:  # one of them has just ended
        pass
    return total
