"""Puts the page of the lab together: one HTML file with its style, its script and its data, and no build step.

The server's page and the exported one differ in their data alone: the exported one contains the tables of its
tokenizers, and the other gets them from the server (page/source.js). Text enters the page only as text nodes, through
`el` and `svg` in page/show.js.
"""

import json
from pathlib import Path
from typing import Any

from g2c.course.exercises import modules, modules_with_key
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import PATTERNS

VIEWS = ("type", "merge", "encode", "compare", "trouble", "lattice", "predict")
"""The views of the page, as its addresses name them."""
MODULES = tuple(module_id for module_id in ("04", "04g", "05") if module_id in modules())
"""The modules whose code the views run. A release may leave some out."""
HANDOUT_SCORES = {"<unk>": 0, "h": -3, "u": -3, "g": -3, "s": -2, "hu": -4, "ug": -2, "hug": -4}
"""The vocabulary of docs/04g-unigram.md, which the Lattice view uses."""

OTHER_PATTERN = "other"
"""Stands for a pattern by which the page cannot split texts."""

FOLDER = Path(__file__).with_name("page")
"""The parts of the page."""


def server_page(nonce: str) -> str:
    """Return the page for the server. Its policy allows the script with this `nonce`."""
    return page_of({"modules": MODULES, "key": bool(modules_with_key() & set(MODULES))}, nonce)


def page_of(data: dict[str, Any], nonce: str = "") -> str:
    """Return the page. page/source.js reads `data`, which a text in it cannot escape from."""
    data["handout"] = list(HANDOUT_SCORES.items())
    content = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    scripts = (FOLDER / name for name in ("show.js", "tokenizer.js", "source.js", "views.js", "app.js"))
    page = (FOLDER / "page.html").read_text(encoding="utf-8")
    head, data_mark, rest = page.partition("<!--DATA-->")
    middle, script_mark, end = rest.partition("/*SCRIPT*/")
    head = head.replace("/*STYLE*/", (FOLDER / "lab.css").read_text(encoding="utf-8"))
    script = "\n".join(path.read_text(encoding="utf-8") for path in scripts)
    return "".join([head, content, middle.replace("NONCE", nonce), script, end])


def table_of_merges(tokenizer: BPEBase) -> dict[str, Any]:
    """Return the table of a byte-level BPE tokenizer for page/tokenizer.js. It is smaller than tokenizer.json.

    Returns:
        pattern         a name in PATTERNS, None without a pattern, or OTHER_PATTERN
        normalization   the Unicode normalization form applied before splitting, or None
        special         special token -> ID
        byteIds         the ID of each byte
        merges          left, right and new ID of each merge, in the order learned, in one list
        words           token -> ID, for tokens that merges do not give
    """
    # Only tokens that are UTF-8 can be pieces of a text.
    pieces = tokenizer.whole_pieces.items()
    # gpt4 and llama3 are the same regex; the page knows it by its first name.
    names = {None: None} | {regex: name for name, regex in reversed(PATTERNS.items())}
    return {
        "pattern": names.get(tokenizer.pattern, OTHER_PATTERN),
        "normalization": tokenizer.normalization,
        "special": tokenizer.special_to_id,
        "byteIds": list(tokenizer.byte_ids),
        "merges": [part for (left, right), new_id in tokenizer.merges.items() for part in (left, right, new_id)],
        "words": {text: whole for token, whole in pieces if (text := token.decode(errors="ignore")).encode() == token},
    }
