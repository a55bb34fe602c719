"""Figures for notebooks and handouts: compression, token frequencies, merge trees, and tokens as rows of boxes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from g2c.common.text import token_text
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.show import COLORS, token_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from g2c.tokenizer.word_bpe import SymbolPair, Trace

    Place = tuple[str, float, float]

MAX_ROWS = 12
"""The number of rows of boxes that fit into a picture."""

_COLUMNS = 72


def compression_figure(lines: Mapping[str, Mapping[int, float]]) -> "Figure":
    """Plot bytes per token against vocabulary size.

    Args:
        lines: name in the legend -> vocabulary size -> bytes of a text divided by the number of its tokens.
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
    """Plot lines on linear axes that begin at 0.

    Args:
        lines: name in the legend -> x -> y.
        x, y: the labels of the axes.
        title: the title of the figure.
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
    """Plot horizontal bars in groups.

    Args:
        groups: name of a color in the legend -> label of a group -> length of the bar of this color in the group.
        x: the label of the axis.
        title: the title of the figure.
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
    """Plot how often each token occurs, from the most frequent to the rarest, on logarithmic axes.

    Args:
        tokenizer: the tokenizer that produced the IDs.
        ids: the token IDs of a text, at least one.

    Raises:
        ValueError: there are no IDs, or one is not a token of the tokenizer.
    """
    ranked = Counter(int(token_id) for token_id in ids).most_common()
    if not ranked:
        raise ValueError("There are no token IDs to plot: the text is empty.")
    figure, axes = _new_figure()
    axes.plot(range(1, len(ranked) + 1), [count for _, count in ranked], color="#2b6cb0")
    rank = 1
    while rank <= len(ranked):
        token_id, count = ranked[rank - 1]
        # Fonts for figures lack many scripts, and "$" would begin a formula.
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
    """Column and row of each box in a picture that is `_COLUMNS` wide."""
    column = row = 0
    positions = []
    for text in texts:
        width = len(text) + 1
        if column and column + width > _COLUMNS:
            column, row = 0, row + 1
        positions.append((column, row))
        column += width
    return positions


def rows_of(texts: list[str]) -> int:
    """The number of rows that boxes with these texts take in `strip_figure`."""
    return 1 + max((row for _, row in _positions(texts)), default=0)


def strip_figure(title: str, texts: list[str], is_new: list[bool], rows: int) -> "Figure":
    """Draw tokens as rows of boxes.

    Args:
        title: the text above the boxes.
        texts: the text of each box.
        is_new: for each box, whether to highlight it.
        rows: the height of the figure, in rows of boxes.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=(7, 0.6 + 0.45 * rows))
    axes = figure.add_axes((0.01, 0, 0.98, 1))
    axes.set_xlim(0, _COLUMNS)
    axes.set_ylim(rows, -1.2)
    axes.axis("off")
    axes.text(0, -0.5, title, va="center", fontsize=12, parse_math=False)
    for text, new, (column, row) in zip(texts, is_new, _positions(texts)):
        color = COLORS[1] if new else "white"
        corner = column + 0.1, row + 0.1
        axes.add_patch(Rectangle(corner, len(text) + 0.8, 0.8, facecolor=color, edgecolor="#555555"))
        middle = column + (len(text) + 1) / 2
        axes.text(middle, row + 0.5, text, family="monospace", ha="center", va="center", parse_math=False)
    return figure


def merge_tree_figure(trace: "Trace") -> "Figure":
    """Draw how merges build the tokens of a word: its characters at the bottom, each merge at the height of its step.

    Args:
        trace: the result of `WordBPETokenizer.trace`.
    """
    places: list[Place] = [(symbol, x, 0) for x, symbol in enumerate(trace[0])]
    figure, axes = _new_figure()
    steps = []
    for step, pair in enumerate(trace.merges, start=1):
        steps.append(f"{step}   {latin(pair[0])} + {latin(pair[1])}")
        places = _join_places(axes, places, pair, step)
    for symbol, x, y in places:
        _symbol_box(axes, symbol, x, y, color=COLORS[2])
    axes.set_xlim(-0.7, len(trace[0]) - 0.3)
    axes.set_ylim(-0.6, len(steps) + 0.6)
    axes.set_xticks([])
    axes.set_yticks(range(len(steps) + 1), ["characters", *steps], parse_math=False)
    axes.spines["bottom"].set_visible(False)
    axes.grid(False, axis="x")
    axes.set_title(f"{latin(''.join(trace[0]))}: from characters to tokens (green)", parse_math=False)
    return figure


def _join_places(axes: "Axes", places: "list[Place]", pair: "SymbolPair", step: int) -> "list[Place]":
    """Draw how `pair` is joined wherever it occurs, and return the places, (symbol, x, y), after this step."""
    joined: list[Place] = []
    position = 0
    while position < len(places):
        parts = places[position : position + 2]
        if tuple(symbol for symbol, _, _ in parts) == pair:
            x = sum(part_x for _, part_x, _ in parts) / 2
            for symbol, part_x, part_y in parts:
                axes.plot([x, part_x], [step, part_y], color="#888", zorder=1)
                _symbol_box(axes, symbol, part_x, part_y, color=COLORS[0])
            joined.append(("".join(pair), x, step))
            position += 2
        else:
            joined.append(places[position])
            position += 1
    return joined


def _symbol_box(axes: "Axes", symbol: str, x: float, y: float, *, color: str) -> None:
    box = {"boxstyle": "round,pad=0.3", "facecolor": color, "edgecolor": "#555"}
    centered: dict[str, Any] = {"ha": "center", "va": "center"}
    axes.text(x, y, latin(symbol), **centered, family="monospace", color="#111", bbox=box, zorder=2, parse_math=False)


def latin(text: str) -> str:
    """Text in which every character is escaped that the fonts of figures may lack."""
    return "".join(c if ord(c) < 0x250 or c in "␣…→" else c.encode("ascii", "backslashreplace").decode() for c in text)


def _new_figure() -> "tuple[Figure, Axes]":
    """An empty figure that is not pyplot's current one, so a notebook cell that returns it displays it once."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    pyplot.close(figure)
    axes.grid(True, alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes
