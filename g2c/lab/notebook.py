"""The lab in a notebook: `lab("merge", text)` is a cell with that view, and a still picture where no lab can run."""

import atexit
import json
import os
import re
import subprocess
import sys
import warnings
from functools import lru_cache
from urllib.parse import urlencode

from g2c.common.errors import CourseError, VocabularyNotReached
from g2c.common.paths import REPOSITORY
from g2c.engine.exact import train_exact
from g2c.lab.pages import VIEWS
from g2c.lab.traces import encoding_steps
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.show import TokenStrip

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
    nobody looks, as by `./noteboosh.sh --run`, there is nothing else. The picture of the view Merge shows the first
    merges; that of another view is a sentence.
    """

    def __init__(self, view: str, text: str, address: str | None) -> None:
        self.view, self.text, self.address = view, text, address

    def __repr__(self) -> str:
        return "\n".join(
            [f"<the view {self.view} of g2c lab>", *(f"{title}\n{strip}" for title, strip in self._states())]
        )

    def _repr_html_(self) -> str:
        states = "".join(f"<b>{title}</b>{strip._repr_html_()}" for title, strip in self._states())
        still = f"<div>{states or f'Here the view {self.view} of g2c lab appears while the notebook runs.'}</div>"
        if self.address is None:
            return still
        base, _, token = self.address.partition("?token=")
        source = f"{base}{self.view}?{urlencode({'text': self.text, 'token': token})}"
        return f'<div class="g2c-lab">{still}</div><script>{_script(source)}</script>'

    def _states(self) -> list[tuple[str, TokenStrip]]:
        """Of the view Merge, the text after each of the first merges that are learned from it, with a title."""
        if self.view != "merge":
            return []
        tokenizer = BPEBase()
        with warnings.catch_warnings():
            # A short text may have fewer pairs.
            warnings.simplefilter("ignore", VocabularyNotReached)
            train_exact(tokenizer, self.text, tokenizer.base_vocab_size + STILL_MERGES, progress=False)
        return [
            (f"After merge {number}" if number else "The text as bytes", TokenStrip(tokenizer, step.ids))
            for number, step in enumerate(encoding_steps(tokenizer, self.text))
        ]


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
  frame.allow = "clipboard-write";
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
