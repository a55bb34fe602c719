"""`g2c show`: split a text with a saved tokenizer, and show the tokens in color."""

import argparse
import sys
from pathlib import Path

from coach.commands.terminal import make_console
from coach.common.errors import CourseError
from g2c.corpus.corpora import artifact_name
from g2c.formats.artifact import artifact_folder, missing_artifact
from g2c.formats.tokenizer_json import TOKENIZER_FILE
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.show import TokenStrip, explain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="shakespeare, story, g2c, another artifact, or a path to tokenizer.json")
    parser.add_argument("text", nargs="*", help="the text; without it, standard input")
    parser.add_argument("--table", action="store_true", help="show a table of tokens, IDs, bytes and merges")


def run(arguments: argparse.Namespace) -> int:
    file = Path(arguments.name)
    if file.suffix != ".json":
        folder = artifact_folder(artifact_name(arguments.name))
        file = folder / TOKENIZER_FILE
        if not folder.is_dir():
            raise missing_artifact(folder)
    tokenizer = BPEBase.load(file)
    try:
        text = " ".join(arguments.text) if arguments.text else sys.stdin.read()
        # The engine returns the same IDs as `encode`, even if the student has not written `encode` yet.
        ids = tokenizer.encode_fast(text)
    except UnicodeDecodeError as error:
        raise CourseError(f"Standard input is not UTF-8 text: {error}. Convert it to UTF-8.") from None
    except ValueError as error:
        raise CourseError(str(error)) from None
    console = make_console()
    view = explain(tokenizer, ids) if arguments.table else TokenStrip(tokenizer, ids)
    console.print(view if console.is_terminal else str(view), markup=False)
    if not arguments.table:
        tokens = "1 token" if len(ids) == 1 else f"{len(ids):,} tokens"
        console.print(f"{tokens} for {len(text.encode()):,} bytes: {' '.join(map(str, ids[:50]))}")
    return 0
