"""train_exact gives the merges, IDs and ties of plain recounting, by each rule for ties."""

import signal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from g2c.corpus.corpora import load_corpus
from g2c.engine import exact
from g2c.engine.counting import WordCounts
from g2c.engine.exact import train_exact, train_on_words
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.bpe import BPETokenizer as ExerciseTokenizer
from support.recounting import Recounting

SPECIAL_TOKENS = ("<|end|>", "aXb")

# Few different characters make many ties, and long runs of one character make pairs that overlap.
ALPHABETS = st.sampled_from(["a", "ab", "ab ", "abc d", "aé中 "])
TEXTS = ALPHABETS.flatmap(
    lambda alphabet: st.lists(
        st.one_of(
            st.text(alphabet, max_size=12),
            st.sampled_from(alphabet).flatmap(lambda char: st.integers(1, 9).map(lambda times: char * times)),
            st.sampled_from(SPECIAL_TOKENS),
        ),
        max_size=8,
    ).map("".join)
)
TOKENIZERS = st.builds(
    BPETokenizer, st.sampled_from([(), SPECIAL_TOKENS]), st.sampled_from([None, "gpt2", "gpt4", "[ab]+"])
)


class LowestIdTokenizer(Recounting):
    def order(self, pair):
        return [-token_id for token_id in pair]


PLAIN = {"first-seen": BPETokenizer, "lowest-id": LowestIdTokenizer}
"""Rule for ties -> plain recounting by that rule."""


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
@pytest.mark.parametrize("ties", PLAIN)
@given(text=TEXTS | st.lists(TEXTS, max_size=3), tokenizer=TOKENIZERS, more=st.integers(0, 40))
@example(text="", tokenizer=BPETokenizer(), more=1)
@example(text="<|end|><|end|>", tokenizer=BPETokenizer(SPECIAL_TOKENS, "gpt2"), more=1)
def test_equals_plain_recounting(text, tokenizer, more, ties):
    """It calls nothing that a student writes, either."""
    plain, quick = (cls(tokenizer.special_tokens, tokenizer.pattern) for cls in (PLAIN[ties], ExerciseTokenizer))
    expected = plain.train(text, tokenizer.base_vocab_size + more, progress=False)
    ids = train_exact(quick, text, tokenizer.base_vocab_size + more, ties=ties, progress=False)
    assert list(quick.merges.items()) == list(plain.merges.items()), f"other merges than plain recounting on {text!r}"
    assert ids == expected, f"other IDs than plain recounting on {text!r}"
    assert list(quick.vocab.items()) == list(plain.vocab.items())


def test_arrays_that_grow_change_nothing(monkeypatch):
    """Many pairs, many occurrences and long tokens need more room than there is in the beginning."""
    text = "ab" * 30_000 + load_corpus("pydocs").text[:400_000]
    tokenizer, other = BPETokenizer(), BPETokenizer()
    ids = train_exact(tokenizer, text, 6000)
    monkeypatch.setattr(exact, "STEPS", 1)
    assert train_exact(other, text, 6000) == ids
    assert list(other.merges.items()) == list(tokenizer.merges.items())
    assert tokenizer.decode(ids) == text
    assert ids == tokenizer.encode_fast(text)


def test_ctrl_c_during_a_loop_ends_training_and_not_python(monkeypatch):
    def learn_and_be_interrupted(*arguments, learn=exact._learn):
        signal.setitimer(signal.ITIMER_REAL, 0.002)
        return learn(*arguments)

    text = load_corpus("pydocs").text[:400_000]
    train_exact(BPETokenizer(), text, 300)  # It loads the loops.
    monkeypatch.setattr(exact, "_learn", learn_and_be_interrupted)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        train_exact(BPETokenizer(), text, 6000)
    signal.signal(signal.SIGALRM, before)


# --- words with counts ------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
@given(st.lists(st.tuples(st.text("ab ", max_size=8), st.integers(1, 5)), max_size=6), st.sampled_from([*PLAIN]))
def test_any_words_with_counts(words, ties):
    counted, repeated = BPETokenizer(), BPETokenizer()
    train_on_words(counted, WordCounts.of((word.encode(), count) for word, count in words), 275, ties=ties)
    # The tie rule looks at first appearance only, so that repeating each word at once is the same corpus.
    each = WordCounts.of((word.encode(), 1) for word, count in words for _ in range(count))
    train_on_words(repeated, each, 275, ties=ties)
    assert list(counted.merges.items()) == list(repeated.merges.items())


def test_a_corpus_that_is_too_long_leaves_the_tokenizer_as_it_was(monkeypatch):
    tokenizer = BPETokenizer()
    train_exact(tokenizer, "the the", 257)
    monkeypatch.setattr(exact, "MAX_CORPUS", 20)
    with pytest.raises(ValueError, match="ties is .* but it is 'best'"):
        tokenizer.train_exact("text", 300, ties="best")
    with pytest.raises(ValueError, match=r"2 words with 18 bytes\. Together, these two numbers must be below 20"):
        train_on_words(tokenizer, WordCounts.of([(b"a" * 9, 1), (b"b" * 9, 1)]), 258)
    assert tokenizer.merges == {(116, 104): 256}


def test_a_pair_that_loses_its_first_place_is_seen_later():
    """bc occurs first in abc, until ab is merged; then xy is seen before it."""
    tokenizer, texts = BPETokenizer(), ["abc", "ab", "ab", "ab", "xy", "bc", "bc", "xy"]
    tokenizer.train_exact(texts, 258)
    assert [tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()] == [b"ab", b"xy"]


def test_counts_beyond_32_bits():
    tokenizer = BPETokenizer()
    train_on_words(tokenizer, WordCounts.of([(b"ab", 1), (b"cd", 2**40), (b"ce", 2**40 + 1)]), 258)
    assert list(tokenizer.merges) == [(ord("c"), ord("e")), (ord("c"), ord("d"))]


# --- progress ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", [None, "gpt2"])
def test_progress_reports_what_plain_training_reports(pattern):
    reports = {"train": [], "train_exact": []}
    for name in reports:
        train = getattr(BPETokenizer(["<|end|>"], pattern), name)
        ids = train("aaaa the theme of aaa theme of thesis", 270, progress=reports[name].append)
        assert reports[name][-1].tokens == len(ids)
    assert reports["train_exact"] == reports["train"]
    shown = [(report.task, report.done, report.total) for report in reports["train"]]
    assert shown == [("Training", done, 13) for done in range(1, 14)]
    assert (reports["train"][0].newest, reports["train"][0].count) == (b"aa", 5)
