"""Showing a BPETokenizer's tokens as text, color, tables and trees, in a terminal, a notebook or plain text.

>>> from g2c.tokenizer import BPETokenizer
>>> from g2c.tokenizer.show import explain, merge_tree, show_tokens
>>> tokenizer = BPETokenizer()
>>> _ = tokenizer.train("the the the", 259)
>>> show_tokens(tokenizer, "the then")
│the␣│the│n│
"""

import html
import re
import sys
from collections.abc import Iterable
from itertools import cycle

from rich.console import Console
from rich.text import Text

from coach.common.tables import DisplayTable
from g2c.common.progress import in_notebook
from g2c.common.text import token_text
from g2c.tokenizer.base import BPEBase, Pair
from g2c.tokenizer.checks import check_id

BORDER = "│"
COLORS = ("#cfe3ff", "#ffe3b8", "#cdeccd", "#f6cfe0", "#e2d6f7")
_SPECIAL_TOKEN_COLOR = "#d0d0d0"

MAX_SHOWN = 1000
"""The number of tokens that `show_tokens` shows at most. It says how many more there are."""


# --- text split into tokens -------------------------------------------------------------------------------------------


def token_bytes(tokenizer: BPEBase, token_id: int) -> bytes:
    """Return the bytes of a token. Raises what `check_id` raises."""
    check_id(token_id, tokenizer.vocab)
    return tokenizer.vocab[token_id]


def show_tokens(tokenizer: BPEBase, text_or_ids: str | Iterable[int]) -> None:
    """Show a text split into its tokens by the tokenizer's `encode`, in color, with a border between neighbors. In a
    notebook, hover over a token to see its ID. Raises ValueError if an ID has no token."""
    strip = TokenStrip(tokenizer, text_or_ids)
    if in_notebook():
        from IPython.display import display

        display(strip)
    elif sys.stdout.isatty():
        Console().print(strip)
    else:
        print(strip)


class TokenStrip:
    """Displays the tokens of a text: as plain text with `str()`, in color with rich, as HTML in Jupyter."""

    def __init__(self, tokenizer: BPEBase, text_or_ids: str | Iterable[int]) -> None:
        ids = tokenizer.encode(text_or_ids) if isinstance(text_or_ids, str) else map(int, text_or_ids)
        self.tokens = [(token_id, token_bytes(tokenizer, token_id)) for token_id in ids]
        shown, more = self.tokens[:MAX_SHOWN], len(self.tokens) - MAX_SHOWN
        self._more = f"\n… and {more:,} more tokens" if more > 0 else ""
        self._shown = []
        """Of each token: its ID, its text, its color, and whether the next one begins a new line."""
        for left, (token_id, token), color in zip(reversed(range(len(shown))), shown, cycle(COLORS)):
            # After a line break inside a token, its text goes on in the next line.
            text = "\n".join(map(token_text, re.findall(rb"[^\n]*\n|[^\n]+", token)))
            color = _SPECIAL_TOKEN_COLOR if token_id in tokenizer.special_token_ids else color
            self._shown.append((token_id, text, color, left > 0 and token.endswith(b"\n")))

    def __str__(self) -> str:
        return self.__rich__().plain

    __repr__ = __str__

    def __rich__(self) -> Text:
        strip = Text(BORDER, overflow="fold")
        for _, text, color, ends_line in self._shown:
            strip.append(text, style=f"black on {color}").append(f"{BORDER}\n{BORDER}" if ends_line else BORDER)
        return strip.append(self._more)

    def _repr_html_(self) -> str:
        parts = [
            f'<span title="ID {token_id}" style="background:{color};color:#111;border:1px solid #555;border-radius:3px;'
            f'padding:1px 2px;margin:0 1px">{html.escape(text)}</span>{HTML_BORDER}{"<br>" * ends_line}'
            for token_id, text, color, ends_line in self._shown
        ]
        style = "font-family:monospace;line-height:1.9;white-space:pre-wrap;overflow-wrap:anywhere"
        return f'<div style="{style}">{"".join(parts)}{self._more}</div>'


# Invisible, but where a website strips styles, this character is the border.
HTML_BORDER = f'<span style="font-size:0">{BORDER}</span><wbr>'


# --- tables -----------------------------------------------------------------------------------------------------------


def explain(tokenizer: BPEBase, text_or_ids: str | Iterable[int]) -> DisplayTable:
    """Make a table of a text's tokens: each one's ID, its bytes in hexadecimal, and the merge that created it.
    Arguments and errors are those of `show_tokens`.

    >>> tokenizer = BPETokenizer()
    >>> _ = tokenizer.train("the the the", 259)
    >>> explain(tokenizer, "the n")
     token    ID   bytes         made by
    ─────────────────────────────────────────────────────────
     the␣    258   74 68 65 20   merge 3: the (257) + ␣ (32)
     n       110   6e            a byte
    """
    makers = _makers(tokenizer)
    rows = []
    for token_id, token in TokenStrip(tokenizer, text_or_ids).tokens:
        if token_id in makers:
            number, pair = makers[token_id]
            left, right = (f"{token_text(token_bytes(tokenizer, part))} ({part})" for part in pair)
            made_by = f"merge {number}: {left} + {right}"
        elif token_id in tokenizer.special_token_ids:
            made_by = "a special token"
        else:
            made_by = "a byte" if len(token) == 1 else "a piece as a whole"
        rows.append((token_text(token), token_id, token.hex(" "), made_by))
    return DisplayTable({"token": "", "ID": "d", "bytes": "", "made by": ""}, rows)


def merge_tree(tokenizer: BPEBase, token: int | str | bytes) -> str:
    """Draw how a token, given by its ID, text or bytes, was built, as a tree. Below each token are the two that were
    merged into it. Raises ValueError if there is no such token.

    >>> tokenizer = BPETokenizer()
    >>> _ = tokenizer.train("the the the", 259)
    >>> print(merge_tree(tokenizer, "the"))
    the (257)
    ├── th (256)
    │   ├── t (116)
    │   └── h (104)
    └── e (101)
    """
    makers = _makers(tokenizer)
    lines = []
    # A stack of (token ID, prefix of its line, prefix of the lines below it).
    stack = [(_find_token(tokenizer, token), "", "")]
    while stack:
        token_id, prefix, below = stack.pop()
        lines.append(f"{prefix}{token_text(token_bytes(tokenizer, token_id))} ({token_id})")
        if token_id in makers:
            left, right = makers[token_id][1]
            stack.append((right, below + "└── ", below + "    "))
            stack.append((left, below + "├── ", below + "│   "))
    return "\n".join(lines)


def _makers(tokenizer: BPEBase) -> dict[int, tuple[int, Pair]]:
    """Return token ID -> (the number of the merge that created it, from 1; the merge's pair)."""
    return {new_id: (number, pair) for number, (pair, new_id) in enumerate(tokenizer.merges.items(), start=1)}


def _find_token(tokenizer: BPEBase, token: int | str | bytes) -> int:
    if not isinstance(token, (str, bytes)):
        return token
    wanted = token.encode("utf-8") if isinstance(token, str) else token
    found = next((token_id for token_id, known in tokenizer.vocab.items() if known == wanted), None)
    if found is None:
        what = token_text(wanted)
        raise ValueError(f"There is no token {what!r} in this vocabulary; encode() splits it into several tokens.")
    return found
