"""`g2c export`: write an artifact's token IDs or its tokenizer as other programs read them."""

import argparse

from g2c.corpus.corpora import artifact_name
from g2c.formats.export import FORMATS, export


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("artifact", help="shakespeare, story, g2c, the name of another artifact, or its folder")
    parser.add_argument("--format", required=True, metavar="FORMAT", help=f"one of {', '.join(FORMATS)}")
    parser.add_argument("--output", metavar="FOLDER", help="the folder to create; default: ARTIFACT-FORMAT, here")


def run(arguments: argparse.Namespace) -> int:
    folder = export(artifact_name(arguments.artifact), arguments.format, arguments.output)
    for file in sorted(folder.iterdir()):
        print(f"{file.stat().st_size:>15,} bytes  {file}")
    return 0
