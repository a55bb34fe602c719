"""`g2c train`: one of the course's named tokenizers, trained and saved, or loaded if it exists already.

A module's milestone is a tokenizer that the student made: before it is saved, the student's own code is checked.
"""

import argparse
import sys
import time

from g2c.common.errors import CourseError
from g2c.common.paths import is_checkout
from g2c.corpus.named_tokenizers import full_name, load_current, train, train_or_load
from g2c.course.milestone import (
    KEY,
    STUDENT,
    NotReady,
    artifact_to_write,
    code_in_use,
    is_milestone,
    run_check,
)
from g2c.course.plain import styled
from g2c.formats.artifact import Artifact

WHOLE = "train_incremental"
"""The exercise that --own trains with."""
WHOLE_TAKES = "about half an hour"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="shakespeare, story or g2c")
    parser.add_argument("--again", action="store_true", help="train it again even if it exists")
    parser.add_argument(
        "--own",
        action="store_true",
        help=f"shakespeare only: train with your own {WHOLE} as well, on the whole corpus, and compare ({WHOLE_TAKES})",
    )
    parser.epilog = (
        "ShakespeareTokenizer is the milestone of module 04: it is saved only if your own train, encode and decode "
        "agree with the course's engine on a sample. If they do not, the exit code is 1."
    )


def run(arguments: argparse.Namespace) -> int:
    name = full_name(arguments.name)
    # A library installation has no exercises to check.
    checked = is_checkout() and is_milestone(name)
    if arguments.own and not checked:
        raise CourseError(f"--own is for milestones such as shakespeare; {name} is not one.")
    started = time.monotonic()
    try:
        if checked:
            artifact, made_now = _milestone(name, again=arguments.again, own=arguments.own)
        else:
            artifact = train(name) if arguments.again else train_or_load(name)
    except NotReady as report:
        _print_refusal(name, str(report))
        return 1
    seconds = time.monotonic() - started

    corpus = (artifact.manifest["corpus"] or {}).get("name", "an unknown corpus")
    tokenizer = artifact.tokenizer
    print(
        f"{artifact.path.name}: a vocabulary of {tokenizer.vocab_size:,} tokens, trained on {corpus}, "
        f"which it encodes as {len(artifact.ids):,} token IDs."
    )
    if checked:
        print(_whose_code(artifact, made_now))
    print(f"It is in {artifact.path}. This took {seconds:.1f} s.\n")
    shown = arguments.name if artifact.path.name == name else artifact.path.name
    commands = {"see it at work": f'g2c show {shown} "To be, or not to be"'}
    if checked and not arguments.own and _can_train_whole():
        commands[f"train it whole with your own {WHOLE} ({WHOLE_TAKES})"] = f"g2c train {arguments.name} --own"
    _print_commands(commands)
    return 0


def _milestone(name: str, *, again: bool, own: bool) -> tuple[Artifact, bool]:
    """The milestone, made with the code in use: loaded if it is there, else trained once that code is checked.

    Returns:
        (the artifact, whether it was made now)
    """
    mine = code_in_use()
    artifact = None if again or own else load_current(name)
    # To an instructor with the answer key any artifact will do; to a student only the student's own.
    if artifact and (mine == KEY or artifact.manifest["train"].get("code") == STUDENT):
        return artifact, False
    if mine == STUDENT:
        run_check("sample")
    if own:
        _train_whole(name)
    return train(name, save_as=artifact_to_write(name), code=mine), True


def _whose_code(artifact: Artifact, made_now: bool) -> str:
    """A sentence that says whose code was compared with the engine."""
    code = artifact.manifest["train"].get("code")
    if code == KEY:
        return "It was made with the ANSWER KEY: it is not the student's own."
    if code != STUDENT:
        return "Its manifest does not record whose code made it."
    when = "agree" if made_now else "agreed, when it was made,"
    return f"Your own train, encode and decode {when} with the course's engine on a sample."


def _train_whole(name: str) -> None:
    run_check("incremental")
    print(f"Training {name} with your own {WHOLE}: {WHOLE_TAKES}. Ctrl-C stops it, and nothing is saved.", flush=True)
    started = time.monotonic()
    run_check("whole", name)
    minutes = (time.monotonic() - started) / 60
    print(f"Your {WHOLE} learned the same merges as the engine, in {minutes:.1f} minutes.", flush=True)


def _can_train_whole() -> bool:
    """Whether the student's own `train_incremental` is right on the sample."""
    if code_in_use(WHOLE) != STUDENT:
        return False
    try:
        run_check("incremental")
    except NotReady:
        return False
    return True


def _print_refusal(name: str, report: str) -> None:
    print(f"{name} is made with your own code, which is not ready yet. Nothing was saved.\n", file=sys.stderr)
    print(report, end="\n\n", file=sys.stderr)
    print(f"  {styled('what to do about it', 'dim')}  {styled('g2c watch', 'bold')}", file=sys.stderr)


def _print_commands(commands: dict[str, str]) -> None:
    width = max(map(len, commands))
    for purpose, command in commands.items():
        print(f"  {styled(f'{purpose:<{width}}', 'dim')}  {styled(command, 'bold')}")
