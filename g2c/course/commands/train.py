"""`g2c train`: one of the course's named tokenizers, trained and saved, or loaded if it exists already."""

import argparse
import time

from g2c.common.text import printable
from g2c.corpus.named_tokenizers import full_name, train, train_or_load
from g2c.course.plain import styled


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="shakespeare, story or g2c")
    parser.add_argument("--again", action="store_true", help="train it again even if it exists")


def run(arguments: argparse.Namespace) -> int:
    name = full_name(arguments.name)
    started = time.monotonic()
    artifact = train(name) if arguments.again else train_or_load(name)
    seconds = time.monotonic() - started

    corpus = printable((artifact.manifest["corpus"] or {}).get("name", "an unknown corpus"))
    tokenizer = artifact.tokenizer
    print(
        f"{name}: a vocabulary of {tokenizer.vocab_size:,} tokens, trained on {corpus}, "
        f"which it encodes as {len(artifact.ids):,} token IDs."
    )
    print(f"It is in {artifact.path}. This took {seconds:.1f} s.\n")
    command = f'g2c show {arguments.name} "To be, or not to be"'
    print(f"  {styled('see it at work', 'dim')}  {styled(command, 'bold')}")
    return 0
