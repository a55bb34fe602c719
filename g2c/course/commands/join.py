"""`g2c join`: put artifacts of one tokenizer together, such as the parts of a corpus that several machines encoded."""

import argparse

from g2c.corpus.corpora import artifact_name
from g2c.corpus.join import join_artifacts
from g2c.formats.manifest import read_manifest
from g2c.formats.tokenizer_json import MANIFEST_FILE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", nargs="+", help="an artifact's name or folder; numbered parts are joined in this order")
    parser.add_argument("--output", required=True, metavar="NAME", help="the artifact to make: a name, or a folder")
    parser.epilog = "A part with another tokenizer, a number that is missing, and a damaged part are refused by name."


def run(arguments: argparse.Namespace) -> int:
    folder = join_artifacts([artifact_name(part) for part in arguments.part], arguments.output)
    manifest = read_manifest(folder / MANIFEST_FILE)
    ids, documents = manifest["ids"]["count"], manifest["documents"]["count"]
    print(f"{len(arguments.part):,} parts are {ids:,} token IDs in {documents:,} documents. They are in {folder}.")
    return 0
