"""Display: what is shown is true, safe, and readable without colour."""

import base64
import html.parser
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from g2c.common.text import token_text
from g2c.lab.figures import compression_figure, frequency_figure, lines_figure, merge_tree_figure
from g2c.lab.traces import encoding_steps, trace, trace_animation
from g2c.solutions.bpe import BPETokenizer
from g2c.solutions.char_word import CharTokenizer, WordTokenizer
from g2c.solutions.word_bpe import WordBPETokenizer
from g2c.tokenizer.show import BORDER, Table, TokenStrip, explain, merge_tree, show_tokens


@pytest.fixture(scope="module")
def trained() -> BPETokenizer:
    tokenizer = BPETokenizer(["<|end|>"])
    tokenizer.train("the the the", 260, progress=False)
    return tokenizer


class VisibleText(html.parser.HTMLParser):
    """What a reader sees of HTML when every style is stripped from it."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attributes: list) -> None:
        assert tag in {"div", "span", "wbr", "br", "table", "thead", "tbody", "tr", "th", "td"}, f"unexpected <{tag}>"
        if tag == "br":
            self.text += "\n"


def visible_text(markup: str) -> str:
    parser = VisibleText()
    parser.feed(markup)
    parser.close()
    return parser.text


# --- token_text -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (b"", ""),
        (b"the", "the"),
        (b" the ", "␣the␣"),
        (b"\n\t\r", "\\n\\t\\r"),
        (b"\x00\x1b[31m\x7f", "\\x00\\x1b[31m\\x7f"),
        ("é中👋".encode(), "é中👋"),
        (b"\xf0\x9f", "\\xf0\\x9f"),
        (b"a\xc3", "a\\xc3"),
        (b"\x91\x8b!", "\\x91\\x8b!"),
        (b"\\n", "\\\\n"),
        ("␣".encode(), "\\u2423"),
        ("\u200b\u202e\u00a0\U000e0001".encode(), "\\u200b\\u202e\\u00a0\\U000e0001"),
        ("\u0301".encode(), "◌\u0301"),
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
    ],
)
def test_token_text(token, shown):
    assert token_text(token) == shown


@given(st.binary(max_size=12))
def test_token_text_is_always_safe_to_print(token):
    shown = token_text(token)
    assert shown.isprintable() and " " not in shown
    assert not shown or not unicodedata.category(shown[0]).startswith("M")


@given(st.binary(max_size=6), st.binary(max_size=6))
def test_different_tokens_are_shown_differently(one, other):
    assert (token_text(one) == token_text(other)) == (one == other)


def test_a_long_token_is_cut_off_when_asked():
    assert token_text(b"abcdef", longest=4) == "abc…"
    assert token_text(b"abcd", longest=4) == "abcd"


# --- show_tokens ------------------------------------------------------------------------------------------------------


def test_plain_text_has_a_border_between_every_two_tokens(trained, capsys):
    show_tokens(trained, "the then<|end|>")
    assert capsys.readouterr().out == "│the␣│the│n│<|end|>│\n"


def test_ids_are_shown_as_they_are(trained, capsys):
    show_tokens(trained, iter([116, 104]))
    assert capsys.readouterr().out == "│t│h│\n"


def test_a_new_line_begins_after_a_token_that_ends_one(trained):
    assert str(TokenStrip(trained, "a\nb\n")) == "│a│\\n│\n│b│\\n│"


def test_a_token_with_a_line_end_inside_goes_on_in_the_next_line():
    tokenizer = BPETokenizer()
    tokenizer.train("x.\n\nFx.\n\nF", 260, progress=False)
    strip = TokenStrip(tokenizer, "x.\n\nF a\\n")
    assert str(strip) == "│x.\\n\n\\n\nF│␣│a│\\\\│n│"
    assert visible_text(strip._repr_html_()) == "x.\\n\n\\n\nF│␣│a│\\\\│n│"


def test_empty_text(trained):
    assert str(TokenStrip(trained, "")) == BORDER
    assert visible_text(TokenStrip(trained, "")._repr_html_()) == ""


def test_a_limit_says_how_much_is_left_out(trained):
    assert str(TokenStrip(trained, "abcdef", limit=2)) == "│a│b│\n… and 4 more tokens"
    assert "… and 4 more tokens" in TokenStrip(trained, "abcdef", limit=2)._repr_html_()
    assert "more" not in str(TokenStrip(trained, "a" * 1500, limit=None))


def test_html_shows_borders_without_styles(trained):
    assert visible_text(TokenStrip(trained, "the then\nx")._repr_html_()) == "the␣│the│n│\\n│\nx│"


def test_html_is_escaped(trained):
    markup = TokenStrip(trained, "<script>alert('&')</script>\x1b")._repr_html_()
    assert visible_text(markup).replace(BORDER, "") == "<script>alert('&')</script>\\x1b"


def test_an_id_that_does_not_exist_is_named(trained):
    with pytest.raises(ValueError, match="no token with ID 999"):
        show_tokens(trained, [116, 999])


IN_TERMINAL = """
from g2c.tokenizer import BPETokenizer
from g2c.tokenizer.show import show_tokens
show_tokens(BPETokenizer(), "a [red]b\\x1b[31m")
"""


def test_a_terminal_gets_colours_and_no_raw_escapes(run_in_terminal):
    shown = run_in_terminal(IN_TERMINAL, G2C_SOLUTIONS="all")
    assert "\x1b[30;48;5;" in shown or "\x1b[30;48;2;" in shown
    assert "\x1b[31m" not in shown


def test_a_terminal_without_colour_has_borders(run_in_terminal):
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


def test_a_table_is_plain_text_html_and_rich():
    table = Table({"token": "", "count": ",d", "share": ".1f"}, [("<b>[red]", 1234, 5.67), ("x", 1, 0.0)])
    assert str(table).splitlines() == [
        " token      count   share",
        "──────────────────────────",
        " <b>[red]   1,234     5.7",
        " x              1     0.0",
    ]
    assert "&lt;b&gt;[red]" in table._repr_html_() and "<b>" not in table._repr_html_()
    assert '<td style="text-align:right">1,234</td>' in table._repr_html_()


def test_an_empty_table_has_its_head():
    assert str(Table({"token": "", "count": "d"}, [])).split() == ["token", "count", "─" * 15]


def test_a_row_of_the_wrong_length_is_an_error():
    with pytest.raises(ValueError):
        Table({"one": "", "two": ""}, [("only",)])


def test_merge_tree(trained):
    tree = (
        "the␣ (259)\n├── the (258)\n│   ├── th (257)\n│   │   ├── t (116)\n│   │   └── h (104)\n│   └── e (101)\n"
        "└── ␣ (32)"
    )
    assert merge_tree(trained, 259) == tree
    assert merge_tree(trained, "the ") == tree
    assert merge_tree(trained, b"the ") == tree
    assert merge_tree(trained, 116) == "t (116)"
    assert merge_tree(trained, "<|end|>") == "<|end|> (256)"


def test_merge_tree_of_what_is_no_token(trained):
    with pytest.raises(ValueError, match="no token 'theatre'"):
        merge_tree(trained, "theatre")
    with pytest.raises(ValueError, match="no token with ID 999"):
        merge_tree(trained, 999)


def test_a_very_deep_merge_tree():
    tokenizer = BPETokenizer()
    previous = 97
    for new_id in range(256, 3256):
        tokenizer.merges[previous, 97] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[previous] + b"a"
        previous = new_id
    assert merge_tree(tokenizer, previous).count("\n") == 6000


# --- the merges of one encoding ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def walled() -> BPETokenizer:
    tokenizer = BPETokenizer(["<|end|>"], pattern="gpt2")
    tokenizer.train("the other day we gathered the weather aaaa aaa aa é é é 👋👋 " * 3, 285, progress=False)
    return tokenizer


@given(text=st.text(alphabet="thewar aé👋\n<|end|>", max_size=30))
def test_encoding_steps_lead_from_bytes_to_what_encode_gives(walled, text):
    steps = encoding_steps(walled, text)
    assert steps[-1][1] == walled.encode(text)
    assert all(token_id < walled.base_vocab_size for token_id in steps[0][1])
    assert steps[0][0] is None
    learned = [walled.merges[pair] for pair, _ in steps[1:]]
    assert learned == sorted(learned) and len(set(learned)) == len(learned)
    assert {walled.decode(ids) for _, ids in steps} == {text}
    assert all(len(after) < len(before) for (_, before), (_, after) in zip(steps, steps[1:]))


def test_trace_shows_every_merge(trained):
    assert trace(trained, "thé the").rows == [
        ["0", "bytes", "│t│h│\\xc3│\\xa9│␣│t│h│e│"],
        ["1", "t + h → th (257)", "│th│\\xc3│\\xa9│␣│th│e│"],
        ["2", "th + e → the (258)", "│th│\\xc3│\\xa9│␣│the│"],
    ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", ["the the", "", "x", "<|end|>", "the $the$ 中 👋 \\ " * 6])
def test_an_animation_has_a_picture_for_each_state(trained, tmp_path, text):
    animation = trace_animation(trained, text)
    animation.save(tmp_path / "trace.gif")
    with Image.open(tmp_path / "trace.gif") as picture:
        assert picture.format == "GIF"
        assert picture.n_frames == len(encoding_steps(trained, text))
    bundle = animation._repr_mimebundle_()
    assert base64.b64decode(bundle["image/gif"]) == (tmp_path / "trace.gif").read_bytes()
    assert bundle["text/plain"].startswith("<Animation of ")


def test_no_animation_of_a_long_text(trained):
    with pytest.raises(ValueError, match="too long for a picture: 1000 characters"):
        trace_animation(trained, "x" * 1000)


# --- figures ----------------------------------------------------------------------------------------------------------


# --- the tokenizers of the other modules ------------------------------------------------------------------------------


def test_characters_and_words_are_shown_with_the_unknown_token_apart():
    characters, words = CharTokenizer("[UNK]"), WordTokenizer("[UNK]")
    characters.build_vocab("the\n\x1b")
    words.build_vocab("the cat")
    assert str(TokenStrip(characters, "th\x1bx")) == "│t│h│\\x1b│[UNK]│"
    assert str(TokenStrip(words, "the dog")) == "│the│[UNK]│"
    assert TokenStrip(words, "the dog").special_token_ids == {0}
    assert [row[3] for row in explain(words, "the dog").rows] == ["a symbol", "a special token"]
    assert merge_tree(words, "cat") == "cat (1)"
    with pytest.raises(ValueError, match="no token with ID 9"):
        show_tokens(words, [9])


def test_characters_without_an_unknown_token():
    tokenizer = CharTokenizer()
    tokenizer.build_vocab("the")
    assert str(TokenStrip(tokenizer, "the")) == "│t│h│e│"
    assert TokenStrip(tokenizer, "the").special_token_ids == frozenset()


@pytest.fixture(scope="module")
def inside_words() -> WordBPETokenizer:
    tokenizer = WordBPETokenizer(end_of_word="_")
    tokenizer.train({"low": 5, "lower": 2, "lowest": 1}, num_merges=4)
    return tokenizer


def test_bpe_inside_words_is_shown_with_its_marker(inside_words):
    assert str(TokenStrip(inside_words, inside_words.encode("low lower", True))) == "│[BOS]│low_│lowe│r│_│[EOS]│"
    assert len(TokenStrip(inside_words, "low").special_token_ids) == len(inside_words.special_tokens)


def test_explain_and_merge_tree_know_the_merges_inside_words(inside_words):
    ids = inside_words.token_to_id
    rows = explain(inside_words, "lower").rows
    assert rows[0][3] == f"merge 4: low ({ids['low']}) + e ({ids['e']})"
    assert rows[1][3] == "a symbol"
    assert merge_tree(inside_words, "low_").splitlines()[:2] == [f"low_ ({ids['low_']})", f"├── low ({ids['low']})"]


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
    with pytest.raises(ValueError, match="no token IDs to draw"):
        frequency_figure(trained, [])
