"""`g2c export`: the token IDs or the tokenizer of an artifact, as other programs read them."""

import argparse

from g2c.corpus.recipes import artifact_name
from g2c.formats.export import FORMATS, export
from g2c.formats.export_tokenizer import TOKENIZER_FORMATS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("artifact", help="shakespeare, story, g2c, the name of another artifact, or its folder")
    parser.add_argument(
        "--format",
        required=True,
        metavar="FORMAT",
        help=f"token IDs: {', '.join(FORMATS)}; the tokenizer alone: {', '.join(TOKENIZER_FORMATS)}",
    )
    parser.add_argument("--output", metavar="FOLDER", help="the folder to make; by default ARTIFACT-FORMAT, here")
    parser.add_argument(
        "--merges-as-strings", action="store_true", help="with --format tokenizers: for tokenizers below 0.20"
    )


def run(arguments: argparse.Namespace) -> int:
    folder = export(
        artifact_name(arguments.artifact),
        arguments.format,
        arguments.output,
        merges_as_strings=arguments.merges_as_strings,
    )
    for file in sorted(folder.iterdir()):
        print(f"{file.stat().st_size:>15,} bytes  {file}")
    return 0
