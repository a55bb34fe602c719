"""Exports the lab as one file that needs no server and no network.

It contains the table of a saved tokenizer, and those of GPT-2 and cl100k if they are in the data folder.
"""

from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.files import write_file
from g2c.common.paths import artifacts_folder
from g2c.corpus.corpora import artifact_name
from g2c.formats.tokenizer_json import load
from g2c.lab.pages import OTHER_PATTERN, page_of
from g2c.lab.tokenizers import PUBLISHED, TITLES, corpus_of, is_here, table_of
from g2c.tokenizer.base import BPEBase


def export(name: str, folder: Path) -> Path:
    """Write the page for an artifact or a tokenizer.json as index.html in a folder, and return its path.

    CourseError: there is no such tokenizer, the page cannot split text by its pattern, or the disk is full.
    """
    saved = artifact_name(name)
    path = Path(name) if Path(name).exists() else artifacts_folder() / saved
    tokenizers = {path.parent.name if path.is_file() else path.name: load(path, BPEBase)}
    for published in filter(is_here, ("gpt2", "cl100k")):
        tokenizers[TITLES[published]] = PUBLISHED[published]()
    page = export_page(tokenizers, None if Path(name).exists() else corpus_of(saved))
    write_file(folder / "index.html", [page.encode()])
    return folder / "index.html"


def export_page(tokenizers: dict[str, BPEBase], corpus: dict[str, Any] | None = None) -> str:
    """Return the page for tokenizers, by the names that it shows. `corpus` is the first one's, from `corpus_of`."""
    tables = {name: table_of(tokenizer) for name, tokenizer in tokenizers.items()}
    if any(table["pattern"] == OTHER_PATTERN for table in tables.values()):
        raise CourseError(
            "The exported page splits text by one of the named patterns or not at all, and this tokenizer has another "
            "pattern."
        )
    return page_of({"tables": tables, "corpora": {next(iter(tables)): corpus}})
