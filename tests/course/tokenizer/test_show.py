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


# --- show_tokens ------------------------------------------------------------------------------------------------------


def test_plain_text_has_a_border_between_every_two_tokens(trained, capsys):
    show_tokens(trained, "the then<|end|>")
    show_tokens(trained, iter([116, 104]))
    show_tokens(trained, "")
    assert capsys.readouterr().out == "│the␣│the│n│<|end|>│\n│t│h│\n│\n"


@pytest.mark.parametrize(
    ("merges", "text", "shown"),
    [
        ([], "a" * 5000, "│a" * 1000 + "│\n… and 4,000 more tokens"),
        ([], "t\nx\n", "│t│\\n│\n│x│\\n│"),  # A new line begins after a token that ends one,
        ([(120, 46), (10, 10), (256, 257), (258, 70)], "x.\n\nF a\\n", "│x.\\n\n\\n\nF│␣│a│\\\\│n│"),  # and inside one.
        ([], "<s>'&\x1b", "│<│s│>│'│&│\\x1b│"),
    ],
)
def test_line_ends_many_tokens_and_odd_characters_in_a_terminal_and_in_html_without_styles(merges, text, shown):
    tokenizer = BPETokenizer()
    tokenizer.set_merges(merges)
    strip = TokenStrip(tokenizer, text)
    assert str(strip) == shown
    html_text = html.unescape(re.sub("<[^>]*>", "", strip._repr_html_().replace("<br>", "\n")))
    assert html_text == shown.removeprefix(BORDER).replace("\n" + BORDER, "\n")
    assert len(explain(tokenizer, text).rows) == len(tokenizer.encode(text))


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


def test_a_table_aligns_numbers_and_its_html_is_escaped():
    table = DisplayTable({"token": "", "count": ",d", "share": ".1f"}, [("<b>[red]", 1234, 5.67), ("x", 1, 0.0)])
    assert str(table).splitlines()[2:] == [" <b>[red]   1,234     5.7", " x              1     0.0"]
    markup = table._repr_html_()
    assert "&lt;b&gt;[red]" in markup and "<b>" not in markup and '<td style="text-align:right">1,234</td>' in markup
    with pytest.raises(ValueError):
        DisplayTable({"one": "", "two": ""}, [("only",)])


def test_merge_tree(trained):
    tree = "the (258)\n├── th (257)\n│   ├── t (116)\n│   └── h (104)\n└── e (101)"
    assert merge_tree(trained, 258) == merge_tree(trained, "the") == merge_tree(trained, b"the") == tree
    assert (merge_tree(trained, 116), merge_tree(trained, "<|end|>")) == ("t (116)", "<|end|> (256)")
    with pytest.raises(ValueError, match="no token 'theatre'"):
        merge_tree(trained, "theatre")
    for shown in (merge_tree, lambda tokenizer, token_id: show_tokens(tokenizer, [116, token_id])):
        with pytest.raises(ValueError, match="no token with ID 999"):
            shown(trained, 999)
