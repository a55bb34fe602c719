"""The results of the benchmarks as a page and plots.

    python benchmarks/report.py [FOLDER]        write results.md and the plots again from measurements.json

In the folder of the results:

    measurements.json    part -> title, and a race for each size of text: the task and the results
    results.md           a table for each race, and how times and memory grow
    PART.svg             the same growth as a plot
"""

import json
import platform
import statistics
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from g2c.corpus.workers import cores

PAGE = "results.md"
MEASUREMENTS = "measurements.json"
PACKAGES = (
    "numpy",
    "numba",
    "tokenizers",
    "tiktoken",
    "rustbpe",
    "bpeasy",
    "gigabpe",
    "gigatoken",
    "ffbpe",
    "sentencepiece",
)
OURS = ("train_exact", "train_fast", "g2c encode", "g2c, IDs alone")


def save(folder: Path, key: str, title: str, races: list[dict[str, Any]]) -> None:
    """Write the races of one part into measurements.json, replacing earlier ones of this part with the same sizes.

    What was measured on another machine or with other versions is replaced whatever its size.
    """
    measurements = load(folder)
    earlier = measurements.get(key, {})
    kept = earlier["races"] if earlier.get("machine") == machine() else []
    by_size = {race["size"]: race for race in [*kept, *races]}
    races = [by_size[size] for size in sorted(by_size)]
    measurements[key] = {"title": title, "machine": machine(), "races": races}
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
    """Write the page and the plots."""
    lines = [INTRODUCTION]
    machine_before = ""
    for key, part in load(folder).items():
        races = part["races"]
        lines.append(f"## {part['title']}\n")
        if part["machine"] != machine_before:
            machine_before = part["machine"]
            lines.append(f"Measured with {machine_before}.\n")
        if len(races) > 1:
            _plot(part["title"], races, folder / f"{key}.svg")
            lines.append(f"![{part['title']}: seconds and memory over the size of the text]({key}.svg)\n")
            lines += [*_growth(races), ""]
        for race in races:
            lines += [*_table(race), ""]
        if notes := _notes(races):
            lines += ["Remarks:\n", *notes, ""]
    (folder / PAGE).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


INTRODUCTION = """\
# How fast it is

Measured by `benchmarks/run.py`, and by `benchmarks/named_tokenizers.py` for `g2c train`. Contenders took turns, each
run in a new process; a time is the median of the runs, from the corpus in a file to the result in a file, excluding
Python's start-up and imports. Processor time is what all cores spent on it together, user and system time, as a median
too. Memory is the peak of the process and its children together, over all runs.

A time is listed only if the output was correct. The tokens learned, in order, and the files of token IDs are compared
byte for byte with those of the first contender. Where that is not possible, a remark says how the output was checked.
"""


def _median(result: dict[str, Any]) -> float | None:
    """Median seconds; None for a contender that is left out."""
    return None if result["left_out"] or not result["seconds"] else statistics.median(result["seconds"])


def _processor_time(result: dict[str, Any]) -> str:
    """Median processor seconds; a dash where none were measured."""
    measured = result.get("processor_seconds")
    return _shown(statistics.median(measured)) if measured else "–"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e6:.2g} MB"


def _shown(seconds: float) -> str:
    return f"{seconds:,.{0 if seconds >= 100 else 1 if seconds >= 10 else 2 if seconds >= 1 else 3}f}"


def _growth(races: list[dict[str, Any]]) -> list[str]:
    """Seconds of each contender over the sizes."""
    lines = [_row("seconds", *(_megabytes(race["size"]) for race in races)), _row(*["---"] * (len(races) + 1))]
    for name in _names(races):
        cells = []
        for race in races:
            seconds = next((_median(result) for result in race["results"] if result["name"] == name), None)
            cells.append("–" if seconds is None else _shown(seconds))
        lines.append(_row(name, *cells))
    return lines


def _names(races: list[dict[str, Any]]) -> list[str]:
    """Contenders that have a time in any race, in the order of the races."""
    return list(dict.fromkeys(result["name"] for race in races for result in race["results"] if _median(result)))


def _table(race: dict[str, Any]) -> list[str]:
    pattern = f"{race['pattern']} pattern" if race["pattern"] else "no pattern"
    runs = "one run" if race["runs"] == 1 else f"medians of {race['runs']} runs"
    timed = [result for result in race["results"] if _median(result) is not None]
    lines = [
        f"### {_megabytes(race['size'])} of text\n",
        f"{race['text']}, {pattern}, vocabulary {race['vocab_size']:,}, "
        f"{race['workers']} threads or processes, {runs}.\n",
    ]
    if timed:
        first = timed[0]
        ratio_column = f"times the seconds of {first['name']}"
        rows = [["contender", "seconds", "processor seconds", "MB/s", "memory, MB", ratio_column], ["---"] * 6]
        for result in timed:
            seconds = _median(result)
            rate, ratio = race["size"] / 1e6 / seconds, seconds / _median(first)
            memory = f"{result['megabytes']:.0f}"
            times = [_shown(seconds), _processor_time(result)]
            rows.append([result["name"], *times, f"{rate:.3g}", memory, f"{ratio:,.2f}"])
        # With only one contender there is nothing to compare.
        columns = 6 if len(timed) > 1 else 5
        lines += [_row(*row[:columns]) for row in rows]
    return lines


def _notes(races: list[dict[str, Any]]) -> list[str]:
    """Remarks on contenders, and why some are left out; with the sizes, unless it applies to all."""
    sizes: dict[str, list[str]] = {}
    for race in races:
        for result in race["results"]:
            note = f"left out; {result['left_out']}." if result["left_out"] else result["remark"]
            if note:
                sizes.setdefault(f"{result['name']}: {note}", []).append(_megabytes(race["size"]))
    return [f"- {note}" if len(at) == len(races) else f"- {note} ({', '.join(at)})" for note, at in sizes.items()]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _plot(title: str, races: list[dict[str, Any]], path: Path) -> None:
    """Seconds, processor seconds and memory over the size of the text, on log axes."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "g2c"
    import matplotlib.pyplot as plt

    figures: dict[str, Callable[[dict[str, Any]], float | None]] = {
        "seconds": _median,
        "processor seconds": lambda result: statistics.median(result.get("processor_seconds") or [0]) or None,
        "MB of memory": lambda result: result["megabytes"],
    }
    figure, panels = plt.subplots(1, len(figures), figsize=(14, 4.5), layout="constrained")
    for axes, (label, figure_of) in zip(panels, figures.items()):
        for number, name in enumerate(_names(races)):
            points = [
                (race["size"] / 1e6, figure_of(result))
                for race in races
                for result in race["results"]
                if result["name"] == name and _median(result) is not None and figure_of(result) is not None
            ]
            if points:
                style = {"color": f"C{number}", "linewidth": 2.5 if name in OURS else 1.2}
                axes.loglog(*zip(*points), "o-", label=name if axes is panels[0] else None, **style)
        axes.set(xlabel="MB of text", ylabel=label)
        axes.grid(alpha=0.3)
    figure.suptitle(title)
    figure.legend(loc="outside right center")
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("results"))
