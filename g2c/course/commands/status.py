"""`g2c status`: how far each module is, what is on the disk, and the next step. `g2c` alone shows less, and sooner."""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from itertools import takewhile

from rich.text import Text

from g2c.common import paths
from g2c.common.errors import CourseError
from g2c.common.text import printable
from g2c.corpus import corpora
from g2c.course.commands.terminal import (
    DAMAGED,
    OPEN,
    VALID,
    Item,
    answer_lines,
    bar,
    commands,
    counted,
    current_results,
    exercise_lines,
    is_untouched,
    make_console,
    newly_passing,
    next_step,
    passing_lines,
    print_lines,
    warnings,
)
from g2c.course.exercises import Module, modules, modules_with_key
from g2c.course.milestone import milestone_of, origin, whose_code
from g2c.course.notebooks.answer_list import required_answers, right_answers
from g2c.course.testing.runs import ModuleResult
from g2c.formats.artifact import load_artifact
from g2c.tokenizer.base import BPEBase

MAX_HASHED = 100 << 20
"""The size in bytes up to which a corpus file's checksum is computed; of a larger file, the size is compared."""

SAMPLE_SECONDS = 10
"""How long the sample of the student's tokenizer may take."""


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    is_brief = arguments.command is None
    results = current_results(stop_early=is_brief)
    shown = what_to_show(results)
    print_lines(console, (_brief if is_brief else _everything)(results, shown))
    if all(result.complete for result in results):
        console.print("Every exercise passes.\n", style="bold green")
    print_lines(console, end(shown) if shown.complete else next_step(console, shown))
    return 0


def _brief(results: list[ModuleResult], shown: ModuleResult) -> Iterator[Text]:
    yield bar(shown)
    yield from answer_lines(shown.module)
    states: dict[str, list[str]] = {"Done": [], "Begun": [], "Not started": []}
    for result in results:
        if result is not shown:
            state = "Done" if result.complete else "Not started" if is_untouched(result) else "Begun"
            states[state].append(result.module.id)
    if standing := " ".join(f"{state}: {', '.join(ids)}." for state, ids in states.items() if ids):
        yield Text(standing, style="dim")
    yield Text()
    yield from warnings()
    yield from passing_lines(newly_passing(results))


def _everything(results: list[ModuleResult], shown: ModuleResult) -> Iterator[Text]:
    yield Text("Exercises", style="bold")
    for result in results:
        yield bar(result)
        if result is shown:
            yield from exercise_lines(result)
            yield from answer_lines(result.module)
    yield from warnings()
    if not modules_with_key():
        yield Text("    Your own code was tested, not the answer key.", style="dim")
    nothing = "none fetched yet: ./datasets.sh --list shows what there is"
    for title, items, none in ("Corpora", corpus_items(), nothing), ("Artifacts", artifact_items(), "none saved yet"):
        yield Text(f"\n{title}", style="bold")
        yield from [item.line() for item in items] or [Text(f"    {none}", style="dim")]
    yield Text()


def corpus_items() -> Iterator[Item]:
    """List the corpora in the data folder, compared with the published files."""
    for name, entry in corpora.CORPORA.items():
        sources = {paths.data_folder() / source.file: source for source in entry.files}
        try:
            if not sources or not corpora.files_are_here(entry):
                continue
        except CourseError as error:
            yield Item(name, DAMAGED, str(error))
            continue
        problems = {path: corpora.problem_of(path, source, max_hashed=MAX_HASHED) for path, source in sources.items()}
        damaged = [f"{path} is not the published file: {problem}." for path, problem in problems.items() if problem]
        if damaged:
            yield Item(name, DAMAGED, damaged[0], f"./datasets.sh {entry.option}")
        else:
            yield Item(name, VALID, f"{sum(path.stat().st_size for path in sources) / 1e6:,.1f} MB")


def artifact_items() -> Iterator[Item]:
    """List the artifacts, each loaded and checked."""
    for path in sorted(paths.artifacts_folder().glob("[!.]*/")):
        try:
            artifact = load_artifact(path, mmap=True, cls=BPEBase)
        except CourseError as error:
            remedy = f"g2c train {path.name}" if path.name in corpora.NAMED_TOKENIZERS else ""
            yield Item(path.name, DAMAGED, str(error), remedy)
            continue
        corpus, train = artifact.manifest.get("corpus") or {}, artifact.manifest["train"]
        details = [
            f"{artifact.tokenizer.vocab_size:,} tokens, {len(artifact.ids):,} IDs",
            f"trained on {printable(corpus['name'])}" if corpus.get("name") else "",
            origin(path.name, train),
        ]
        milestone = milestone_of(path.name)
        others = milestone and train.get("code") != whose_code()
        remedy = milestone.command if milestone and others else ""
        yield Item(path.name, OPEN if others else VALID, ", ".join(filter(None, details)), remedy)


def what_to_show(results: list[ModuleResult]) -> ModuleResult:
    """Return the first module that is not complete; or, while it is untouched, the one that was completed before it."""
    done = list(takewhile(lambda result: result.complete, results))
    following = results[len(done)] if len(done) < len(results) else None
    is_begun = following and (following.error or not is_untouched(following))
    return following if following and (is_begun or not done) else done[-1]


def end(result: ModuleResult) -> Iterator[Text]:
    """Make the end screen of a module: how it went, a token of the student's own tokenizer, and what comes next."""
    module, seconds = result.module, sum(test.seconds for test in result.tests)
    yield Text(f"All tests of module {module.id} pass.", style="bold green")
    yield Text(f"{module.title}: {counted(len(result.tests), 'test')} passed in {seconds:.1f} s.")
    if sample := sample_of(module):
        yield Text(f"Your tokenizer: {sample}.")
    yield Text("\nNext steps", style="bold")
    yield from commands(next_steps(module))


def next_steps(module: Module) -> dict[str, str]:
    """Return purpose -> command for everything still to do after a module, in this order."""
    answers = required_answers(module)
    steps = {}
    if not answers or answers - right_answers(module):
        steps["work through the notebook"] = f"./noteboosh.sh {module.id}"
    valid = {item.name for item in artifact_items() if item.state == VALID}
    remaining = iter(modules().values())
    for one in remaining:
        if one.milestone and one.milestone.artifact not in valid:
            steps[one.milestone.purpose] = one.milestone.command
        if one is module:
            break
    if following := next(remaining, None):
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
