"""`g2c join`: put artifacts of one tokenizer together, such as the parts of a corpus that several machines encoded."""

import argparse

from g2c.corpus.join import join_artifacts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", nargs="+", help="an artifact's name or folder; they are joined in this order")
    parser.add_argument("--output", required=True, metavar="NAME", help="the artifact to make: a name, or a folder")


def run(arguments: argparse.Namespace) -> int:
    parts = f"{len(arguments.part):,} parts are" if len(arguments.part) > 1 else "1 part is"
    print(f"{parts} joined in {join_artifacts(arguments.part, arguments.output)}.")
    return 0
