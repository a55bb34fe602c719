"""`g2c encode`: turn a corpus of any size into token IDs, on all cores. `g2c train` shares its arguments."""

import argparse

from coach.common.errors import CourseError
from g2c.corpus.corpora import artifact_name
from g2c.corpus.encoding import encode_corpus
from g2c.formats.manifest import read_manifest
from g2c.formats.tokenizer_json import MANIFEST_FILE
from g2c.tokenizer.base import BPEBase

_READABLE = "a named corpus, a .txt, .jsonl or .parquet file, or a folder of one kind"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tokenizer", help="shakespeare, story, g2c, another artifact, or a tokenizer.json")
    parser.add_argument("--output", required=True, metavar="NAME", help="the artifact to make: a name, or a folder")
    add_common_arguments(parser)
    parser.epilog = "docs/corpora.md says how each kind of corpus is read, and how any other becomes one of these."


def add_common_arguments(parser: argparse.ArgumentParser, *, before: str = "") -> None:
    parser.add_argument("corpus", help=f"{before}{_READABLE}")
    parser.add_argument("--workers", type=int, metavar="N", help="number of threads; by default one per core")


def run(arguments: argparse.Namespace) -> int:
    if arguments.tokenizer.endswith(".json"):
        tokenizer, train = BPEBase.load(arguments.tokenizer), None
    else:
        artifact = BPEBase.load_artifact(artifact_name(arguments.tokenizer), mmap=True)
        tokenizer, train = artifact.tokenizer, artifact.manifest["train"]
    try:
        folder = encode_corpus(tokenizer, arguments.corpus, arguments.output, workers=arguments.workers, train=train)
    except ValueError as error:
        raise CourseError(str(error)) from None
    manifest = read_manifest(folder / MANIFEST_FILE)
    source, count = manifest["corpus"], manifest["ids"]["count"]
    print(f"{source['bytes']:,} bytes of {source['name']} are {count:,} token IDs. They are in {folder}.")
    return 0
