"""Figures: they show the numbers that were given, readably on light and dark pages, and in words."""

import base64
import html
import io
import re

import pytest
from matplotlib.image import imread

from g2c.lab import figures
from g2c.solutions.word_bpe import WordBPETokenizer

BANANA = WordBPETokenizer(end_of_word="_")
BANANA.merges = [("a", "n"), ("an", "a")]

AXES = {"x": "x", "y": "y", "title": "t"}
SIZES = {"seen": {512: 1.8, 4096: 3.1, 1024: 2.2}, "held out": {512: 1.7, 4096: 2.6}}
CHARTS = {
    "compression": lambda: figures.compression_figure(SIZES),
    "lines": lambda: figures.lines_figure({"words": {0: 0, 9: 25_670}, "characters": {0: 0, 9: 65}}, **AXES),
    "no line": lambda: figures.lines_figure({"words": {9: 25_670, 0: 0}, "none": {}}, **AXES),
    "log": lambda: figures.lines_figure({"plain": {10: 0.5, 100: 9}, "Rust": {10: 0.1, 100: 0.2}}, **AXES, scale="log"),
    "doubling": lambda: figures.lines_figure({"n = 1": {256: 4, 512: 3}}, **AXES, scale="doubling"),
    "bars": lambda: figures.bars_figure({"yours": {"English": 28}, "GPT-2": {"English": 20}}, x="tokens", title="t"),
    "tree": lambda: figures.merge_tree_figure(BANANA.trace("banana$")),
}


@pytest.mark.filterwarnings("error")  # such as a missing glyph, or a layout that does not fit
@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_readable_on_any_page_and_says_in_words_what_it_shows(name):
    chart = CHARTS[name]()
    stored = chart._repr_mimebundle_()
    assert set(stored) == {"text/html", "text/plain"}, "the picture is stored once"
    shown = re.fullmatch(r'<img alt="([^"<>]+)" src="data:image/png;base64,([^"]+)">', stored["text/html"])
    assert html.unescape(shown[1]) in stored["text/plain"] and len(shown[1]) > 30

    pixels = imread(io.BytesIO(base64.b64decode(shown[2])))
    assert (pixels[0, 0] == 1).all(), "the background is white, also in a dark notebook"
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (edge == 1).all(), "nothing is clipped at the edge"
    for axes in chart.axes:
        assert "log" not in (axes.get_xscale(), axes.get_yscale()) or not axes.containers, "a bar begins at 0"


def test_compression_figure():
    gain, cost = CHARTS["compression"]().axes
    seen, held_out = gain.lines
    assert list(seen.get_xdata()) == [512, 1024, 4096] and list(seen.get_ydata()) == [1.8, 2.2, 3.1]
    assert list(held_out.get_ydata()) == [1.7, 2.6]
    assert list(cost.lines[0].get_ydata()) == [2 * 384 * size / 1e6 for size in (512, 1024, 4096)]
    assert gain.get_xscale() == cost.get_xscale() == "linear", "on one axis the gain bends and the cost does not"


def test_lines_and_bars_differ_not_by_color_alone():
    for name in ("compression", "lines", "log"):
        lines = CHARTS[name]().axes[0].lines
        assert len({line.get_marker() for line in lines}) == len({line.get_linestyle() for line in lines}) == len(lines)
    bars = CHARTS["bars"]().axes[0].containers
    assert len({container.patches[0].get_hatch() for container in bars}) == 2


def test_merge_tree_figure():
    axes = CHARTS["tree"]().axes[0]
    boxes = [(box.get_text(), *box.get_position()) for box in axes.texts]
    leaves = [(symbol, x) for symbol, x, y in sorted(boxes, key=lambda box: box[1]) if y == 0]
    assert leaves == [(symbol, x) for x, symbol in enumerate("banana$_")]
    assert [box for box in boxes if box[2] > 0] == [("an", 3.5, 1), ("an", 1.5, 1), ("ana", 4.25, 2)]
    assert len(axes.lines) == 6
