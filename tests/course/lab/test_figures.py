"""Figures: they show the numbers that were given, and are drawn without a warning."""

import base64
import html
import io
import re

import numpy as np
import pytest
from matplotlib.image import imread

from g2c.lab.figures import (
    INK,
    bars_figure,
    compression_figure,
    frequency_figure,
    lines_figure,
    log_figure,
    merge_tree_figure,
    points_figure,
)
from g2c.solutions.bpe import BPETokenizer
from g2c.solutions.word_bpe import WordBPETokenizer


def drawn(figure, tmp_path) -> None:
    """Draw the figure, with every warning an error: a missing glyph or a layout that does not fit."""
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


@pytest.mark.filterwarnings("error")
def test_compression_figure(tmp_path):
    figure = compression_figure({"seen": {512: 1.8, 4096: 3.1, 1024: 2.2}, "held out": {512: 1.7, 4096: 2.6}})
    gain, cost = figure.axes
    seen, held_out = gain.lines
    assert list(seen.get_xdata()) == [512, 1024, 4096] and list(seen.get_ydata()) == [1.8, 2.2, 3.1]
    assert list(held_out.get_ydata()) == [1.7, 2.6]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["512", "1,024", "4,096"]
    assert list(cost.lines[0].get_ydata()) == [2 * 384 * size / 1e6 for size in (512, 1024, 4096)]
    drawn(figure, tmp_path)


CHARTS = {
    "compression": lambda: compression_figure({"seen": {512: 1.8, 4096: 3.1}, "held out": {512: 1.7, 4096: 2.6}}),
    "lines": lambda: lines_figure({"words": {0: 0, 9: 25_670}, "characters": {0: 0, 9: 65}}, x="x", y="y", title="t"),
    "log": lambda: log_figure({"plain": {10: 0.5, 100: 9}, "Rust": {10: 0.1, 100: 0.2}}, x="x", y="y", title="t"),
    "points": lambda: points_figure({"plain Python": 0.12, "Rust": 14}, x="megabytes per second", title="t"),
    "bars": lambda: bars_figure({"yours": {"English": 28}, "GPT-2": {"English": 20}}, x="tokens", title="t"),
    "frequency": lambda: frequency_figure(BPETokenizer(), b"the other side" * 9),
    "tree": lambda: merge_tree_figure(WordBPETokenizer().trace("word")),
}
charts = pytest.mark.parametrize("draw", CHARTS.values(), ids=CHARTS)


@pytest.mark.sample(2)
@charts
def test_a_chart_has_no_background_and_its_text_is_readable_on_white_and_on_black(draw):
    data, _ = draw()._repr_mimebundle_()
    pixels = imread(io.BytesIO(data["image/png"]))
    assert pixels[0, 0, 3] == 0 and np.mean(pixels[..., 3] == 0) > 0.5
    gray = int(INK[1:3], 16) / 255
    light = ((gray + 0.055) / 1.055) ** 2.4
    assert min(1.05 / (light + 0.05), (light + 0.05) / 0.05) > 4.5


@pytest.mark.sample(2)
@charts
def test_a_chart_says_in_words_what_it_shows(draw):
    data, metadata = draw()._repr_mimebundle_()
    assert metadata["image/png"]["alt"] in data["text/plain"]
    assert len(metadata["image/png"]["alt"]) > 30 and "Figure size" not in data["text/plain"]


@pytest.mark.sample(2)
@charts
def test_the_picture_that_jupyterlab_shows_has_the_words_as_its_alt_text(draw):
    """Of several representations JupyterLab takes text/html, and it ignores the metadata of an image/png."""
    data, metadata = draw()._repr_mimebundle_()
    pattern = r'<img alt="([^"<>]+)" src="data:image/png;base64,([^"]+)">'
    described, encoded = re.fullmatch(pattern, data["text/html"]).groups()
    assert html.unescape(described) == metadata["image/png"]["alt"]
    assert base64.b64decode(encoded) == data["image/png"]


@pytest.mark.sample(2)
@charts
def test_nothing_is_clipped_at_the_edge_of_a_chart(draw):
    pixels = imread(io.BytesIO(draw()._repr_mimebundle_()[0]["image/png"]))
    edges = [pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]]
    assert all((edge[..., 3] == 0).all() for edge in edges)


@pytest.mark.parametrize("name", ["compression", "lines", "log"])
def test_lines_differ_by_marker_and_dashes_and_not_by_color_alone(name):
    lines = CHARTS[name]().axes[0].lines
    assert len({line.get_marker() for line in lines}) == len({line.get_linestyle() for line in lines}) == len(lines)


def test_bars_differ_by_their_hatch():
    bars = CHARTS["bars"]().axes[0].containers
    assert len({container.patches[0].get_hatch() for container in bars}) == 2


@charts
def test_no_bar_is_on_a_logarithmic_axis(draw):
    for axes in draw().axes:
        assert "log" not in (axes.get_xscale(), axes.get_yscale()) or not axes.containers


def test_a_line_along_the_axis_is_visible_and_ends_with_its_value():
    axes = CHARTS["lines"]().axes[0]
    assert not any(line.get_clip_on() for line in axes.lines)
    assert [text.get_text() for text in axes.texts] == ["25,670", "65"]


def test_merge_tree_figure(tmp_path):
    tokenizer = WordBPETokenizer(end_of_word="_")
    tokenizer.merges = [("a", "n"), ("an", "a")]
    figure = merge_tree_figure(tokenizer.trace("banana$"))
    boxes = [(box.get_text(), *box.get_position()) for box in figure.axes[0].texts]
    leaves = [(symbol, x) for symbol, x, y in sorted(boxes, key=lambda box: box[1]) if y == 0]
    assert leaves == [(symbol, x) for x, symbol in enumerate("banana$_")]
    assert [box for box in boxes if box[2] > 0] == [("an", 3.5, 1), ("an", 1.5, 1), ("ana", 4.25, 2)]
    assert len(figure.axes[0].lines) == 6
    drawn(figure, tmp_path)


def test_merge_tree_figure_of_a_word_without_merges(tmp_path):
    drawn(merge_tree_figure(WordBPETokenizer().trace("你")), tmp_path)


def test_lines_figure(tmp_path):
    figure = lines_figure({"words": {0: 0, 2000: 30, 1000: 20}, "none": {}}, x="read", y="different", title="Growth")
    words, none = figure.axes[0].lines
    assert list(words.get_xdata()) == [0, 1000, 2000] and list(words.get_ydata()) == [0, 20, 30]
    assert list(none.get_xdata()) == []
    assert figure.axes[0].get_xlim()[0] == 0 and figure.axes[0].get_ylim()[0] == 0
    drawn(figure, tmp_path)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", ["the $the$ 中文 👋 \\ " * 9, "a", "a" * 300, "<|end|>"])
def test_frequency_figure(trained, tmp_path, text):
    figure = frequency_figure(trained, trained.encode(text))
    counts = list(figure.axes[0].lines[0].get_ydata())
    assert counts == sorted(counts, reverse=True) and sum(counts) == len(trained.encode(text))
    drawn(figure, tmp_path)


@pytest.mark.filterwarnings("error")
def test_frequency_figure_with_very_long_tokens(tmp_path):
    tokenizer = BPETokenizer()
    ids = tokenizer.train("the cat sat on the mat and the dog " * 40, 285, progress=False)
    drawn(frequency_figure(tokenizer, ids), tmp_path)


def test_no_frequencies_in_an_empty_text(trained):
    with pytest.raises(ValueError, match="no token IDs to plot"):
        frequency_figure(trained, [])
