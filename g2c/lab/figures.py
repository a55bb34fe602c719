"""Draws figures for notebooks: compression, lines, bars and merge trees.

Each is a `Chart`, dark on white in light and dark notebooks, with a description in words. Lines differ in their markers
and dashes as well as in color.
"""

import html
import io
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from cycler import cycler
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from g2c.tokenizer.show import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from g2c.tokenizer.word_bpe import Trace

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
"""Colors that color-blind readers can tell apart (Okabe and Ito 2008)."""
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)))
HATCHES = ("", "//", "..", "xx")
INK = "#444444"
"""For text and axes."""
CHART_STYLE: Any = {
    **dict.fromkeys(["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], INK),
    **dict.fromkeys(["grid.color", "legend.edgecolor", "legend.labelcolor"], INK),
    **dict.fromkeys(["axes.spines.top", "axes.spines.right", "text.parse_math"], False),
    **{"axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True},
    "axes.prop_cycle": cycler(color=PALETTE, marker="osD^v", linestyle=DASHES),
}
"""Applies when a chart is made and when it is drawn. Text between "$" is not read as a formula."""
MODEL_WIDTH = 384
"""The width of the model whose cost `compression_figure` plots."""


class Chart(Figure):
    """Shows a matplotlib figure, with a `description` in words for readers who cannot see it."""

    description = "A chart."

    @rc_context(CHART_STYLE)
    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        # As HTML, because JupyterLab gives an image/png no description.
        png = io.BytesIO()
        self.savefig(png, format="png", dpi=100)
        source = f"data:image/png;base64,{b64encode(png.getvalue()).decode('ascii')}"
        picture = f'<img alt="{html.escape(self.description)}" src="{source}">'
        return {"text/html": picture, "text/plain": f"<{self.description}>"}


@rc_context(CHART_STYLE)
def compression_figure(lines: Mapping[str, Mapping[int, float]]) -> Chart:
    """Plot `lines`, name in the legend -> vocabulary size -> bytes per token, and beside them the cost of each size.

    The cost is the number of weights in the embedding table and the output layer of a model of width `MODEL_WIDTH`,
    which have one row each for every token. On linear axes the cost is a straight line, and the gain is not.
    """
    sizes = sorted({size for line in lines.values() for size in line})
    costs = {size: 2 * MODEL_WIDTH * size / 1e6 for size in sizes}
    chart = Chart(figsize=(9, 4), layout="constrained", facecolor="white")
    gain, cost = chart.subplots(1, 2)
    gain.set(title="What it gains", ylabel="bytes per token")
    cost.set(title="What it costs", ylabel=f"numbers to train, millions (width {MODEL_WIDTH})")
    _plot_lines(gain, lines)
    cost.plot(sizes, list(costs.values()), "D-", color=PALETTE[2], clip_on=False)
    for axes in (gain, cost):
        axes.set(xlabel="vocabulary size", xlim=(0, None), ylim=(0, None))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.locator_params(axis="x", nbins=5)
    chart.description = (
        f"Two line charts over the vocabulary size. Bytes per token: {_in_words(lines)}. "
        f"Millions of numbers to train: {_in_words({f'a model of width {MODEL_WIDTH}': costs})}."
    )
    return chart


@rc_context(CHART_STYLE)
def lines_figure(
    lines: Mapping[str, Mapping[Any, float]],
    *,
    x: str,
    y: str,
    title: str,
    scale: Literal["linear", "log", "doubling"] = "linear",
) -> Chart:
    """Plot `lines`, name in the legend -> x -> y. A line without points is left out.

    Args:
        scale: "linear": both axes begin at 0, and each line ends with its last value; "log": both are logarithmic, with
            the last values too; "doubling": only x is logarithmic, and a ring marks the lowest point of each line.
    """
    lines = {name: points for name, points in lines.items() if points}
    chart, axes = _chart(title, x, y, height=5 if scale == "doubling" else 4)
    _plot_lines(axes, lines)
    chart.description = f"{title}: {y} against {x}. {_in_words(lines)}."
    if scale == "linear":
        axes.set(xlim=(0, None), ylim=(0, None))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.yaxis.set_major_formatter("{x:,.0f}")
    else:
        axes.set_xscale("log", base=10 if scale == "log" else 2)
        places = sorted({place for points in lines.values() for place in points})
        axes.set_xticks(places, [f"{place:,}" for place in places])
        axes.xaxis.set_minor_locator(NullLocator())
    if scale == "log":
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=[1, 2, 5]))
        axes.yaxis.set_major_formatter("{x:,g}")
        axes.yaxis.set_minor_locator(NullLocator())
        axes.margins(x=0.12)
    lowest = []
    for name, points in lines.items():
        if scale == "doubling":
            size = min(points, key=points.__getitem__)
            axes.plot(size, points[size], "o", ms=14, markerfacecolor="none", markeredgecolor=INK, clip_on=False)
            lowest.append(f"{name}, {_number(points[size])} at {size:,}")
        else:
            end = max(points.items())
            axes.annotate(_number(end[1], 2), end, textcoords="offset points", xytext=(7, 1))
    if lowest:
        chart.description += f" Lowest, with a ring: {'; '.join(lowest)}."
    return chart


@rc_context(CHART_STYLE)
def bars_figure(groups: Mapping[str, Mapping[str, float]], *, x: str, title: str) -> Chart:
    """Plot `groups`, name in the legend -> label of a group -> length, as horizontal bars in groups."""
    labels = list(dict.fromkeys(label for bars in groups.values() for label in bars))
    chart, axes = _chart(title, x, height=1.4 + 0.5 * len(labels))
    height = 0.8 / len(groups)
    for position, (name, bars) in enumerate(groups.items()):
        places = [place + (position - (len(groups) - 1) / 2) * height for place in range(len(labels))]
        lengths = [bars.get(label, 0) for label in labels]
        hatch = HATCHES[position % len(HATCHES)]
        axes.barh(places, lengths, height, label=name, edgecolor="white", linewidth=0, hatch=hatch)
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.legend()
    bars_in_words = (
        f"{label}: " + ", ".join(f"{name} {bars.get(label, 0):,.0f}" for name, bars in groups.items())
        for label in labels
    )
    chart.description = f"{title}, {x}. " + "; ".join(bars_in_words) + "."
    return chart


@rc_context(CHART_STYLE)
def merge_tree_figure(trace: "Trace") -> Chart:
    """Draw how the merges in `trace`, from `WordBPETokenizer.trace`, build the tokens of a word, step by step."""
    word = latin("".join(trace[0]))
    steps = [f"{step}   {latin(left)} + {latin(right)}" for step, (left, right) in enumerate(trace.merges, start=1)]
    chart, axes = _chart(f"{word}: from characters to tokens (green)", height=1.2 + 0.5 * (len(steps) + 1))

    def draw(symbol: str, x: float, y: float, color: str) -> None:
        box = {"boxstyle": "round,pad=0.3", "facecolor": color, "edgecolor": "#555"}
        axes.text(x, y, latin(symbol), bbox=box, ha="center", va="center", family="monospace", color="#111", zorder=2)

    # Symbol, x and y.
    places: list[tuple[str, float, float]] = [(symbol, x, 0) for x, symbol in enumerate(trace[0])]
    for step, pair in enumerate(trace.merges, start=1):
        before, places = places, []
        for place in before:
            places.append(place)
            parts = places[-2:]
            if tuple(symbol for symbol, _, _ in parts) == pair:
                x = sum(part_x for _, part_x, _ in parts) / 2
                for symbol, part_x, part_y in parts:
                    axes.plot([x, part_x], [step, part_y], "-", color=INK, zorder=1)
                    draw(symbol, part_x, part_y, COLORS[0])
                places[-2:] = [("".join(pair), x, step)]
    for symbol, x, y in places:
        draw(symbol, x, y, COLORS[2])
    axes.set(xlim=(-0.7, len(trace[0]) - 0.3), ylim=(-0.6, len(steps) + 0.6), xticks=[])
    axes.set_yticks(range(len(steps) + 1), ["characters", *steps])
    axes.spines["bottom"].set_visible(False)
    axes.grid(False, axis="x")
    tokens = ", ".join(latin(symbol) for symbol, _, _ in places)
    chart.description = f"Tree of the merges of {word}, from its characters to the tokens {tokens}. " + "; ".join(steps)
    return chart


def latin(text: str) -> str:
    """Escape every character that the fonts of figures may lack."""
    return "".join(c if ord(c) < 0x250 or c in "␣…→" else c.encode("ascii", "backslashreplace").decode() for c in text)


def _chart(title: str, x: str = "", y: str = "", *, height: float = 4) -> "tuple[Chart, Axes]":
    """Make a chart with empty axes. pyplot does not know it, so a notebook cell that returns it shows it once."""
    chart = Chart(figsize=(7, height), layout="constrained", facecolor="white")
    axes = chart.subplots()
    axes.set(title=title, xlabel=x, ylabel=y)
    return chart, axes


def _plot_lines(axes: "Axes", lines: Mapping[str, Mapping[Any, float]]) -> None:
    """Plot lines that differ in color, marker and dashes, each with about eight markers."""
    for name, points in lines.items():
        places, values = zip(*sorted(points.items()))
        axes.plot(places, values, markevery=max(1, len(places) // 8), clip_on=False, label=name)
    axes.legend()


def _in_words(lines: Mapping[str, Mapping[Any, float]]) -> str:
    """Describe the first and the last point of each line."""
    parts = []
    for name, points in lines.items():
        first, last = min(points), max(points)
        parts.append(f"{name}, from {_number(points[first])} at {first:,} to {_number(points[last])} at {last:,}")
    return "; ".join(parts)


def _number(value: float, digits: int = 3) -> str:
    """Write a number with so many significant digits, or more where its whole part has more."""
    return f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"
