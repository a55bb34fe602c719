"""How long `g2c watch` takes from saving a file to showing the result, measured on this computer.

    python tests/course/support/watch_seconds.py [--rounds 3] [MODULE...]

Goes through the modules as a student does: writes one exercise after the other into a copy of the course, while
`g2c watch` runs in a terminal there, and measures from each save until the result is shown: the next failing test, or
that the whole suite passes.
"""

import argparse
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect

from g2c.course.exercises import Module, modules
from support.clones import copy_course, make_template, write_answers

SHOWN = "q quit\\b"
"""What the last line of a result ends with."""

PAUSE = 1.5
"""Seconds between what is shown and the next save. A student takes longer."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("module", nargs="*", metavar="MODULE", help="default: all")
    asked = parser.parse_args()
    if unknown := set(asked.module) - set(modules()):
        parser.error(f"no module {', '.join(sorted(unknown))}")
    print(f"Seconds from saving to showing, {asked.rounds} saves each\nmodule  written  median  slowest  shown")
    with tempfile.TemporaryDirectory() as folder:
        template = make_template(Path(folder) / "template")
        for module_id in asked.module or modules():
            measure(modules()[module_id], template, Path(folder) / module_id, asked.rounds)
    print(f"Processes that wanted to run meanwhile: {os.getloadavg()[1]:.1f}, on {os.cpu_count()} processors")


def measure(module: Module, template: Path, folder: Path, rounds: int) -> None:
    """Print a line for each number of exercises that are written."""
    clone = copy_course(template, folder / "course")
    path = clone.path(module.exercise_path)
    versions = list(stages(module, template, folder / "answers"))
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "g2c", "watch"],
        cwd=str(clone.folder),
        env={**clone.environment, "TERM": "xterm"},
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 120),
    )
    seconds = [[] for _ in versions]
    shown = [""] * len(versions)
    try:
        terminal.expect(SHOWN)
        for number in range(rounds):
            # Not counted: a save after which the watch is with this module.
            save_and_wait(terminal, path, f"{versions[0]}# round {number}\n")
            for written, text in enumerate(versions):
                time.sleep(PAUSE)
                taken, shown[written] = save_and_wait(terminal, path, text)
                seconds[written].append(taken)
    finally:
        terminal.close(force=True)
    for written, times in enumerate(seconds):
        count = f"{written} of {len(module.exercises)}"
        print(f"{module.id:<6}  {count:<7}  {statistics.median(times):6.2f}  {max(times):7.2f}  {shown[written]}")


def stages(module: Module, template: Path, folder: Path) -> Iterator[str]:
    """The exercise file with none of its exercises written, with the first, with the first two, and so on."""
    clone = copy_course(template, folder)
    path = clone.path(module.exercise_path)
    yield path.read_text(encoding="utf-8")
    for exercise in module.exercises:
        write_answers(clone, [exercise])
        yield path.read_text(encoding="utf-8")


def save_and_wait(terminal: pexpect.spawn, path: Path, text: str) -> tuple[float, str]:
    """Save the file and wait. Returns how many seconds it took until the result was shown, and what it is."""
    path.write_text(text, encoding="utf-8")
    began = time.perf_counter()
    complete = terminal.expect([SHOWN, r"All tests of module \w+ pass"])
    seconds = time.perf_counter() - began
    if complete:
        shown = terminal.after
        terminal.expect("q quits")
    else:
        text = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", terminal.before)
        shown = re.search(r"(?:Next|Failing): (?:write )?[\w.]+", text)[0]
    return seconds, shown


if __name__ == "__main__":
    main()
