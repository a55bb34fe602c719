"""`g2c train`: one of the course's named tokenizers, trained and saved, or loaded when it is there already."""

import argparse
import time

from g2c.course.terminal import make_console, print_commands
from g2c.errors import CourseError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="shakespeare, story or g2c")
    parser.add_argument("--again", action="store_true", help="train it anew even when it is there already")


def run(arguments: argparse.Namespace) -> int:
    from g2c.artifacts import train, train_or_load

    name = full_name(arguments.name)
    started = time.monotonic()
    artifact = train(name) if arguments.again else train_or_load(name)
    seconds = time.monotonic() - started

    console = make_console()
    corpus = (artifact.manifest["corpus"] or {}).get("name", "an unknown corpus")
    tokenizer = artifact.tokenizer
    console.print(
        f"{name}: a vocabulary of {tokenizer.vocab_size:,} tokens, trained on {corpus}, "
        f"which is {len(artifact.ids):,} token IDs long with it."
    )
    console.print(f"It is in {artifact.path}. This took {seconds:.1f} s.\n", soft_wrap=True)
    print_commands(console, {"see it at work": f'g2c show {arguments.name} "To be, or not to be"'})
    return 0


def full_name(name: str) -> str:
    """The name of a recipe: "shakespeare" and "ShakespeareTokenizer" both mean the second.

    Raises:
        CourseError: there is no such tokenizer.
    """
    from g2c.artifacts import NAMED_TOKENIZERS

    names = {full.removesuffix("Tokenizer").lower(): full for full in NAMED_TOKENIZERS}
    found = names.get(name.lower().removesuffix("tokenizer"))
    if found is None:
        raise CourseError(f"There is no tokenizer named {name!r}; the names are {', '.join(names)}.")
    return found
