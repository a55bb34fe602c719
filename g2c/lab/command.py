"""`g2c lab`: write a page that shows saved and published tokenizers at work, and open it in the browser."""

import argparse
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coach.common.errors import CourseError
from coach.common.files import write_file
from coach.common.paths import REPOSITORY, artifacts_folder, display_path, is_checkout
from g2c.corpus.corpora import TABLES, files_are_here, pydocs_topics
from g2c.corpus.published_tokenizers import load_published
from g2c.engine.fast import train_fast
from g2c.formats.token_ids import IDS_FILE
from g2c.formats.tokenizer_json import TOKENIZER_FILE
from g2c.lab.pages import page_of, table_of
from g2c.tokenizer.base import BPEBase

WRITTEN = (REPOSITORY if is_checkout() else Path.cwd()) / ".g2c" / "lab"
"""Where the page is written. Some browsers may not read the system's temporary folder."""

PUBLISHED = {
    "gpt2": "GPT-2",
    "cl100k": "cl100k (GPT-4)",
    "o200k": "o200k (GPT-4o, GPT-5)",
    "llama3": "Llama 3",
    "qwen3": "Qwen 3",
}
"""Name, as in `./datasets.sh NAME` -> title in the page."""
FOR_OTHERS = ("gpt2", "cl100k")
"""The published tokenizers in an exported page, which stays small."""

MAX_IDS_SIZE = 200 * 2**20
"""The size in bytes up to which the token IDs of an artifact are counted."""

Shown = dict[str, Any]
"""A tokenizer as `page_of` takes it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_text = "only write the page, as FOLDER/index.html, for others; of the published tokenizers it has only two"
    parser.add_argument("--export", metavar="FOLDER", type=Path, help=help_text)


def run(arguments: argparse.Namespace) -> int:
    own = saved()
    published = FOR_OTHERS if arguments.export else tuple(PUBLISHED)
    path = write_lab(arguments.export or WRITTEN, own or [small()], published)
    print(f"Written: {display_path(path)} ({path.stat().st_size:,} bytes). Any browser opens it, without a network.")
    if missing := [name for name in published if not files_are_here(TABLES[name])]:
        print(f"To show more published tokenizers beside yours: ./datasets.sh {' '.join(missing)}, and g2c lab again")
    if not own:
        print("You have not saved a tokenizer yet, so it shows a small one. To save yours: g2c train shakespeare")
    if not arguments.export:
        webbrowser.open(path.absolute().as_uri())
    return 0


def write_lab(folder: Path, own: Sequence[Shown], published: Sequence[str] = FOR_OTHERS) -> Path:
    """Write the page as index.html in a folder, for some tokenizers and for published ones whose files are here.

    Returns the path of the page.
    """
    here = [name for name in published if files_are_here(TABLES[name])]
    others = [_shown(name, load_published(name), title=PUBLISHED[name]) for name in here]
    write_file(folder / "index.html", [page_of([*own, *others]).encode()])
    return folder / "index.html"


def saved() -> list[Shown]:
    """Return the student's artifacts. Those that the page cannot show are left out, with a sentence."""
    shown = []
    for file in sorted(artifacts_folder().glob(f"[!.]*/{TOKENIZER_FILE}")):
        try:
            shown.append(of_artifact(file.parent.name))
        except CourseError as error:
            print(f"Without {file.parent.name}: {error}")
    return shown


def of_artifact(name: str) -> Shown:
    """Return an artifact. If it has token IDs, also the name of its corpus, and a list of how often it has each ID.

    Raises:
        CourseError: there is none, its files are damaged, or the page cannot split text by its pattern.
    """
    folder = artifacts_folder() / name
    corpus = None
    if (folder / IDS_FILE).is_file() and (folder / IDS_FILE).stat().st_size <= MAX_IDS_SIZE:
        artifact = BPEBase.load_artifact(name, mmap=True)
        of = (artifact.manifest["corpus"] or {}).get("name") or "its corpus"
        corpus = {"name": str(of), "counts": np.bincount(artifact.ids).tolist()}
    return _shown(name, BPEBase.load(folder), corpus)


def small() -> Shown:
    """Return a small tokenizer, trained on Python's documentation."""
    tokenizer = BPEBase(["<|endoftext|>"], pattern="gpt2")
    train_fast(tokenizer, pydocs_topics()[:20], 1000, progress=False)
    return _shown("small", tokenizer, title="small (1,000 tokens)")


def _shown(name: str, tokenizer: BPEBase, corpus: Shown | None = None, *, title: str | None = None) -> Shown:
    return {"name": name, "title": title or name, "table": table_of(tokenizer), "corpus": corpus}
