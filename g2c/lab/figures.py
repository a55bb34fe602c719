"""Figures for notebooks and handouts: compression, token frequencies, merge trees, and tokens as rows of boxes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from g2c.common.text import token_text
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.show import COLORS, token_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from g2c.tokenizer.word_bpe import Trace

PICTURE_ROWS = 12
_PICTURE_COLUMNS = 72


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


def frequency_figure(tokenizer: BPEBase, ids: Iterable[int]) -> "Figure":
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
        label = latin(token_text(token_bytes(tokenizer, token_id), longest=12))
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


def rows_of(texts: list[str]) -> int:
    return 1 + max((row for _, row in _positions(texts)), default=0)


def strip_figure(title: str, texts: list[str], is_new: list[bool], rows: int) -> "Figure":
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
        colour = COLORS[1] if new else "white"
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
        steps.append(f"{step}   {latin(pair[0])} + {latin(pair[1])}")
        places = _join_places(axes, places, pair, step)
    for symbol, x, y in places:
        _symbol_box(axes, symbol, x, y, colour=COLORS[2])
    axes.set_xlim(-0.7, len(trace[0]) - 0.3)
    axes.set_ylim(-0.6, len(steps) + 0.6)
    axes.set_xticks([])
    axes.set_yticks(range(len(steps) + 1), ["characters", *steps], parse_math=False)
    axes.spines["bottom"].set_visible(False)
    axes.grid(False, axis="x")
    axes.set_title(f"{latin(''.join(trace[0]))}: from characters to tokens (green)", parse_math=False)
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
                _symbol_box(axes, symbol, part_x, part_y, colour=COLORS[0])
            joined.append(("".join(pair), x, step))
            position += 2
        else:
            joined.append(places[position])
            position += 1
    return joined


def _symbol_box(axes, symbol: str, x: float, y: float, *, colour: str) -> None:
    box = {"boxstyle": "round,pad=0.3", "facecolor": colour, "edgecolor": "#555"}
    centred = {"ha": "center", "va": "center"}
    axes.text(x, y, latin(symbol), **centred, family="monospace", color="#111", bbox=box, zorder=2, parse_math=False)


def latin(text: str) -> str:
    return "".join(c if ord(c) < 0x250 or c in "␣…→" else c.encode("ascii", "backslashreplace").decode() for c in text)


def _new_figure():
    """An empty figure that nobody else draws into. Returned from a cell, a notebook shows it once."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    pyplot.close(figure)
    axes.grid(True, alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes
