"""The exported page: the views of the lab for one saved tokenizer, in a file that needs no server and no network."""

from pathlib import Path
from typing import Any

import numpy as np

from g2c.common.errors import CourseError
from g2c.common.files import write_file
from g2c.common.paths import artifacts_folder
from g2c.corpus.recipes import artifact_name
from g2c.engine.splitting import LETTER, NEWLINE, NUMBER, SPACE, WHITE, classes_for
from g2c.formats.hf_format import to_hf_dict
from g2c.formats.tokenizer_json import load
from g2c.lab.pages import HANDOUT, page_of
from g2c.lab.tokenizers import Counts, counts_of, names
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import PATTERNS

SCRIPTS = ("tokenizer.js", "source-local.js")


def export(name: str, folder: Path) -> Path:
    """Write the page for a saved tokenizer as index.html in a folder, which is made if it is missing.

    Args:
        name: the name of an artifact, or the path of a tokenizer.json.
        folder: where to write.

    Returns:
        the path of the page.

    Raises:
        CourseError: there is no such tokenizer, the page cannot split text as it does, or the disk is full.
    """
    saved = artifact_name(name)
    path = Path(name) if Path(name).exists() else artifacts_folder() / saved
    tokenizer = load(path, BPEBase)
    counts = counts_of(saved) if saved in names() and not Path(name).exists() else None
    try:
        page = export_page(path.parent.name if path.is_file() else path.name, tokenizer, counts)
    except ValueError as error:
        raise CourseError(str(error)) from None
    write_file(folder / "index.html", [page.encode()])
    return folder / "index.html"


def export_page(name: str, tokenizer: BPEBase, counts: Counts | None = None) -> str:
    """The page for a tokenizer that needs no server and no network.

    Args:
        name: the name that the page shows.
        tokenizer: its pattern must be gpt2, gpt4 or None.
        counts: how often its corpus has each token, for the views that say so.

    Raises:
        ValueError: the tokenizer has another pattern, or no tokenizer.json can hold it.
    """
    if tokenizer.pattern is not None and tokenizer.pattern not in PATTERNS.values():
        raise ValueError(
            "The exported page splits text by the patterns gpt2 and gpt4 or not at all, and this tokenizer has another "
            "pattern."
        )
    corpus = counts and {"name": counts.corpus, "counts": counts.counts.tolist()}
    data = {
        "name": name,
        "tokenizer": to_hf_dict(tokenizer),
        "handout": HANDOUT,
        "corpus": corpus,
        "patterns": PATTERNS,
        "classes": character_classes(),
    }
    return page_of(SCRIPTS, data, "")


def character_classes() -> dict[str, str]:
    """Letters, numbers and white space, as the inside of a character class of a JavaScript regex with the flag u.

    They are those of the library that splits text for the course: a browser may know characters that it does not.
    """
    points = [*range(0xD800), *range(0xE000, 0x110000)]
    table = classes_for("".join(map(chr, points)).encode())
    wanted = {"letter": (LETTER,), "number": (NUMBER,), "white": (SPACE, WHITE, NEWLINE)}
    return {name: _ranges(np.isin(table[:0x110000], kinds)) for name, kinds in wanted.items()}


def _ranges(members: Any) -> str:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], members, [False]]).astype(np.int8)))
    return "".join(f"\\u{{{first:x}}}-\\u{{{end - 1:x}}}" for first, end in edges.reshape(-1, 2).tolist())
