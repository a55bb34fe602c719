"""The page of the lab: one HTML file that holds its style, its script and its data.

The server and the exported page show the same views (page/views.js). They differ in where the data come from: from the
student's Python through page/source-server.js, or from page/tokenizer.js through page/source-local.js.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from g2c.engine.splitting import LETTER, NEWLINE, NUMBER, SPACE, WHITE, classes_for
from g2c.formats.hf_format import to_hf_dict
from g2c.lab.tokenizers import Counts
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import PATTERNS

FOLDER = Path(__file__).with_name("page")
_COMMON = ("show.js", "views.js", "app.js")
_SERVER = ("source-server.js",)
_EXPORTED = ("tokenizer.js", "source-local.js")


def server_page(token: str, nonce: str) -> str:
    """The page of the server. `nonce` allows its script, `token` goes with each of its questions."""
    return _page(_SERVER, {"token": token}, nonce)


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
        "corpus": corpus,
        "patterns": PATTERNS,
        "classes": character_classes(),
    }
    return _page(_EXPORTED, data, "")


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


def _page(sources: tuple[str, ...], data: dict[str, Any], nonce: str) -> str:
    # No text of the data can end the element that holds it.
    content = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    scripts = [(FOLDER / name).read_text(encoding="utf-8") for name in (_COMMON[0], *sources, *_COMMON[1:])]
    page = (FOLDER / "page.html").read_text(encoding="utf-8")
    head, data_mark, rest = page.partition("<!--DATA-->")
    middle, script_mark, end = rest.partition("/*SCRIPT*/")
    head = head.replace("/*STYLE*/", (FOLDER / "lab.css").read_text(encoding="utf-8"))
    return "".join([head, content, middle.replace("NONCE", nonce), "\n".join(scripts), end])
