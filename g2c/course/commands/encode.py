"""`g2c encode`: turn a corpus of any size into token IDs, on all cores. `g2c train` shares its arguments."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.corpus.corpora import CORPORA, NAMED_TOKENIZERS, artifact_name
from g2c.corpus.documents import CorpusInput, corpus_input
from g2c.corpus.encoding import encode_corpus
from g2c.formats.artifact import load_artifact
from g2c.formats.manifest import read_manifest
from g2c.formats.tokenizer_json import MANIFEST_FILE, load
from g2c.tokenizer.base import BPEBase

CONTINUES = "After Ctrl-C, a kill or a full disk, the same command continues where it stopped."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tokenizer", help="shakespeare, story, g2c, another artifact, or a tokenizer.json")
    parser.add_argument("--output", required=True, metavar="NAME", help="the artifact to make: a name, or a folder")
    add_common_arguments(parser, again="discard interrupted work and start again")
    special = parser.add_mutually_exclusive_group()
    for option, value, meaning in (
        ("--special", "allow", "give special tokens in the text their IDs, as by default in plain text files"),
        ("--ordinary", "ordinary", "treat special tokens as ordinary text, as by default in documents"),
    ):
        special.add_argument(option, action="store_const", const=value, dest="special", help=meaning)
    parser.epilog = f"{CONTINUES} The section 'A whole corpus' of docs/files.md shows it at work."


def add_common_arguments(parser: argparse.ArgumentParser, *, again: str, before: str = "") -> None:
    parser.add_argument(
        "corpus",
        nargs="+",
        help=f"{before}a named corpus, a folder, or files: .txt, .jsonl, .json (an object a line), .gz, .parquet",
    )
    parser.add_argument("--workers", type=int, metavar="N", help="number of threads; by default one per core")
    parser.add_argument(
        "--column", metavar="NAME", help='the field or column of JSON and parquet with the documents, if not "text"'
    )
    parser.add_argument("--text", action="store_true", default=None, help="read files of any type as text")
    parser.add_argument("--again", action="store_true", help=again)


def corpus_of(arguments: argparse.Namespace) -> CorpusInput:
    """Return the corpus that the arguments name: one name, file or folder, or several files."""
    one, *others = arguments.corpus
    corpus = [Path(name) for name in arguments.corpus] if others else one
    return corpus_input(corpus, column=arguments.column or "text", as_text=bool(arguments.text))


def make_artifact(arguments: argparse.Namespace, make: Callable[..., Path], *given: Any, **options: Any) -> Path:
    """Call `make(*given, **options)` with the common arguments. CourseError: an argument is wrong."""
    try:
        return make(*given, workers=arguments.workers, resume=not arguments.again, **options)
    except ValueError as error:
        raise CourseError(str(error)) from None


def fallback_note(folder: Path) -> str:
    """Say that a named tokenizer learned from its fallback corpus, and how to train it again; "" if it did not."""
    recipe = NAMED_TOKENIZERS.get(folder.name)
    corpus = (read_manifest(folder / MANIFEST_FILE)["corpus"] or {}).get("name")
    if recipe is None or corpus is None or corpus != recipe.fallback:
        return ""
    fetch = f"./datasets.sh {CORPORA[recipe.corpus].option}"
    return (
        f"{recipe.name} did not learn from {recipe.corpus}, which was not in the data folder, but from Python's "
        f"language reference. To train it again: {fetch}, then g2c train {recipe.name}."
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.tokenizer.endswith(".json"):
        tokenizer, train = load(arguments.tokenizer, BPEBase), None
    else:
        artifact = load_artifact(artifact_name(arguments.tokenizer), mmap=True, cls=BPEBase)
        tokenizer, train = artifact.tokenizer, artifact.manifest["train"]
    given = (tokenizer, corpus_of(arguments), arguments.output)
    folder = make_artifact(arguments, encode_corpus, *given, special=arguments.special, train=train)
    manifest = read_manifest(folder / MANIFEST_FILE)
    source, count = manifest["corpus"], manifest["ids"]["count"]
    print(f"{source['bytes']:,} bytes of {source['name']} are {count:,} token IDs. They are in {folder}.")
    return 0
