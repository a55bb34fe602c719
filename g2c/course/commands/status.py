"""`g2c` alone tests the module in work, on pytest's screen. `g2c status` tests nothing: it lists the modules, with what
the last run of each suite showed, and the corpora and artifacts on the disk.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from rich.text import Text

from g2c.common import paths
from g2c.common.text import printable
from g2c.corpus import corpora
from g2c.course import standing
from g2c.course.commands.terminal import (
    DAMAGED,
    OPEN,
    VALID,
    answer_lines,
    exercise_lines,
    in_color,
    item_line,
    make_console,
    print_lines,
    warnings,
)
from g2c.course.exercises import counted_modules, modules, modules_with_key
from g2c.course.milestone import is_reached, milestone_of, origin
from g2c.course.testing.report import next_step
from g2c.course.testing.runs import SuiteRun


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    if arguments.command:
        print_lines(console, _everything())
        return 0
    print_lines(console, warnings())
    with SuiteRun(standing.module_to_show()) as suite:
        suite.wait()
        if record := suite.broken():
            width = console.width if console.is_terminal else None
            print_lines(console, [Text(), *in_color(next_step(record, width=width))])
    return 0


def _everything() -> Iterator[Text]:
    # The title comes first, because a busy machine may take seconds for the rest.
    yield Text("Exercises", style="bold")
    shown, chosen = standing.module_to_show(), counted_modules()
    for module in modules().values():
        tested = standing.passing(module)
        later = "  changed since its last test" if tested and not standing.is_current(module) else ""
        optional = "  optional" if module not in chosen else ""
        [line] = in_color([standing.bar(module, len(tested))])
        yield line.append(later + optional, style="dim")
        if module is shown:
            yield from exercise_lines(module)
            yield from answer_lines(module)
    yield from warnings()
    if not modules_with_key():
        yield Text("    Your own code was tested, not the answer key.", style="dim")
    nothing = "none fetched yet: ./datasets.sh --list shows what there is"
    for title, lines, none in ("Corpora", corpus_lines(), nothing), ("Artifacts", artifact_lines(), "none saved yet"):
        yield Text(f"\n{title}", style="bold")
        yield from list(lines) or [Text(f"    {none}", style="dim")]
    yield Text()
    yield from in_color(standing.what_next(shown))


def corpus_lines() -> Iterator[Text]:
    """List the corpora in the data folder. `g2c doctor` compares them with the published files."""
    for name, entry in corpora.CORPORA.items():
        files = [paths.data_folder() / source.file for source in entry.files]
        if files and all(path.is_file() for path in files):
            yield item_line(name, VALID, f"{sum(path.stat().st_size for path in files) / 1e6:,.1f} MB")


def artifact_lines() -> Iterator[Text]:
    """List the artifacts, as their manifests describe them. `g2c doctor` and `g2c verify` check the files."""
    for path in sorted(paths.artifacts_folder().glob("[!.]*/")):
        try:
            yield _artifact(path)
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            yield item_line(path.name, DAMAGED, "its manifest.json is missing or damaged", f"g2c verify {path.name}")


def _artifact(path: Path) -> Text:
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    name = (manifest["corpus"] or {}).get("name")
    details = [
        f"{manifest['tokenizer']['vocab_size']:,} tokens, {manifest['ids']['count']:,} IDs",
        f"trained on {printable(name)}" if name else "",
        origin(path.name, manifest["train"]),
    ]
    milestone = milestone_of(path.name)
    others = milestone and not is_reached(milestone)
    remedy = milestone.command if milestone and others else ""
    return item_line(path.name, OPEN if others else VALID, ", ".join(filter(None, details)), remedy)
