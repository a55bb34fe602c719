"""The lab in a notebook: `lab("merge", text)` is a cell with that view, and a still picture where no lab can run."""

import atexit
import html
import json
import os
import re
import subprocess
import sys
import warnings
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from g2c.common.errors import CourseError, VocabularyNotReached
from g2c.common.paths import REPOSITORY
from g2c.engine.exact import train_exact
from g2c.lab.questions import HANDOUT_SCORES, MAX_LATTICE_TEXT, VIEWS
from g2c.lab.traces import encoding_steps, trace
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.show import Table, TokenStrip
from g2c.tokenizer.unigram import UnigramTokenizer

HEIGHT = 900
STILL_MERGES = 6
_FRONT_ENDS = ("JPY_SESSION_NAME", "VSCODE_PID")
"""Environment variables that a kernel has when somebody looks at its notebook."""


def lab(view: str = "type", text: str | None = None) -> "View":
    """A view of the lab, for the last line of a cell.

    Args:
        view: "type", "merge", "encode", "compare", "trouble" or "lattice".
        text: the text that the view shows; None for an example.

    Raises:
        ValueError: there is no such view.
        CourseError: the lab cannot be started.
    """
    if view not in VIEWS:
        raise ValueError(f"There is no view {view!r}; the views are {', '.join(VIEWS)}.")
    if text is None:
        text = "hugs" if view == "lattice" else "the cat sat on the mat; the dog sat on the log"
    is_seen = any(variable in os.environ for variable in _FRONT_ENDS)
    return View(view, text, _address() if is_seen else None)


class View:
    """What `lab` returns. Shows a still picture, and in its place the running view once that has loaded.

    A notebook that is opened without its kernel, or on a site that hosts code, keeps the still picture. Executed where
    nobody looks, as by `./noteboosh.sh --run`, there is nothing else.
    """

    def __init__(self, view: str, text: str, address: str | None) -> None:
        self.view, self.text, self.address = view, text, address

    def __repr__(self) -> str:
        return f"<the view {self.view} of g2c lab>\n{self._still()}"

    def _repr_html_(self) -> str:
        still = f"<div>{self._still_html()}</div>"
        if self.address is None:
            return still
        base, _, token = self.address.partition("?token=")
        source = f"{base}{self.view}?{urlencode({'text': self.text, 'token': token})}"
        return f'<div class="g2c-lab">{still}</div><script>{_script(source)}</script>'

    def _still(self) -> str:
        return "\n".join(f"{title}\n{strip}" for title, strip in _strips(self.view, self.text))

    def _still_html(self) -> str:
        return "".join(
            f"<b>{html.escape(title)}</b>{strip._repr_html_()}" for title, strip in _strips(self.view, self.text)
        )


def _strips(view: str, text: str) -> list[tuple[str, Any]]:
    """The parts of a still picture, each with a title: how a tokenizer learns from the text, or encodes it.

    That of a lattice is a table of its edges, which the given code finds: the best path is for the student to write.
    """
    if view == "lattice":
        columns = {"from": "d", "to": "d", "text": "", "token": "", "score": "g"}
        edges = UnigramTokenizer(HANDOUT_SCORES).lattice(text[:MAX_LATTICE_TEXT])
        rows = [(edge.start, edge.end, text[edge.start : edge.end], edge.token, edge.score) for edge in edges]
        return [("The lattice: every token that fits", Table(columns, rows))]
    tokenizer = BPEBase()
    with warnings.catch_warnings():
        # A short text may have fewer pairs.
        warnings.simplefilter("ignore", VocabularyNotReached)
        train_exact(tokenizer, text, tokenizer.base_vocab_size + STILL_MERGES, progress=False)
    states: list[tuple[str, Any]] = [
        (f"After merge {number}" if number else "The text as bytes", TokenStrip(tokenizer, ids))
        for number, (_, ids, _) in enumerate(encoding_steps(tokenizer, text))
    ]
    if view == "encode":
        return [("Encoded with the merges of this text", trace(tokenizer, text))]
    return states if view == "merge" else states[-1:]


def _script(source: str) -> str:
    """Puts a frame with the view in the place of the still picture, as soon as the page in it says that it is ready."""
    # No text can end the element that holds the script.
    address = json.dumps(source).replace("<", "\\u003c")
    return f"""
for (const place of document.querySelectorAll(".g2c-lab:not([data-ready])")) {{
  place.dataset.ready = "";
  const frame = document.createElement("iframe");
  frame.src = {address};
  frame.title = "g2c lab";
  frame.style = "width:100%;height:0;border:0";
  window.addEventListener("message", (event) => {{
    if (event.source !== frame.contentWindow) return;
    place.firstChild.hidden = true;
    frame.style.height = "{HEIGHT}px";
  }});
  place.append(frame);
}}
"""


@lru_cache(maxsize=1)
def _address() -> str:
    """The address of a lab that runs as long as this process."""
    # A kernel may be killed. Its end of the pipe to the standard input is closed then, too.
    command = [sys.executable, "-m", "g2c", "lab", "--no-browser", "--until-input-ends"]
    process = subprocess.Popen(
        command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    atexit.register(process.terminate)
    assert process.stdout is not None and process.stderr is not None, "the process is started with pipes"
    found = re.search(r"http\S+", process.stdout.readline())
    if found is None:
        raise CourseError(process.stderr.read().strip() or "g2c lab has ended.")
    return found[0]
