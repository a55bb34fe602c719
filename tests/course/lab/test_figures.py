"""Figures: they show the numbers that were given, and are drawn without a warning."""

import pytest

from g2c.lab.figures import compression_figure, frequency_figure, lines_figure, merge_tree_figure
from g2c.solutions.bpe import BPETokenizer
from g2c.solutions.word_bpe import WordBPETokenizer


def drawn(figure, tmp_path) -> None:
    """Draw the figure, with every warning an error: a missing glyph or a layout that does not fit."""
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


@pytest.mark.filterwarnings("error")
def test_compression_figure(tmp_path):
    figure = compression_figure({"seen": {512: 1.8, 4096: 3.1, 1024: 2.2}, "held out": {512: 1.7, 4096: 2.6}})
    seen, held_out = figure.axes[0].lines
    assert list(seen.get_xdata()) == [512, 1024, 4096] and list(seen.get_ydata()) == [1.8, 2.2, 3.1]
    assert list(held_out.get_ydata()) == [1.7, 2.6]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["512", "1,024", "4,096"]
    drawn(figure, tmp_path)


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
