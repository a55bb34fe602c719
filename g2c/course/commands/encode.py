"""`g2c encode`: turn a corpus of any size into token IDs, on all cores."""

import argparse

from g2c.common.errors import CourseError
from g2c.corpus.corpora import artifact_name
from g2c.corpus.documents import corpus_input
from g2c.corpus.encoding import encode_corpus
from g2c.course.commands.corpus_arguments import CONTINUES, add_worker_arguments, corpus_of, make_artifact
from g2c.formats.artifact import load_artifact
from g2c.formats.manifest import read_manifest
from g2c.formats.tokenizer_json import MANIFEST_FILE, load
from g2c.tokenizer.base import BPEBase


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tokenizer", help="shakespeare, story, g2c, another artifact, or a tokenizer.json")
    parser.add_argument("corpus", nargs="+", help="a named corpus, a folder, or files: .txt, .jsonl, .gz, .parquet")
    parser.add_argument("--output", required=True, metavar="NAME", help="the artifact to make: a name, or a folder")
    add_worker_arguments(parser)
    special = parser.add_mutually_exclusive_group()
    special.add_argument(
        "--special",
        action="store_const",
        const="allow",
        help="give special tokens in the text their IDs, as by default in plain text files",
    )
    special.add_argument(
        "--ordinary",
        action="store_const",
        const="ordinary",
        dest="special",
        help="treat special tokens as ordinary text, as by default in documents",
    )
    parser.add_argument("--again", action="store_true", help="discard interrupted work and start again")
    parser.epilog = f"{CONTINUES} The section 'A whole corpus' of docs/files.md shows it at work."


def run(arguments: argparse.Namespace) -> int:
    if arguments.tokenizer.endswith(".json"):
        tokenizer, train = load(arguments.tokenizer, BPEBase), None
    else:
        artifact = load_artifact(artifact_name(arguments.tokenizer), mmap=True, cls=BPEBase)
        tokenizer, train = artifact.tokenizer, artifact.manifest["train"]
    corpus = corpus_of(arguments)
    if corpus_input(corpus).size == 0:
        raise CourseError(f"There is no document in {', '.join(arguments.corpus)}: every file in it is empty.")
    folder = make_artifact(
        arguments,
        encode_corpus,
        tokenizer,
        corpus,
        arguments.output,
        special=arguments.special,
        train=train,
    )
    manifest = read_manifest(folder / MANIFEST_FILE)
    source, count = manifest["corpus"], manifest["ids"]["count"]
    print(f"{source['bytes']:,} bytes of {source['name']} are {count:,} token IDs. They are in {folder}.")
    return 0
