"""Puts the page of the lab together: one HTML file with its style, its script and its data, and no build step.

A browser opens the page from a disk, where it loads no other file, so the ES modules in page/ become one script. Text
enters the page only as text nodes, through `el` and `svg` in page/show.js.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coach.common.errors import CourseError
from coach.common.paths import REPOSITORY
from g2c.lab.regexes import translated
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import PATTERNS

FOLDER = Path(__file__).with_name("page")
"""The parts of the page."""
SCRIPTS = (
    REPOSITORY / "coach" / "common" / "elements.js",
    *(FOLDER / name for name in ("tokenizer.js", "show.js", "views.js", "app.js")),
)
"""The modules of the page, each after those that it imports."""

REGEXES = {name: translated(regex) for name, regex in PATTERNS.items() if name != "llama3"}
"""Name of a pattern -> its regex in JavaScript. llama3 is the same as gpt4, and the page knows it by that name."""

_MODULE_SYNTAX = re.compile(r"^(?:import \{[^}]+\} from .*\n|export )", re.MULTILINE)
"""What makes a script a module. All that modules import are names, which differ between modules."""


def page_of(tokenizers: Sequence[dict[str, Any]]) -> str:
    """Return the page for tokenizers, in the order in which it lists them.

    Args:
        tokenizers: "name", as in the page's address; "title"; "table", from `table_of`; and "corpus", with the corpus's
            "name" and "counts", how often it has each ID, or None. No text in them can end the script.
    """
    data = json.dumps({"tokenizers": tokenizers, "patterns": REGEXES}, separators=(",", ":"))
    script = "".join(_MODULE_SYNTAX.sub("", path.read_text(encoding="utf-8")) for path in SCRIPTS)
    parts = {"/*STYLE*/": (FOLDER / "lab.css").read_text(encoding="utf-8"), "/*SCRIPT*/": script}
    parts["<!--DATA-->"] = data.replace("<", "\\u003c")
    page = (FOLDER / "page.html").read_text(encoding="utf-8")
    return re.sub("|".join(map(re.escape, parts)), lambda mark: parts[mark[0]], page)


def table_of(tokenizer: BPEBase) -> dict[str, Any]:
    """Return the table of a byte-level BPE tokenizer for page/tokenizer.js. It is smaller than tokenizer.json.

    Returns:
        pattern         a name in REGEXES, or None without a pattern
        regex           the pattern in JavaScript
        normalization   the Unicode normalization form applied before splitting, or None
        special         special token -> ID
        byteIds         the ID of each byte
        merges          left, right and new ID of each merge, in the order learned, in one list
        words           token -> ID, for tokens that merges do not give

    Raises:
        CourseError: the page cannot split text by the tokenizer's pattern.
    """
    names = {None: None} | {PATTERNS[name]: name for name in REGEXES}
    if tokenizer.pattern not in names:
        raise CourseError("The page splits text by a named pattern or none, and this tokenizer has another pattern.")
    # Only tokens that are UTF-8 can be pieces of a text.
    pieces = tokenizer.whole_pieces.items()
    return {
        "pattern": names[tokenizer.pattern],
        "regex": REGEXES.get(names[tokenizer.pattern] or ""),
        "normalization": tokenizer.normalization,
        "special": tokenizer.special_to_id,
        "byteIds": list(tokenizer.byte_ids),
        "merges": [part for (left, right), new_id in tokenizer.merges.items() for part in (left, right, new_id)],
        "words": {text: whole for token, whole in pieces if (text := token.decode(errors="ignore")).encode() == token},
    }
