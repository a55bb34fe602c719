"""Training and encoding, merge by merge: it leads to what `encode` and `train` return, and every merge is shown."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.lab.traces import trace, trace_training
from g2c.solutions.bpe import BPETokenizer


@pytest.fixture(scope="module")
def trained() -> BPETokenizer:
    tokenizer = BPETokenizer(["<|end|>"], pattern="gpt2")
    tokenizer.train("the other day we gathered the weather aaaa aaa aa é é é 👋👋 " * 3, 285, progress=False)
    return tokenizer


@given(text=st.text(alphabet="thewar aé👋\n<|end|>", max_size=30))
def test_a_trace_leads_from_bytes_to_what_encode_gives(trained, text):
    states = trace(trained, text).states
    assert states[-1].ids == trained.encode(text) and states[-1].candidates == ""
    assert all(token_id < trained.base_vocab_size for token_id in states[0].ids)
    learned = [trained.merges[state.pair] for state in states[1:]]
    assert learned == sorted(learned) and len(set(learned)) == len(learned)
    assert [int(state.candidates.split()[0]) for state in states[:-1]] == learned
    assert {trained.decode(state.ids) for state in states} == {text}


def test_trace_shows_every_candidate_with_its_id_so_that_the_order_of_the_merges_is_visible():
    tokenizer = BPETokenizer()
    tokenizer.merges = {(101, 32): 256, (116, 104): 257, (104, 101): 258}
    tokenizer.vocab |= {256: b"e ", 257: b"th", 258: b"he"}
    steps = [(row[1], row[2]) for row in trace(tokenizer, "the ").table().rows]
    assert steps == [
        ("", "bytes"),
        ("256 e␣, 257 th, 258 he", "e + ␣ → e␣ (256)"),
        ("257 th", "t + h → th (257)"),
    ]


@pytest.mark.parametrize("text", ["the the", "", "the $the$ 中 👋 \\ <|end|> <b>&amp;</b>"])
def test_a_slider_has_every_state_even_where_scripts_do_not_run_and_fits_any_theme(trained, text):
    traced = trace(trained, text)
    source = traced._repr_html_()
    assert not re.search(r"https?://|<link|<img| src=|background:white", source)
    page = re.sub(r"<script>.*</script>", "", source, flags=re.DOTALL)
    lines = [html.unescape(re.sub("<.*?>", "", line)) for line in re.split("<br>|</div>", page)]
    rows = traced.table().rows
    assert [line for line in lines if line.endswith("│")] == [row[3].removeprefix("│") for row in rows if row[3] != "│"]
    following = [row[1] for row in rows[1:]] + [""]
    assert [line for line in lines if line.startswith("candidates:")] == [
        f"candidates: {ids or 'none'}" for ids in following
    ]


def test_training_has_every_merge_with_the_pairs_that_it_was_chosen_from():
    tokenizer = BPETokenizer(["<|end|>"], pattern="gpt2")
    assert trace_training(tokenizer, "the the<|end|>the", merges=2).table().rows == [
        ["0", "", "bytes", "│t│h│e│␣│t│h│e│<|end|>│t│h│e│"],
        ["1", "t + h (3×), h + e (3×), ␣ + t (1×)", "t + h → th (257)", "│th│e│␣│th│e│<|end|>│th│e│"],
        ["2", "th + e (3×), ␣ + th (1×)", "th + e → the (258)", "│the│␣│the│<|end|>│the│"],
    ]
    assert list(tokenizer.merges) == [(116, 104), (257, 101)]
    assert len(trace_training(BPETokenizer(), "the").states) == 3, "it ends when no pair is left"


def test_training_by_wrong_code_shows_what_it_chose_and_what_it_should_have_chosen():
    class LastSeen(BPETokenizer):
        def train_step(self, ids, new_id):
            counts = self._get_pair_counts(ids)
            pair = sorted(counts, key=counts.get)[-1]
            return self._merge(ids, pair, new_id), pair, counts[pair]

    assert trace_training(LastSeen(), "the the", merges=2).table().rows[1:] == [
        ["1", "t + h (2×), h + e (2×), e + ␣ (1×), ␣ + t (1×)", "h + e → ?256 (256), not t + h", "│t│?256│␣│t│?256│"],
        ["2", "t + ?256 (2×), ?256 + ␣ (1×), ␣ + t (1×)", "t + ?256 → ?257 (257)", "│?257│␣│?257│"],
    ]


def test_a_long_text_is_refused(trained):
    for function in (trace, trace_training):
        with pytest.raises(ValueError, match="too long to be shown: 1000 characters"):
            function(trained, "x" * 1000)
