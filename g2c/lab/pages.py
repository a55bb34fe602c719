"""The page of the lab: one HTML file that holds its style, its script and its data.

The server and the exported page show the same views (page/views.js). They differ in where the data come from: from the
student's Python through page/source-server.js, or from page/tokenizer.js through page/source-local.js. What the student
has not written yet, the server's page computes by page/tokenizer.js as well.

There is no build step. Text becomes part of the page as text nodes only, through `el` and `svg` in page/show.js.
"""

import json
from pathlib import Path
from typing import Any

from g2c.lab.questions import HANDOUT_SCORES

FOLDER = Path(__file__).with_name("page")
HANDOUT = {"vocab": list(HANDOUT_SCORES.items()), "unk_id": 0}
"""The vocabulary of the handout, as a tokenizer.json of type Unigram has it."""
_COMMON = ("show.js", "views.js", "app.js")
_SCRIPTS = ("tokenizer.js", "source-server.js")


def server_page(token: str, nonce: str) -> str:
    """The page of the server. `nonce` allows its script, `token` goes with each of its questions."""
    return page_of(_SCRIPTS, {"token": token, "handout": HANDOUT}, nonce)


def page_of(sources: tuple[str, ...], data: dict[str, Any], nonce: str) -> str:
    """The page with these sources of data, in order, and with what they find in `data`. `nonce` allows the script."""
    # No text of the data can end the element that holds it.
    content = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    scripts = [(FOLDER / name).read_text(encoding="utf-8") for name in (_COMMON[0], *sources, *_COMMON[1:])]
    page = (FOLDER / "page.html").read_text(encoding="utf-8")
    head, data_mark, rest = page.partition("<!--DATA-->")
    middle, script_mark, end = rest.partition("/*SCRIPT*/")
    head = head.replace("/*STYLE*/", (FOLDER / "lab.css").read_text(encoding="utf-8"))
    return "".join([head, content, middle.replace("NONCE", nonce), "\n".join(scripts), end])
