"""Tokens and merges as text, colour, tables and figures: in a terminal, in a notebook, and without colour too.

>>> from g2c.tokenizer import BPETokenizer
>>> from g2c.tokenizer.display import explain, merge_tree, show_tokens
>>> tokenizer = BPETokenizer()
>>> _ = tokenizer.train("the the the", 259)
>>> show_tokens(tokenizer, "the then")
│the␣│the│n│
"""

import html
import io
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from g2c.progress import in_notebook

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from g2c.tokenizer.base import BPEBase

BORDER = "│"
_COLOURS = ("#cfe3ff", "#ffe3b8", "#cdeccd", "#f6cfe0", "#e2d6f7")
_COLOUR_OF_SPECIAL_TOKENS = "#d0d0d0"
_PLAIN_WIDTH = 110


# --- one token --------------------------------------------------------------------------------------------------------


def token_text(token: bytes, *, longest: int | None = None) -> str:
    r"""The bytes of a token as text that is safe to show, on one line.

    A space is shown as ␣. Control characters and other characters without a shape of their own are written as Python
    writes them (\n, \t, \x1b, \u200b), and so are bytes that are not a whole UTF-8 character (\xf0). A backslash
    that stands in the token is doubled. With `longest`, text of more characters than that is cut off with an ….

    >>> print(token_text(b" the"), token_text(b"\n"), token_text("é".encode()), token_text(b"\xc3"))
    ␣the \n é \xc3
    """
    # surrogateescape turns a byte that is not valid UTF-8 into one of the characters U+DC80 to U+DCFF.
    text = "".join(_visible(character) for character in bytes(token).decode("utf-8", errors="surrogateescape"))
    # A combining mark needs something to sit on, else it would join the border or word before it.
    if text and unicodedata.category(text[0]).startswith("M"):
        text = "◌" + text
    return text if longest is None or len(text) <= longest else text[: longest - 1] + "…"


def _visible(character: str) -> str:
    code = ord(character)
    if character in _SHOWN_AS:
        return _SHOWN_AS[character]
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if character.isprintable():
        return character
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# The signs that stand for something else, the backslash and ␣, are escaped: what is shown has one meaning only.
_SHOWN_AS = {" ": "␣", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", "␣": "\\u2423"}


def token_bytes(tokenizer: "BPEBase", token_id: int) -> bytes:
    """The bytes of a token ID. ValueError when there is no such token."""
    try:
        return tokenizer.vocab[token_id]
    except KeyError:
        raise ValueError(f"There is no token with ID {token_id} in this vocabulary of {tokenizer.vocab_size}.") from None


# --- a text, cut into tokens ------------------------------------------------------------------------------------------


def show_tokens(tokenizer: "BPEBase", text_or_ids: str | Iterable[int], *, limit: int | None = 1000) -> None:
    """Show a text cut into its tokens, in colour and with a border between every two of them.

    In a terminal this prints; in a notebook it is an output of the cell, where pointing at a token tells its ID.

    Args:
        tokenizer: a trained tokenizer.
        text_or_ids: a text, which is encoded with the tokenizer's `encode`, or token IDs.
        limit: show at most this many tokens and say how many more there are; None shows all.
    """
    _show(TokenStrip(tokenizer, text_or_ids, limit=limit))


class TokenStrip:
    """What `show_tokens` shows, as an object: `str()` gives plain text, rich and Jupyter find their own forms of it."""

    def __init__(self, tokenizer: "BPEBase", text_or_ids: str | Iterable[int], *, limit: int | None = 1000) -> None:
        ids = tokenizer.encode(text_or_ids) if isinstance(text_or_ids, str) else [int(i) for i in text_or_ids]
        shown = ids if limit is None else ids[:limit]
        self.more = len(ids) - len(shown)
        self.tokens = [(token_id, token_bytes(tokenizer, token_id)) for token_id in shown]
        self.special_token_ids = tokenizer.special_token_ids

    def __str__(self) -> str:
        return self.__rich__().plain

    __repr__ = __str__

    def __rich__(self) -> Text:
        strip = Text(BORDER, overflow="fold")
        for position, (token_id, token) in enumerate(self.tokens):
            strip.append("\n".join(_lines(token)), style=f"black on {self._colour(position, token_id)}")
            strip.append(BORDER)
            if token.endswith(b"\n") and position + 1 < len(self.tokens):
                strip.append("\n" + BORDER)
        if self.more:
            strip.append(f"\n{self._more_text()}")
        return strip

    def _repr_html_(self) -> str:
        parts = []
        for position, (token_id, token) in enumerate(self.tokens):
            parts.append(
                f'<span title="ID {token_id}" style="background:{self._colour(position, token_id)};color:#111;'
                'border:1px solid #555;border-radius:3px;padding:1px 2px;margin:0 1px">'
                f"{'<br>'.join(html.escape(line) for line in _lines(token))}</span>{_HTML_BORDER}"
            )
            if token.endswith(b"\n"):
                parts.append("<br>")
        if self.more:
            parts.append(f"<br>{self._more_text()}")
        return (
            '<div style="font-family:monospace;line-height:1.9;white-space:pre-wrap;overflow-wrap:anywhere">'
            + "".join(parts)
            + "</div>"
        )

    def _colour(self, position: int, token_id: int) -> str:
        return _COLOUR_OF_SPECIAL_TOKENS if token_id in self.special_token_ids else _COLOURS[position % len(_COLOURS)]

    def _more_text(self) -> str:
        return f"… and {self.more:,} more tokens"


def _lines(token: bytes) -> list[str]:
    """The token's text, cut after each line end inside it: such a token goes on in the next line."""
    *ended, last = token.split(b"\n")
    if ended and not last:
        last = ended.pop() + b"\n"
    return [token_text(line + b"\n") for line in ended] + [token_text(last)]


# Invisible where styles are shown; where they are stripped, as on some web sites, this character is the border.
_HTML_BORDER = f'<span style="font-size:0">{BORDER}</span><wbr>'


# --- tables -----------------------------------------------------------------------------------------------------------


class Table:
    """Rows and columns that show as a table in a terminal, in a notebook and as plain text.

    Args:
        columns: name -> format of its cells as in `format`: "" for text; "d", ",d" or ".2f" for numbers.
        rows: one sequence of cells for each row.

    >>> Table({"token": "", "count": ",d"}, [("the␣", 1234)])
     token   count
    ───────────────
     the␣    1,234
    """

    def __init__(self, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        self.columns = dict(columns)
        self.rows = [
            [format(cell, spec) for cell, spec in zip(row, self.columns.values(), strict=True)] for row in rows
        ]

    def __rich__(self) -> RichTable:
        table = RichTable(box=box.SIMPLE_HEAD, show_edge=False)
        for name, spec in self.columns.items():
            table.add_column(Text(name), justify="right" if spec else "left", overflow="fold")
        for row in self.rows:
            table.add_row(*(Text(cell) for cell in row))
        return table

    def __str__(self) -> str:
        plain = io.StringIO()
        Console(file=plain, width=_PLAIN_WIDTH, color_system=None, force_jupyter=False).print(self)
        return "\n".join(line.rstrip() for line in plain.getvalue().splitlines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        aligned = [f' style="text-align:{"right" if spec else "left"}"' for spec in self.columns.values()]
        head = "".join(f"<th{style}>{html.escape(name)}</th>" for name, style in zip(self.columns, aligned))
        body = "".join(
            "<tr>" + "".join(f"<td{style}>{html.escape(cell)}</td>" for cell, style in zip(row, aligned)) + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def explain(tokenizer: "BPEBase", text_or_ids: str | Iterable[int]) -> Table:
    """A table of the tokens of a text: each token, its ID, its bytes in hexadecimal, and the merge that made it.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> _ = tokenizer.train("the the the", 259)
    >>> explain(tokenizer, "the n")
     token    ID   bytes         made by
    ─────────────────────────────────────────────────────────
     the␣    258   74 68 65 20   merge 3: the (257) + ␣ (32)
     n       110   6e            a byte
    """
    makers = _makers(tokenizer)
    strip = TokenStrip(tokenizer, text_or_ids, limit=None)
    rows = []
    for token_id, token in strip.tokens:
        if token_id in makers:
            number, pair = makers[token_id]
            left, right = (f"{token_text(tokenizer.vocab[part])} ({part})" for part in pair)
            made_by = f"merge {number}: {left} + {right}"
        else:
            made_by = "a special token" if token_id in tokenizer.special_token_ids else "a byte"
        rows.append((token_text(token), token_id, token.hex(" "), made_by))
    return Table({"token": "", "ID": "d", "bytes": "", "made by": ""}, rows)


def merge_tree(tokenizer: "BPEBase", token: int | str | bytes) -> str:
    """How a token was built, as a tree: under each token the two that were merged into it, down to single bytes.

    Args:
        tokenizer: a trained tokenizer.
        token: a token ID, or the text or bytes of one token.

    Raises:
        ValueError: there is no such token.

    >>> from g2c.tokenizer import BPETokenizer
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
    # (token ID, what stands before it, what stands before the lines under it); the last entry is the next to be drawn.
    waiting = [(_find_token(tokenizer, token), "", "")]
    while waiting:
        token_id, before, below = waiting.pop()
        lines.append(f"{before}{token_text(token_bytes(tokenizer, token_id))} ({token_id})")
        if token_id in makers:
            left, right = makers[token_id][1]
            waiting.append((right, below + "└── ", below + "    "))
            waiting.append((left, below + "├── ", below + "│   "))
    return "\n".join(lines)


def _makers(tokenizer: "BPEBase") -> dict[int, tuple[int, tuple[int, int]]]:
    """Token ID -> number of the merge that made it, counted from 1, and its pair."""
    return {new_id: (number, pair) for number, (pair, new_id) in enumerate(tokenizer.merges.items(), start=1)}


def _find_token(tokenizer: "BPEBase", token: int | str | bytes) -> int:
    if not isinstance(token, (str, bytes)):
        return token
    wanted = token.encode("utf-8") if isinstance(token, str) else token
    for token_id, known in tokenizer.vocab.items():
        if known == wanted:
            return token_id
    raise ValueError(f"There is no token {token_text(wanted)!r} in this vocabulary; encode() cuts it into several.")


# --- figures ----------------------------------------------------------------------------------------------------------


def compression_figure(lines: Mapping[str, Mapping[int, float]]) -> "Figure":
    """Draw how many bytes one token stands for, against the size of the vocabulary.

    Args:
        lines: for each line, its name in the legend -> vocabulary size -> bytes of a text divided by its tokens.
    """
    figure, axes = _new_figure()
    for name, bytes_per_token in lines.items():
        sizes = sorted(bytes_per_token)
        axes.plot(sizes, [bytes_per_token[size] for size in sizes], marker="o", label=name)
    all_sizes = sorted({size for line in lines.values() for size in line})
    axes.set_xscale("log", base=2)
    axes.set_xticks(all_sizes, [f"{size:,}" for size in all_sizes])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("vocabulary size (logarithmic)")
    axes.set_ylabel("bytes per token")
    axes.set_title("Compression against vocabulary size")
    if lines:
        axes.legend()
    return figure


def frequency_figure(tokenizer: "BPEBase", ids: Iterable[int]) -> "Figure":
    """Draw how often each token is used, from the most frequent to the rarest, on logarithmic axes.

    Args:
        tokenizer: the tokenizer that made the IDs.
        ids: token IDs of a text, at least one.
    """
    ranked = Counter(int(token_id) for token_id in ids).most_common()
    if not ranked:
        raise ValueError("There are no token IDs to draw: the text is empty.")
    figure, axes = _new_figure()
    axes.plot(range(1, len(ranked) + 1), [count for _, count in ranked], color="#2b6cb0")
    rank = 1
    while rank <= len(ranked):
        token_id, count = ranked[rank - 1]
        # Fonts for figures lack many scripts, and "$" would start a formula.
        label = _latin(token_text(token_bytes(tokenizer, token_id), longest=12))
        axes.plot([rank], [count], marker="o", color="#2b6cb0")
        axes.annotate(label, (rank, count), textcoords="offset points", xytext=(6, 4), parse_math=False)
        rank *= 4
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.margins(x=0.12, y=0.12)
    axes.set_xlabel("rank of the token (1 = most frequent)")
    axes.set_ylabel("how often it occurs")
    axes.set_title("Token frequencies")
    return figure


def _latin(text: str) -> str:
    return "".join(c if ord(c) < 0x250 or c in "␣…" else c.encode("ascii", "backslashreplace").decode() for c in text)


def _new_figure():
    """An empty figure that nobody else draws into. Returned from a cell, a notebook shows it once."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    pyplot.close(figure)
    axes.grid(True, alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


# --- where it is shown ------------------------------------------------------------------------------------------------


def _show(view: TokenStrip | Table) -> None:
    if in_notebook():
        from IPython.display import display

        display(view)
    elif sys.stdout.isatty():
        Console().print(view)
    else:
        print(view)
