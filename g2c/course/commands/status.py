"""`g2c status`: how far each module is, what is on the disk, and the next step. `g2c` alone shows less, and sooner."""

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from g2c.common import paths
from g2c.common.errors import CourseError
from g2c.common.text import printable
from g2c.corpus import corpora
from g2c.course.commands.terminal import (
    bar,
    counted,
    current_results,
    is_untouched,
    make_console,
    newly_passing,
    print_answers,
    print_commands,
    print_exercises,
    print_key_warning,
    print_marked,
    print_next_step,
    print_passing,
)
from g2c.course.exercises import Module, modules, modules_with_key
from g2c.course.milestone import milestone_of, origin, whose_code
from g2c.course.notebooks.answer_list import required_answers, right_answers
from g2c.course.testing.runs import ModuleResult
from g2c.formats.artifact import load_artifact
from g2c.tokenizer.base import BPEBase

VALID, DAMAGED, NOT_OWN = "✓", "✗", "·"
"""The state of a corpus or an artifact. NOT_OWN: a valid milestone, but not known to be made with the code in use."""

MAX_HASHED = 100 << 20
"""The size in bytes up to which a corpus file's checksum is computed; of a larger file, the size is compared."""

SAMPLE_SECONDS = 10
"""How long the sample of the student's tokenizer may take."""


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    is_brief = arguments.command is None
    results = current_results(stop_early=is_brief)
    (_print_brief if is_brief else _print_everything)(console, results)
    if all(result.complete for result in results):
        console.print("Every exercise passes.\n", style="bold green")
    shown = what_to_show(results)
    (print_end if shown.complete else print_next_step)(console, shown)
    return 0


def _print_brief(console: Console, results: list[ModuleResult]) -> None:
    shown = what_to_show(results)
    console.print(bar(shown))
    print_answers(console, shown.module)
    if others := [result for result in results if result is not shown]:
        console.print(standing(others), style="dim")
    console.print()
    print_key_warning(console)
    print_passing(console, newly_passing(results))


def standing(results: list[ModuleResult]) -> str:
    """Sum up modules in a line: "Done: 04. Not started: 04b, 04c."."""
    states: dict[str, list[str]] = {"Done": [], "Begun": [], "Not started": []}
    for result in results:
        state = "Done" if result.complete else "Not started" if is_untouched(result) else "Begun"
        states[state].append(result.module.id)
    return " ".join(f"{state}: {', '.join(ids)}." for state, ids in states.items() if ids)


def _print_everything(console: Console, results: list[ModuleResult]) -> None:
    console.print("Exercises", style="bold")
    shown = what_to_show(results)
    for result in results:
        console.print(bar(result))
        if result is shown:
            print_exercises(console, result)
            print_answers(console, result.module)
    print_key_warning(console)
    if not modules_with_key():
        console.print("    Your own code was tested, not the answer key.", style="dim")
    _print_items(console, "Corpora", corpus_items(), "none fetched yet: ./datasets.sh --list shows what there is")
    _print_items(console, "Artifacts", artifact_items(), "none saved yet")
    console.print()


def _print_items(console: Console, title: str, items: "list[Item]", none: str) -> None:
    console.print()
    console.print(title, style="bold")
    for item in items:
        remedy = f"  ({item.remedy})" if item.remedy else ""
        print_marked(console, item.state, item.name, f"{item.detail}{remedy}")
    if not items:
        console.print(f"    {none}", style="dim")


# --- what is on the disk ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Item:
    """Describes a corpus or an artifact, or its problem. `remedy` is a command; "" where `detail` says what to do."""

    name: str
    state: str
    detail: str
    remedy: str = ""


def corpus_items() -> list[Item]:
    """List the corpora in the data folder, compared with the published files."""
    items = []
    for name, entry in corpora.CORPORA.items():
        sources = {paths.data_folder() / source.file: source for source in entry.files}
        try:
            if not sources or not corpora.files_are_here(entry):
                continue
        except CourseError as error:
            items.append(Item(name, DAMAGED, str(error)))
            continue
        problems = {path: corpora.problem_of(path, source, max_hashed=MAX_HASHED) for path, source in sources.items()}
        damaged = [f"{path} is not the published file: {problem}." for path, problem in problems.items() if problem]
        if damaged:
            items.append(Item(name, DAMAGED, damaged[0], f"./datasets.sh {entry.option}"))
        else:
            items.append(Item(name, VALID, f"{sum(path.stat().st_size for path in sources) / 1e6:,.1f} MB"))
    return items


def artifact_items() -> list[Item]:
    """List the artifacts, each loaded and checked."""
    return [_artifact(path) for path in sorted(paths.artifacts_folder().glob("[!.]*/"))]


def _artifact(path: Path) -> Item:
    try:
        artifact = load_artifact(path, mmap=True, cls=BPEBase)
    except CourseError as error:
        remedy = f"g2c train {path.name}" if path.name in corpora.NAMED_TOKENIZERS else ""
        return Item(path.name, DAMAGED, str(error), remedy)
    corpus = artifact.manifest.get("corpus") or {}
    train = artifact.manifest["train"]
    details = [
        f"{artifact.tokenizer.vocab_size:,} tokens, {len(artifact.ids):,} IDs",
        f"trained on {printable(corpus['name'])}" if corpus.get("name") else "",
        origin(path.name, train),
    ]
    milestone = milestone_of(path.name)
    is_own = milestone is None or train.get("code") == whose_code()
    remedy = "" if milestone is None or is_own else milestone.command
    return Item(path.name, VALID if is_own else NOT_OWN, ", ".join(filter(None, details)), remedy)


# --- after a module is complete ---------------------------------------------------------------------------------------


def what_to_show(results: list[ModuleResult]) -> ModuleResult:
    """Return the first module that is not complete; or, while it is untouched, the one that was completed before it."""
    unfinished = next((result for result in results if not result.complete), None)
    before = results[: results.index(unfinished)] if unfinished else results
    if unfinished and (unfinished.error or not before or not is_untouched(unfinished)):
        return unfinished
    return before[-1]


def print_end(console: Console, result: ModuleResult) -> None:
    """Print the end screen of a module: how it went, a token of the student's own tokenizer, and what comes next."""
    module = result.module
    seconds = sum(test.seconds for test in result.tests)
    console.print(Text(f"All tests of module {module.id} pass.", style="bold green"))
    console.print(Text(f"{module.title}: {counted(len(result.tests), 'test')} passed in {seconds:.1f} s."))
    if sample := sample_of(module):
        console.print(Text(f"Your tokenizer: {sample}."))
    console.print(Text("\nNext steps", style="bold"))
    print_commands(console, next_steps(module))


def next_steps(module: Module) -> dict[str, str]:
    """Return purpose -> command for everything still to do after a module, in this order."""
    answers = required_answers(module)
    steps = {}
    if not answers or answers - right_answers(module):
        steps["work through the notebook"] = f"./noteboosh.sh {module.id}"
    all_modules = list(modules().values())
    place = all_modules.index(module)
    valid = {item.name for item in artifact_items() if item.state == VALID}
    for earlier in all_modules[: place + 1]:
        if earlier.milestone and earlier.milestone.artifact not in valid:
            steps[earlier.milestone.purpose] = earlier.milestone.command
    for following in all_modules[place + 1 : place + 2]:
        steps[f"go on with module {following.id}, {following.title}"] = "g2c watch"
    return {f"{number}. {purpose}": command for number, (purpose, command) in enumerate(steps.items(), start=1)}


def sample_of(module: Module) -> str:
    """Describe a token of the student's own tokenizer in a line; "" if there is none, or the code fails or hangs."""
    if not module.sample:
        return ""
    try:
        done = subprocess.run(
            [sys.executable, "-c", module.sample],
            cwd=paths.REPOSITORY,
            env=paths.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SAMPLE_SECONDS,
            check=True,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return ""
    return done.stdout.splitlines()[-1] if done.stdout else ""
