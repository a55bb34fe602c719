"""Tokens and merges as text, colour, tables and figures: in a terminal, in a notebook, and without colour too.

>>> from g2c.tokenizer import BPETokenizer
>>> from g2c.tokenizer.display import explain, merge_tree, show_tokens
>>> tokenizer = BPETokenizer()
>>> _ = tokenizer.train("the the the", 259)
>>> show_tokens(tokenizer, "the then")
│the␣│the│n│
"""

import base64
import html
import io
import os
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from g2c.progress import in_notebook

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from g2c.tokenizer.base import BPEBase
    from g2c.tokenizer.char_word import CharTokenizer
    from g2c.tokenizer.word_bpe import WordBPETokenizer

    AnyTokenizer = BPEBase | CharTokenizer | WordBPETokenizer
    from g2c.tokenizer.word_bpe import Trace

BORDER = "│"
_COLOURS = ("#cfe3ff", "#ffe3b8", "#cdeccd", "#f6cfe0", "#e2d6f7")
_COLOUR_OF_SPECIAL_TOKENS = "#d0d0d0"
_PLAIN_WIDTH = 110
_PICTURE_COLUMNS = 72
_PICTURE_ROWS = 12


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


def token_bytes(tokenizer: "AnyTokenizer", token_id: int) -> bytes:
    """The bytes of a token ID. ValueError when there is no such token."""
    try:
        return tokenizer.vocab[token_id] if hasattr(tokenizer, "vocab") else tokenizer.id_to_token[token_id].encode()
    except KeyError:
        size = tokenizer.vocab_size
        raise ValueError(f"There is no token with ID {token_id} in this vocabulary of {size}.") from None


def _special_ids(tokenizer: "AnyTokenizer") -> frozenset[int]:
    """The IDs of special tokens; for characters and words that of the unknown token."""
    if hasattr(tokenizer, "special_token_ids"):
        return tokenizer.special_token_ids
    names = getattr(tokenizer, "special_tokens", (tokenizer.unk_token,))
    return frozenset(tokenizer.token_to_id[name] for name in names if name in tokenizer.token_to_id)


# --- a text, cut into tokens ------------------------------------------------------------------------------------------


def show_tokens(tokenizer: "AnyTokenizer", text_or_ids: str | Iterable[int], *, limit: int | None = 1000) -> None:
    """Show a text cut into its tokens, in colour and with a border between every two of them.

    In a terminal this prints; in a notebook it is an output of the cell, where pointing at a token tells its ID.

    Args:
        tokenizer: a trained tokenizer of any module: bytes, characters, words, or BPE inside words.
        text_or_ids: a text, which is encoded with the tokenizer's `encode`, or token IDs.
        limit: show at most this many tokens and say how many more there are; None shows all.
    """
    _show(TokenStrip(tokenizer, text_or_ids, limit=limit))


class TokenStrip:
    """What `show_tokens` shows, as an object: `str()` gives plain text, rich and Jupyter find their own forms of it."""

    def __init__(
        self, tokenizer: "AnyTokenizer", text_or_ids: str | Iterable[int], *, limit: int | None = 1000
    ) -> None:
        ids = tokenizer.encode(text_or_ids) if isinstance(text_or_ids, str) else [int(i) for i in text_or_ids]
        shown = ids if limit is None else ids[:limit]
        self.more = len(ids) - len(shown)
        self.tokens = [(token_id, token_bytes(tokenizer, token_id)) for token_id in shown]
        self.special_token_ids = _special_ids(tokenizer)

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


def explain(tokenizer: "AnyTokenizer", text_or_ids: str | Iterable[int]) -> Table:
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
            left, right = (f"{token_text(token_bytes(tokenizer, part))} ({part})" for part in pair)
            made_by = f"merge {number}: {left} + {right}"
        elif token_id in strip.special_token_ids:
            made_by = "a special token"
        else:
            made_by = "a byte" if hasattr(tokenizer, "vocab") else "a symbol"
        rows.append((token_text(token), token_id, token.hex(" "), made_by))
    return Table({"token": "", "ID": "d", "bytes": "", "made by": ""}, rows)


def merge_tree(tokenizer: "AnyTokenizer", token: int | str | bytes) -> str:
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


def _makers(tokenizer: "AnyTokenizer") -> dict[int, tuple[int, tuple[int, int]]]:
    """Token ID -> number of the merge that made it, counted from 1, and its pair. Empty where nothing is merged."""
    if hasattr(tokenizer, "vocab"):
        return {new_id: (number, pair) for number, (pair, new_id) in enumerate(tokenizer.merges.items(), start=1)}
    ids, makers = tokenizer.token_to_id, {}
    for number, (left, right) in enumerate(getattr(tokenizer, "merges", ()), start=1):
        # Two merges can make the same text, which is one token: the first of them counts.
        if {left, right, left + right} <= ids.keys():
            makers.setdefault(ids[left + right], (number, (ids[left], ids[right])))
    return makers


def _find_token(tokenizer: "AnyTokenizer", token: int | str | bytes) -> int:
    if not isinstance(token, (str, bytes)):
        return token
    wanted = token.encode("utf-8") if isinstance(token, str) else token
    for token_id in tokenizer.vocab if hasattr(tokenizer, "vocab") else tokenizer.id_to_token:
        if token_bytes(tokenizer, token_id) == wanted:
            return token_id
    raise ValueError(f"There is no token {token_text(wanted)!r} in this vocabulary; encode() cuts it into several.")


# --- the merges of one encoding ---------------------------------------------------------------------------------------


def encoding_steps(tokenizer: "BPEBase", text: str) -> list[tuple[tuple[int, int] | None, list[int]]]:
    """Every state that a text goes through while it is encoded, from single bytes to the final IDs.

    Args:
        tokenizer: a trained tokenizer. Its `merges` are read; its `encode` is not called.
        text: a short text. Special tokens in it and the pattern's boundaries are walls.

    Returns:
        (pair, IDs) for each state: the pair that was merged to get there (None for the first state) and all IDs.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> _ = tokenizer.train("the the the", 259)
    >>> for pair, ids in encoding_steps(tokenizer, "the t"):
    ...     print(pair, ids)
    None [116, 104, 101, 32, 116]
    (116, 104) [256, 101, 32, 116]
    (256, 101) [257, 32, 116]
    (257, 32) [258, 116]
    """
    pieces = [[piece] if isinstance(piece, int) else list(piece) for piece in tokenizer._pieces(text)]
    steps = [(None, _joined(pieces))]
    while known := {pair for piece in pieces for pair in zip(piece, piece[1:]) if pair in tokenizer.merges}:
        pair = min(known, key=tokenizer.merges.get)
        pieces = [_replaced(piece, pair, tokenizer.merges[pair]) for piece in pieces]
        steps.append((pair, _joined(pieces)))
    return steps


def trace(tokenizer: "BPEBase", text: str) -> Table:
    """A table of the merges that fire while a text is encoded, in their order.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> _ = tokenizer.train("the the the", 259)
    >>> trace(tokenizer, "the t")
     step   merge                  tokens
    ───────────────────────────────────────────
        0   bytes                  │t│h│e│␣│t│
        1   t + h → th (256)       │th│e│␣│t│
        2   th + e → the (257)     │the│␣│t│
        3   the + ␣ → the␣ (258)   │the␣│t│
    """
    return Table(
        {"step": "d", "merge": "", "tokens": ""},
        [
            (number, _merge_text(tokenizer, pair), BORDER + "".join(shown + BORDER for shown in _shown(tokenizer, ids)))
            for number, (pair, ids) in enumerate(encoding_steps(tokenizer, text))
        ],
    )


class Animation:
    """Pictures that follow one another, as a GIF. In a notebook it plays; `save` writes it to a file."""

    def __init__(self, gif: bytes, description: str) -> None:
        self.gif = gif
        self.description = description

    def save(self, path: str | os.PathLike[str]) -> None:
        Path(path).write_bytes(self.gif)

    def __repr__(self) -> str:
        return f"<{self.description}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/gif": base64.b64encode(self.gif).decode("ascii"), "text/plain": repr(self)}


def trace_animation(tokenizer: "BPEBase", text: str, *, seconds: float = 1.2) -> Animation:
    """The merges that fire while a text is encoded, one picture for each.

    Args:
        tokenizer: a trained tokenizer.
        text: a short text, a line or so.
        seconds: how long each picture stays; the last one stays three times as long.

    Raises:
        ValueError: the text is too long for a picture.
    """
    from PIL import Image

    steps = encoding_steps(tokenizer, text)
    frames = [[_latin(shown) for shown in _shown(tokenizer, ids)] for _, ids in steps]
    rows = max(_rows(frame) for frame in frames)
    if rows > _PICTURE_ROWS:
        raise ValueError(f"The text is too long for a picture: {len(text)} characters. Take a line or so.")
    pictures = []
    for number, ((pair, ids), frame) in enumerate(zip(steps, frames)):
        title = f"{number}. {_merge_text(tokenizer, pair)}"
        is_new = [pair is not None and token_id == tokenizer.merges[pair] for token_id in ids]
        picture = io.BytesIO()
        _strip_figure(_latin(title), frame, is_new, rows).savefig(picture, format="png", dpi=80)
        pictures.append(Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE))
    gif = io.BytesIO()
    milliseconds = [round(seconds * 1000)] * (len(pictures) - 1) + [round(seconds * 3000)]
    pictures[0].save(gif, "GIF", save_all=True, append_images=pictures[1:], duration=milliseconds, loop=0)
    return Animation(gif.getvalue(), f"Animation of {len(steps) - 1} merges, {len(steps[-1][1])} tokens in the end")


def _joined(pieces: list[list[int]]) -> list[int]:
    return [token_id for piece in pieces for token_id in piece]


def _replaced(ids: list[int], pair: tuple[int, int], new_id: int) -> list[int]:
    replaced = []
    for token_id in ids:
        # A token that was just made equals no part of the pair, so no ID goes into two tokens.
        if replaced and (replaced[-1], token_id) == pair:
            replaced[-1] = new_id
        else:
            replaced.append(token_id)
    return replaced


def _shown(tokenizer: "BPEBase", ids: list[int]) -> list[str]:
    return [token_text(token_bytes(tokenizer, token_id)) for token_id in ids]


def _merge_text(tokenizer: "BPEBase", pair: tuple[int, int] | None) -> str:
    if pair is None:
        return "bytes"
    new_id = tokenizer.merges[pair]
    left, right, merged = _shown(tokenizer, [*pair, new_id])
    return f"{left} + {right} → {merged} ({new_id})"


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


def lines_figure(lines: Mapping[str, Mapping[float, float]], *, x: str, y: str, title: str) -> "Figure":
    """Draw lines over linear axes that begin at 0.

    Args:
        lines: for each line, its name in the legend -> x -> y.
        x, y: what the axes show.
        title: what stands above.
    """
    figure, axes = _new_figure()
    for name, points in lines.items():
        axes.plot(sorted(points), [points[place] for place in sorted(points)], marker=".", label=name)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title)
    if lines:
        axes.legend()
    return figure


def bars_figure(groups: Mapping[str, Mapping[str, float]], *, x: str, title: str) -> "Figure":
    """Draw horizontal bars in groups.

    Args:
        groups: for each colour, its name in the legend -> label of a group -> length of the bar there.
        x: what the lengths are.
        title: what stands above.
    """
    figure, axes = _new_figure()
    labels = list(dict.fromkeys(label for bars in groups.values() for label in bars))
    height = 0.8 / max(len(groups), 1)
    for position, (name, bars) in enumerate(groups.items()):
        places = [place + (position - (len(groups) - 1) / 2) * height for place in range(len(labels))]
        axes.barh(places, [bars.get(label, 0) for label in labels], height, label=name)
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlabel(x)
    axes.set_title(title)
    if groups:
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


def _positions(texts: list[str]) -> list[tuple[int, int]]:
    """Column and row of each token in a picture, `_PICTURE_COLUMNS` wide."""
    column = row = 0
    positions = []
    for text in texts:
        width = len(text) + 1
        if column and column + width > _PICTURE_COLUMNS:
            column, row = 0, row + 1
        positions.append((column, row))
        column += width
    return positions


def _rows(texts: list[str]) -> int:
    return 1 + max((row for _, row in _positions(texts)), default=0)


def _strip_figure(title: str, texts: list[str], is_new: list[bool], rows: int) -> "Figure":
    """Tokens as boxes, those just made in colour."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=(7, 0.6 + 0.45 * rows))
    axes = figure.add_axes((0.01, 0, 0.98, 1))
    axes.set_xlim(0, _PICTURE_COLUMNS)
    axes.set_ylim(rows, -1.2)
    axes.axis("off")
    axes.text(0, -0.5, title, va="center", fontsize=12, parse_math=False)
    for text, new, (column, row) in zip(texts, is_new, _positions(texts)):
        colour = _COLOURS[1] if new else "white"
        box = {"facecolor": colour, "edgecolor": "#555555"}
        axes.add_patch(Rectangle((column + 0.1, row + 0.1), len(text) + 0.8, 0.8, **box))
        middle = column + (len(text) + 1) / 2
        axes.text(middle, row + 0.5, text, family="monospace", ha="center", va="center", parse_math=False)
    return figure


def merge_tree_figure(trace: "Trace") -> "Figure":
    """Draw how the merges put a word together: its symbols at the bottom, each merge at the height of its step.

    Args:
        trace: what `WordBPETokenizer.trace` returns.
    """
    places = [(symbol, float(x), 0) for x, symbol in enumerate(trace[0])]
    figure, axes = _new_figure()
    steps = []
    for step, pair in enumerate(trace.merges, start=1):
        steps.append(f"{step}   {_latin(pair[0])} + {_latin(pair[1])}")
        places = _join_places(axes, places, pair, step)
    for symbol, x, y in places:
        _symbol_box(axes, symbol, x, y, colour=_COLOURS[2])
    axes.set_xlim(-0.7, len(trace[0]) - 0.3)
    axes.set_ylim(-0.6, len(steps) + 0.6)
    axes.set_xticks([])
    axes.set_yticks(range(len(steps) + 1), ["characters", *steps], parse_math=False)
    axes.spines["bottom"].set_visible(False)
    axes.grid(False, axis="x")
    axes.set_title(f"{_latin(''.join(trace[0]))}: from characters to tokens (green)", parse_math=False)
    return figure


def _join_places(axes, places: list, pair: tuple[str, str], step: int) -> list:
    """Draw the joining of `pair` at all its places, (symbol, x, y), and return the places after it."""
    joined = []
    position = 0
    while position < len(places):
        parts = places[position : position + 2]
        if tuple(symbol for symbol, _, _ in parts) == pair:
            x = sum(part_x for _, part_x, _ in parts) / 2
            for symbol, part_x, part_y in parts:
                axes.plot([x, part_x], [step, part_y], color="#888", zorder=1)
                _symbol_box(axes, symbol, part_x, part_y, colour=_COLOURS[0])
            joined.append(("".join(pair), x, step))
            position += 2
        else:
            joined.append(places[position])
            position += 1
    return joined


def _symbol_box(axes, symbol: str, x: float, y: float, *, colour: str) -> None:
    box = {"boxstyle": "round,pad=0.3", "facecolor": colour, "edgecolor": "#555"}
    centred = {"ha": "center", "va": "center"}
    axes.text(x, y, _latin(symbol), **centred, family="monospace", color="#111", bbox=box, zorder=2, parse_math=False)


def _latin(text: str) -> str:
    return "".join(c if ord(c) < 0x250 or c in "␣…→" else c.encode("ascii", "backslashreplace").decode() for c in text)


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
