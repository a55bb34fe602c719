"""The encoding of a text, merge by merge: as data, as a table, and as an animation.

These functions read a tokenizer's `merges` and never call its `encode`, so they show what a correct `encode` does.
"""

import base64
import io
import os
from pathlib import Path
from typing import Any

from g2c.common.text import token_text
from g2c.lab.figures import MAX_ROWS, latin, rows_of, strip_figure
from g2c.tokenizer.base import BPEBase, Pair
from g2c.tokenizer.show import BORDER, Table, token_bytes


def encoding_steps(tokenizer: BPEBase, text: str) -> list[tuple[Pair | None, list[int]]]:
    """Every state of a text as it is encoded, from single bytes to the final IDs.

    Args:
        tokenizer: a trained tokenizer. Its `merges` are read; its `encode` is not called.
        text: a short text. No merge crosses a special token in it or a boundary of the pattern.

    Returns:
        (pair, IDs) for each state: the pair whose merge led to it (None for the first state), and all IDs.

    Raises:
        TypeError, ValueError: the text is not valid.

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
    steps: list[tuple[Pair | None, list[int]]] = [(None, _concatenated(pieces))]
    while known := {pair for piece in pieces for pair in zip(piece, piece[1:]) if pair in tokenizer.merges}:
        pair = min(known, key=tokenizer.merges.__getitem__)
        pieces = [_merge(piece, pair, tokenizer.merges[pair]) for piece in pieces]
        steps.append((pair, _concatenated(pieces)))
    return steps


def trace(tokenizer: BPEBase, text: str) -> Table:
    """A table of the merges that are applied to encode a text, in order.

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
    rows = []
    for number, (pair, ids) in enumerate(encoding_steps(tokenizer, text)):
        strip = BORDER + "".join(token + BORDER for token in _token_texts(tokenizer, ids))
        rows.append((number, _merge_text(tokenizer, pair), strip))
    return Table({"step": "d", "merge": "", "tokens": ""}, rows)


class Animation:
    """An animated GIF, which plays in a notebook.

    Attributes:
        gif: the content of the file.
        description: a text to show instead.
    """

    def __init__(self, gif: bytes, description: str) -> None:
        self.gif = gif
        self.description = description

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the GIF to a file."""
        Path(path).write_bytes(self.gif)

    def __repr__(self) -> str:
        return f"<{self.description}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/gif": base64.b64encode(self.gif).decode("ascii"), "text/plain": repr(self)}


def trace_animation(tokenizer: BPEBase, text: str, *, seconds: float = 1.2) -> Animation:
    """An animation of the merges that are applied to encode a text, with a picture for each.

    Args:
        tokenizer: a trained tokenizer.
        text: a short text, about one line.
        seconds: how long each picture is shown; the last one is shown three times as long.

    Raises:
        ValueError: the text is too long for a picture.
    """
    from PIL import Image

    steps = encoding_steps(tokenizer, text)
    frames = [[latin(shown) for shown in _token_texts(tokenizer, ids)] for _, ids in steps]
    rows = max(rows_of(frame) for frame in frames)
    if rows > MAX_ROWS:
        raise ValueError(f"The text is too long for a picture: {len(text)} characters. Use about one line.")
    pictures = []
    for number, ((pair, ids), frame) in enumerate(zip(steps, frames)):
        title = f"{number}. {_merge_text(tokenizer, pair)}"
        is_new = [pair is not None and token_id == tokenizer.merges[pair] for token_id in ids]
        png = io.BytesIO()
        strip_figure(latin(title), frame, is_new, rows).savefig(png, format="png", dpi=80)
        pictures.append(Image.open(png).convert("P", palette=Image.Palette.ADAPTIVE))
    gif = io.BytesIO()
    milliseconds = [round(seconds * 1000)] * (len(pictures) - 1) + [round(seconds * 3000)]
    pictures[0].save(gif, "GIF", save_all=True, append_images=pictures[1:], duration=milliseconds, loop=0)
    return Animation(gif.getvalue(), f"Animation of {len(steps) - 1} merges, {len(steps[-1][1])} tokens in the end")


def _concatenated(pieces: list[list[int]]) -> list[int]:
    return [token_id for piece in pieces for token_id in piece]


def _merge(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    merged: list[int] = []
    for token_id in ids:
        # A new token is not part of the pair, so no ID is merged twice.
        if merged and (merged[-1], token_id) == pair:
            merged[-1] = new_id
        else:
            merged.append(token_id)
    return merged


def _token_texts(tokenizer: BPEBase, ids: list[int]) -> list[str]:
    return [token_text(token_bytes(tokenizer, token_id)) for token_id in ids]


def _merge_text(tokenizer: BPEBase, pair: Pair | None) -> str:
    if pair is None:
        return "bytes"
    new_id = tokenizer.merges[pair]
    left, right, merged = _token_texts(tokenizer, [*pair, new_id])
    return f"{left} + {right} → {merged} ({new_id})"
