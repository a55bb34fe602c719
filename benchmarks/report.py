"""The results of the benchmarks as a page: a table for each race, and how times grow with the size of the text."""

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from coach.common.cores import cores
from contest import Race, Result

PACKAGES = ("numpy", "numba", "tokenizers", "tiktoken", "gigabpe", "gigatoken")

INTRODUCTION = """\
# How fast it is

Measured by `benchmarks/run.py`. Contenders took turns, each run in a new process; a time is the median of the runs,
from the corpus in a file to the result in a file, excluding Python's start-up and imports. For the course, the imports
include numba and the loading of its compiled loops, which take about 0.4 s of every process with more than 200 kB of
text. Processor time is what all cores spent on it together, user and system time, as a median too. Memory is the peak
of the process, over all runs. Seconds vary with what else the computer does; ratios of processor seconds vary less.

A time is listed only if the output was correct. The tokens learned, in order, and the files of token IDs are compared
byte for byte with those of the first contender. Where that is not possible, the page says how the output was checked.

Text from packages of documentation is manual pages in seven languages, dictionaries and handbooks;
`benchmarks/real_text.py` names the packages and downloads them.
"""


def write(page: Path, parts: dict[str, list[Race]]) -> None:
    """Write the page: the title of each part -> its races."""
    lines = [INTRODUCTION, f"Measured with {machine()}.\n"]
    for title, races in parts.items():
        lines.append(f"## {title}\n")
        if len(races) > 1:
            lines += [*_growth(races), ""]
        for race in races:
            lines += [*_table(race), ""]
        lines += ["What each contender was asked, and who is left out:\n", *_notes(races), ""]
    page.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def machine() -> str:
    """The machine and package versions, in general terms."""
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"no {package}")
    system = f"{platform.system()} on {platform.machine()}"
    return f"{cores()} cores, {system}, Python {platform.python_version()}, {', '.join(versions)}"


def _growth(races: Sequence[Race]) -> list[str]:
    """Processor seconds of each contender over the sizes."""
    lines = [_row("processor seconds", *(_megabytes(race.size) for race in races)), _row(*["---"] * (len(races) + 1))]
    for name in _asked(races):
        results = [result for race in races for result in race.results if result.name == name]
        lines.append(_row(name, *("–" if one.left_out else _shown(one.processor_time) for one in results)))
    return lines


def _table(race: Race) -> list[str]:
    task = race.task
    setting = f"{task.pattern} pattern, vocabulary {task.vocab_size:,}, {task.workers} threads"
    runs = "one run" if race.runs == 1 else f"medians of {race.runs} runs"
    lines = [f"### {_megabytes(race.size)} of text\n", f"{race.text}, {setting}, {runs}.\n"]
    if timed := [result for result in race.results if not result.left_out]:
        first = timed[0]
        columns = ["contender", "seconds", "processor seconds", "MB/s", "memory, MB", f"times {first.name}"]
        lines += [_row(*columns), _row(*["---"] * len(columns))]
        for one in timed:
            rate, ratio = f"{race.size / 1e6 / one.time:.3g}", f"{one.processor_time / first.processor_time:.2f}"
            times = _shown(one.time), _shown(one.processor_time)
            lines.append(_row(one.name, *times, rate, f"{one.megabytes:.0f}", ratio))
    return lines


def _notes(races: Sequence[Race]) -> list[str]:
    """What each contender was asked; and who is left out of which race, and why."""
    left_out = [
        f"- {result.name}, {_megabytes(race.size)}: left out; {result.left_out}."
        for race in races
        for result in race.results
        if result.left_out
    ]
    return [*(f"- {name}: {asked}" for name, asked in _asked(races).items()), *left_out]


def _asked(races: Sequence[Race]) -> dict[str, str]:
    """Contenders that have a time in any race, in the order of the races -> what they were asked."""
    results: list[Result] = [result for race in races for result in race.results]
    return {result.name: result.asked for result in results if not result.left_out}


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e6:.2g} MB"


def _shown(seconds: float) -> str:
    return f"{seconds:,.{0 if seconds >= 100 else 1 if seconds >= 10 else 2 if seconds >= 1 else 3}f}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
