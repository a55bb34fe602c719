"""The results of the benchmarks as a page.

    python benchmarks/report.py [FOLDER]        write results.md again from measurements.json

In the folder of the results:

    measurements.json    part -> title, and a race for each size of text: the task and the results
    results.md           a table for each race, and how times grow
"""

import json
import platform
import statistics
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from coach.common.cores import cores

PAGE = "results.md"
MEASUREMENTS = "measurements.json"
PACKAGES = ("numpy", "numba", "tokenizers", "tiktoken", "gigabpe", "gigatoken")


def save(folder: Path, key: str, title: str, races: list[dict[str, Any]]) -> None:
    """Write the races of one part into measurements.json, in place of its earlier ones."""
    measurements = {**load(folder), key: {"title": title, "machine": machine(), "races": races}}
    (folder / MEASUREMENTS).write_text(json.dumps(measurements, indent=1) + "\n", encoding="utf-8")


def load(folder: Path) -> dict[str, Any]:
    path = folder / MEASUREMENTS
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


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


def write(folder: Path) -> None:
    """Write the page."""
    lines = [INTRODUCTION]
    machine_before = ""
    for part in load(folder).values():
        races = part["races"]
        lines.append(f"## {part['title']}\n")
        if part["machine"] != machine_before:
            machine_before = part["machine"]
            lines.append(f"Measured with {machine_before}.\n")
        if len(races) > 1:
            lines += [*_growth(races), ""]
        for race in races:
            lines += [*_table(race), ""]
        lines += ["What each contender was asked, and who is left out:\n", *_notes(races), ""]
    (folder / PAGE).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


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


def _median(result: dict[str, Any], figure: str = "seconds") -> float | None:
    """A median; None for a contender that is left out."""
    return None if result["left_out"] or not result[figure] else statistics.median(result[figure])


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e6:.2g} MB"


def _shown(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds:,.{0 if seconds >= 100 else 1 if seconds >= 10 else 2 if seconds >= 1 else 3}f}"


def _growth(races: list[dict[str, Any]]) -> list[str]:
    """Processor seconds of each contender over the sizes."""
    lines = [
        _row("processor seconds", *(_megabytes(race["size"]) for race in races)),
        _row(*["---"] * (len(races) + 1)),
    ]
    for name in _names(races):
        results = (result for race in races for result in race["results"] if result["name"] == name)
        lines.append(_row(name, *(_shown(_median(result, "processor_seconds")) for result in results)))
    return lines


def _names(races: list[dict[str, Any]]) -> list[str]:
    """Contenders that have a time in any race, in the order of the races."""
    return list(dict.fromkeys(result["name"] for race in races for result in race["results"] if _median(result)))


def _table(race: dict[str, Any]) -> list[str]:
    setting = f"{race['pattern']} pattern, vocabulary {race['vocab_size']:,}, {race['workers']} threads"
    runs = "one run" if race["runs"] == 1 else f"medians of {race['runs']} runs"
    timed = [result for result in race["results"] if _median(result)]
    lines = [
        f"### {_megabytes(race['size'])} of text\n",
        f"{race['text']}, {setting}, {runs}.\n",
    ]
    if timed:
        first = _median(timed[0], "processor_seconds")
        columns = ["contender", "seconds", "processor seconds", "MB/s", "memory, MB", f"times {timed[0]['name']}"]
        lines += [_row(*columns), _row(*["---"] * len(columns))]
        for result in timed:
            seconds, processor_seconds = _median(result), _median(result, "processor_seconds")
            rate, memory = f"{race['size'] / 1e6 / seconds:.3g}", f"{result['megabytes']:.0f}"
            ratio = f"{processor_seconds / first:.2f}"
            lines.append(_row(result["name"], _shown(seconds), _shown(processor_seconds), rate, memory, ratio))
    return lines


def _notes(races: list[dict[str, Any]]) -> list[str]:
    """What each contender was asked; and who is left out of which race, and why."""
    asked = {result["name"]: result["asked"] for race in races for result in race["results"]}
    left_out = [
        f"- {result['name']}, {_megabytes(race['size'])}: left out; {result['left_out']}."
        for race in races
        for result in race["results"]
        if result["left_out"]
    ]
    return [*(f"- {name}: {asked[name]}" for name in _names(races)), *left_out]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("results"))
