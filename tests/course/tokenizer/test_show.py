"""Tokens shown as text, tables and trees: true, safe, and readable without color."""

import html
import re

import pytest

from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.show import BORDER, DisplayTable, TokenStrip, explain, merge_tree, show_tokens


@pytest.fixture(scope="module")
def trained() -> BPETokenizer:
    tokenizer = BPETokenizer(["<|end|>"])
    tokenizer.train("the the the", 260, progress=False)
    return tokenizer


def visible_text(markup: str) -> str:
    """What a reader sees of HTML without styles."""
    return html.unescape(re.sub("<[^>]*>", "", markup.replace("<br>", "\n")))


# --- show_tokens ------------------------------------------------------------------------------------------------------


def test_plain_text_has_a_border_between_every_two_tokens(trained, capsys):
    show_tokens(trained, "the then<|end|>")
    show_tokens(trained, iter([116, 104]))
    show_tokens(trained, "")
    assert capsys.readouterr().out == "│the␣│the│n│<|end|>│\n│t│h│\n│\n"


def test_a_token_with_a_line_end_inside_goes_on_in_the_next_line():
    tokenizer = BPETokenizer()
    tokenizer.train("x.\n\nFx.\n\nF", 260, progress=False)
    strip = TokenStrip(tokenizer, "x.\n\nF a\\n")
    assert str(strip) == "│x.\\n\n\\n\nF│␣│a│\\\\│n│"
    assert visible_text(strip._repr_html_()) == "x.\\n\n\\n\nF│␣│a│\\\\│n│"


def test_of_many_tokens_it_says_how_many_are_left_out(trained):
    strip = TokenStrip(trained, "a" * 5000)
    assert str(strip) == "│a" * 1000 + "│\n… and 4,000 more tokens"
    assert "… and 4,000 more tokens" in strip._repr_html_()
    assert len(explain(trained, "a" * 5000).rows) == 5000


def test_a_new_line_begins_after_a_token_that_ends_one_and_html_is_escaped_and_has_borders_without_styles(trained):
    strip = TokenStrip(trained, "the then\nx\n")
    assert str(strip) == "│the␣│the│n│\\n│\n│x│\\n│"
    assert visible_text(strip._repr_html_()).rstrip() == "the␣│the│n│\\n│\nx│\\n│"
    markup = TokenStrip(trained, "<script>alert('&')</script>\x1b")._repr_html_()
    assert visible_text(markup).replace(BORDER, "") == "<script>alert('&')</script>\\x1b"


IN_TERMINAL = """
from g2c.tokenizer import BPETokenizer
from g2c.tokenizer.show import show_tokens
show_tokens(BPETokenizer(), "a [red]b\\x1b[31m")
"""


def test_a_terminal_gets_colors_or_borders_and_no_raw_escapes(run_in_terminal):
    shown = run_in_terminal(IN_TERMINAL, G2C_SOLUTIONS="all")
    assert "\x1b[30;48;5;" in shown or "\x1b[30;48;2;" in shown
    assert "\x1b[31m" not in shown
    shown = run_in_terminal(IN_TERMINAL, G2C_SOLUTIONS="all", NO_COLOR="1")
    assert shown == "│a│␣│[│r│e│d│]│b│\\x1b│[│3│1│m│\n"


# --- tables and trees -------------------------------------------------------------------------------------------------


def test_explain_names_the_merge_behind_every_token(trained):
    table = explain(trained, "the n<|end|>\n")
    assert table.rows == [
        ["the␣", "259", "74 68 65 20", "merge 3: the (258) + ␣ (32)"],
        ["n", "110", "6e", "a byte"],
        ["<|end|>", "256", "3c 7c 65 6e 64 7c 3e", "a special token"],
        ["\\n", "10", "0a", "a byte"],
    ]
    published = BPETokenizer()
    published.whole_pieces, published.vocab[256] = {b"the": 256}, b"the"
    assert [row[3] for row in explain(published, [256, 110]).rows] == ["a piece as a whole", "a byte"]


def test_a_table_is_plain_text_html_and_rich():
    table = DisplayTable({"token": "", "count": ",d", "share": ".1f"}, [("<b>[red]", 1234, 5.67), ("x", 1, 0.0)])
    assert str(table).splitlines() == [
        " token      count   share",
        "──────────────────────────",
        " <b>[red]   1,234     5.7",
        " x              1     0.0",
    ]
    assert "&lt;b&gt;[red]" in table._repr_html_() and "<b>" not in table._repr_html_()
    assert '<td style="text-align:right">1,234</td>' in table._repr_html_()
    with pytest.raises(ValueError):
        DisplayTable({"one": "", "two": ""}, [("only",)])


def test_merge_tree(trained):
    tree = (
        "the␣ (259)\n├── the (258)\n│   ├── th (257)\n│   │   ├── t (116)\n│   │   └── h (104)\n│   └── e (101)\n"
        "└── ␣ (32)"
    )
    assert merge_tree(trained, 259) == merge_tree(trained, "the ") == merge_tree(trained, b"the ") == tree
    assert (merge_tree(trained, 116), merge_tree(trained, "<|end|>")) == ("t (116)", "<|end|> (256)")
    with pytest.raises(ValueError, match="no token 'theatre'"):
        merge_tree(trained, "theatre")
    for shown in (lambda: merge_tree(trained, 999), lambda: show_tokens(trained, [116, 999])):
        with pytest.raises(ValueError, match="no token with ID 999"):
            shown()


def test_a_very_deep_merge_tree():
    tokenizer = BPETokenizer()
    tokenizer.set_merges([(97, 97), *((last, 97) for last in range(256, 1755))])
    assert merge_tree(tokenizer, 1755).count("\n") == 3000
