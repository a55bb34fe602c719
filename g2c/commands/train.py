"""`g2c train`: train a tokenizer and save it, one of the course's own or one for any corpus.

g2c train shakespeare                                        a named tokenizer, or the saved one if it exists already
g2c train corpus.txt --vocab-size 8192 --output Mine         a tokenizer for a corpus, which is encoded with it

A module's milestone is a tokenizer that the student made, so the student's own code must pass its tests first.
"""

import argparse
import sys
from pathlib import Path
from shlex import quote
from typing import get_args

from coach.common.errors import CourseError
from coach.common.paths import is_checkout
from coach.plain import fitted, width_of
from coach.testing.report import TestRecord, next_step
from g2c.commands.encode import add_common_arguments
from g2c.commands.milestone import milestone_of, origin
from g2c.commands.own_code import NotReadyError, load_milestone
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.corpora import full_name
from g2c.corpus.named_tokenizers import train, train_and_encode, train_or_load
from g2c.engine.exact import Ties
from g2c.formats.manifest import read_manifest
from g2c.formats.tokenizer_json import MANIFEST_FILE

_FOR_A_CORPUS = ("vocab_size", "pattern", "special", "ties", "workers")
"""Options that need --output."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_common_arguments(parser, before="shakespeare, story or g2c; or, with --output, a corpus as for g2c encode: ")
    add = parser.add_argument
    add("--output", metavar="NAME", help="the artifact to make from a corpus: a name, or a folder")
    add("--vocab-size", type=int, metavar="N", help="number of tokens: bytes, special tokens and merges")
    add("--pattern", help="gpt2, gpt4 (the default), none, or a regex")
    special = f"special tokens, which get the IDs from 256 on; by default {DOCUMENT_SEPARATOR}. Without a TOKEN: none"
    add("--special", nargs="*", action="extend", metavar="TOKEN", help=special)
    ties = "which of equally frequent pairs is merged; first-seen by default, as in the exercise"
    add("--ties", choices=get_args(Ties), help=ties)
    add("--again", action="store_true", help="train one of the course's own again even if it exists")
    parser.epilog = (
        "ShakespeareTokenizer is the milestone of module 04: it is saved only if your own code passes the module's "
        "tests. If it does not, the exit code is 1. For a corpus of your own, see the section "
        "'A tokenizer for your own corpus' of docs/files.md."
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.output is not None:
        _print_made(_train_on_corpus(arguments), shown=arguments.output)
        return 0
    how = "To train on a corpus of your own, give --output NAME and --vocab-size N."
    if any(getattr(arguments, option) is not None for option in _FOR_A_CORPUS):
        raise CourseError(f"The artifact to make has no name. {how}")
    try:
        name = full_name(arguments.corpus)
    except CourseError as error:
        raise CourseError(f"{error} {how}") from None
    try:
        if is_checkout() and milestone_of(name):  # A library installation has no exercises to check.
            artifact = load_milestone(name, again=arguments.again, own=True)
        else:
            artifact = train(name) if arguments.again else train_or_load(name)
    except NotReadyError as error:
        return _refuse(name, error.failure)
    _print_made(artifact.path, shown=artifact.path.name)
    return 0


def _refuse(name: str, failure: TestRecord) -> int:
    """Print why a milestone is not made, and return the exit code."""
    text = f"{name} is made with your own code, which is not ready yet. Nothing was saved."
    print(fitted(text, sys.stderr), end="\n\n", file=sys.stderr)
    for label, line, _ in next_step(failure, width=width_of(sys.stderr)):
        print(label + line, file=sys.stderr)
    return 1


def _train_on_corpus(arguments: argparse.Namespace) -> Path:
    """Train on the corpus that the arguments name, and encode it. Returns the artifact's folder."""
    if arguments.vocab_size is None:
        raise CourseError("The size of the vocabulary is missing: give --vocab-size N, such as --vocab-size 8192.")
    try:
        return train_and_encode(
            arguments.corpus,
            arguments.output,
            arguments.vocab_size,
            pattern=None if arguments.pattern == "none" else arguments.pattern or "gpt4",
            special_tokens=(DOCUMENT_SEPARATOR,) if arguments.special is None else arguments.special,
            ties=arguments.ties or "first-seen",
            workers=arguments.workers,
        )
    except ValueError as error:
        raise CourseError(str(error)) from None


def _print_made(folder: Path, *, shown: str) -> None:
    """Describe an artifact, and say how to see it at work; `shown` is its name for `g2c show`."""
    manifest = read_manifest(folder / MANIFEST_FILE)
    corpus = (manifest["corpus"] or {}).get("name", "an unknown corpus")
    text = (
        f"{folder.name}: a vocabulary of {manifest['tokenizer']['vocab_size']:,} tokens, trained on {corpus}, "
        f"which it encodes as {manifest['ids']['count']:,} token IDs. It is in {folder}."
    )
    if is_checkout() and (whose_code := origin(folder.name, manifest["train"])):
        text += f" It was {whose_code}."
    print(fitted(text, sys.stdout))
    shown = quote(shown)
    print(f'\n  see it at work  g2c show {shown} "To be, or not to be"')
    if is_checkout() and milestone_of(folder.name):
        print(f'  let it write    g2c generate {shown} "ROMEO:", with what you write in module 05')
