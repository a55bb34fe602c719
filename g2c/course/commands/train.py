"""`g2c train`: train a tokenizer and save it, one of the course's own or one for any corpus.

g2c train shakespeare                                        a named tokenizer, or the saved one if it exists already
g2c train corpus.txt --vocab-size 8192 --output Mine         a tokenizer for a corpus, which is encoded with it
"""

import argparse
import time
from pathlib import Path
from typing import get_args

from g2c.common.errors import CourseError
from g2c.common.text import DOCUMENT_SEPARATOR, printable
from g2c.corpus.named_tokenizers import full_name, train, train_or_load
from g2c.corpus.own_tokenizers import train_and_encode
from g2c.course.plain import styled
from g2c.engine.exact import Ties
from g2c.formats.manifest import read_manifest
from g2c.formats.tokenizer_json import MANIFEST_FILE

_FOR_A_CORPUS = ("vocab_size", "pattern", "special", "ties", "workers", "cluster")
"""Options that need --output."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "corpus",
        nargs="+",
        help="shakespeare, story or g2c; or, with --output, a corpus as for g2c encode: text files, or one named "
        "corpus, folder, .jsonl, .gz or .parquet",
    )
    parser.add_argument("--output", metavar="NAME", help="the artifact to make from a corpus: a name, or a folder")
    parser.add_argument(
        "--vocab-size", type=int, metavar="N", help="number of tokens: bytes, special tokens and merges"
    )
    parser.add_argument("--pattern", help="gpt2, gpt4 (the default), none, or a regex")
    parser.add_argument(
        "--special",
        nargs="*",
        action="extend",
        metavar="TOKEN",
        help=f"special tokens, which get the IDs from 256 on; by default {DOCUMENT_SEPARATOR}. Without a TOKEN: none",
    )
    parser.add_argument(
        "--ties",
        choices=get_args(Ties),
        help="which of equally frequent pairs is merged; first-seen by default, as in the exercise",
    )
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument("--workers", type=int, metavar="N", help="number of processes; by default one per core")
    workers.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="train and encode on the workers of a Dask cluster: the address of its scheduler, or its scheduler file",
    )
    parser.add_argument(
        "--again", action="store_true", help="train it again even if it exists; discard interrupted work"
    )
    parser.epilog = (
        "Stopped by Ctrl-C, a kill or a full disk, the same command goes on where it stopped. The section "
        "'A tokenizer for your own corpus' of docs/files.md shows it at work."
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.output is not None:
        return _train_on_corpus(arguments)
    name = _full_name(arguments)
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
    _suggest_show(arguments.corpus[0])
    return 0


def _full_name(arguments: argparse.Namespace) -> str:
    """The named tokenizer that the arguments ask for."""
    how = "To train on a corpus of your own, give --output NAME and --vocab-size N."
    if len(arguments.corpus) > 1 or any(getattr(arguments, option) is not None for option in _FOR_A_CORPUS):
        raise CourseError(f"The artifact to make has no name. {how}")
    try:
        return full_name(arguments.corpus[0])
    except CourseError as error:
        raise CourseError(f"{error} {how}") from None


def _train_on_corpus(arguments: argparse.Namespace) -> int:
    corpus = arguments.corpus[0] if len(arguments.corpus) == 1 else [Path(name) for name in arguments.corpus]
    if arguments.vocab_size is None:
        raise CourseError("The size of the vocabulary is missing: give --vocab-size N, such as --vocab-size 8192.")
    if arguments.workers is not None and arguments.workers < 1:
        raise CourseError(f"--workers {arguments.workers} is too few; it must be at least 1.")
    started = time.monotonic()
    try:
        folder = train_and_encode(
            corpus,
            arguments.output,
            arguments.vocab_size,
            pattern=None if arguments.pattern == "none" else arguments.pattern or "gpt4",
            special_tokens=(DOCUMENT_SEPARATOR,) if arguments.special is None else arguments.special,
            ties=arguments.ties or "first-seen",
            workers=arguments.workers,
            cluster=arguments.cluster,
            resume=not arguments.again,
        )
    except ValueError as error:
        raise CourseError(str(error)) from None
    seconds = time.monotonic() - started

    manifest = read_manifest(folder / MANIFEST_FILE)
    size, name = manifest["corpus"]["bytes"], manifest["corpus"]["name"]
    print(
        f"{folder.name}: a vocabulary of {manifest['tokenizer']['vocab_size']:,} tokens, trained on the {size:,} bytes "
        f"of {name}, which it encodes as {manifest['ids']['count']:,} token IDs."
    )
    print(f"It is in {folder}. This took {seconds:.1f} s.\n")
    _suggest_show(arguments.output)
    return 0


def _suggest_show(name: str) -> None:
    command = f'g2c show {name} "To be, or not to be"'
    print(f"  {styled('see it at work', 'dim')}  {styled(command, 'bold')}")
