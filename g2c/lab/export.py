"""The exported page: the views of the lab in a file that needs no server and no network.

It holds a saved tokenizer, and beside it GPT-2's and cl100k's where their tables are in the data folder.
"""

from pathlib import Path
from typing import Any

import numpy as np

from g2c.common.errors import CourseError
from g2c.common.files import write_file
from g2c.common.paths import artifacts_folder
from g2c.corpus.recipes import artifact_name
from g2c.engine.splitting import LETTER, NEWLINE, NUMBER, SPACE, WHITE, classes_for
from g2c.formats.tokenizer_json import load
from g2c.lab.pages import page_of
from g2c.lab.tokenizers import PUBLISHED, Counts, counts_of, is_here
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import PATTERNS


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
    tokenizers = {path.parent.name if path.is_file() else path.name: load(path, BPEBase)}
    for published in filter(is_here, ("gpt2", "cl100k")):
        title, load_published = PUBLISHED[published]
        tokenizers[title] = load_published()
    page = export_page(tokenizers, None if Path(name).exists() else counts_of(saved))
    write_file(folder / "index.html", [page.encode()])
    return folder / "index.html"


def export_page(tokenizers: dict[str, BPEBase], counts: Counts | None = None) -> str:
    """The page for tokenizers, by the names that it shows. It needs no server and no network.

    Args:
        tokenizers: name -> tokenizer, whose pattern must be gpt2, gpt4 or None.
        counts: how often the first tokenizer's corpus has each token, for the views that say so.

    Raises:
        CourseError: a tokenizer has another pattern.
    """
    data = {
        "tokenizers": {name: _table(tokenizer) for name, tokenizer in tokenizers.items()},
        "corpus": counts and {"name": counts.corpus, "counts": counts.counts.tolist()},
        "patterns": PATTERNS,
        "classes": character_classes(),
    }
    return page_of("source-local.js", data)


def _table(tokenizer: BPEBase) -> dict[str, Any]:
    """A tokenizer as page/tokenizer.js takes it: smaller than tokenizer.json, and faster to read."""
    names = {pattern: name for name, pattern in PATTERNS.items()} | {None: None}
    if tokenizer.pattern not in names:
        raise CourseError(
            "The exported page splits text by the patterns gpt2 and gpt4 or not at all, and this tokenizer has another "
            "pattern."
        )
    return {
        "pattern": names[tokenizer.pattern],
        "special": tokenizer.special_to_id,
        "byteIds": list(tokenizer.byte_ids),
        "merges": [part for (left, right), new_id in tokenizer.merges.items() for part in (left, right, new_id)],
    }


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
