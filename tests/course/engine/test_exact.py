"""train_exact gives the merges, IDs and ties of plain recounting; with the lowest-ID rule those of the Rust trainer."""

import warnings
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from g2c.common.errors import VocabularyNotReached
from g2c.common.progress import Reporter
from g2c.corpus.corpora import load_corpus
from g2c.engine import exact
from g2c.engine.counting import WordCounts
from g2c.engine.exact import train_exact, train_on_words
from g2c.formats.hf_format import BYTE_TO_CHAR
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import BOUNDARY
from g2c.tokenizer.bpe import BPETokenizer as ExerciseTokenizer
from g2c.tokenizer.patterns import PATTERNS

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


class LowestIdTokenizer(BPETokenizer):
    """Plain recounting with the other rule for ties."""

    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]


class GreatestTokenizer(BPETokenizer):
    """Plain recounting; of equally frequent pairs the one whose bytes come last in lexicographic order."""

    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        pair = max(counts, key=lambda pair: (counts[pair], self.vocab[pair[0]], self.vocab[pair[1]]))
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]


@pytest.fixture(scope="module")
def real_text() -> str:
    return load_corpus("pydocs").text


def untrained_copy(tokenizer, cls=BPETokenizer):
    return cls(tokenizer.special_tokens, tokenizer.pattern)


def assert_same_training(text, vocab_size, plain, quick, ties):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VocabularyNotReached)
        expected = plain.train(text, vocab_size, progress=False)
        ids = train_exact(quick, text, vocab_size, ties=ties, progress=False)
    assert list(quick.merges.items()) == list(plain.merges.items()), f"other merges than plain recounting on {text!r}"
    assert ids == expected, f"other IDs than plain recounting on {text!r}"
    assert list(quick.vocab.items()) == list(plain.vocab.items())


@given(TEXTS, TOKENIZERS, st.integers(0, 40))
def test_equals_plain_recounting(text, tokenizer, more):
    assert_same_training(text, tokenizer.base_vocab_size + more, tokenizer, untrained_copy(tokenizer), "first-seen")


@pytest.mark.whole
@given(TEXTS, TOKENIZERS, st.integers(0, 40))
def test_lowest_id_equals_plain_recounting_with_that_rule(text, tokenizer, more):
    plain = untrained_copy(tokenizer, LowestIdTokenizer)
    assert_same_training(text, tokenizer.base_vocab_size + more, plain, tokenizer, "lowest-id")


@pytest.mark.parametrize("text", ["", "a", "ab", "aa", "é", "<|end|>", "a<|end|>a", "<|end|><|end|>"])
@pytest.mark.parametrize("pattern", [None, "gpt2"])
@pytest.mark.parametrize("more", [0, 1, 5])
def test_the_smallest_texts(text, pattern, more):
    plain, quick = (BPETokenizer(["<|end|>"], pattern) for _ in range(2))
    assert_same_training(text, 257 + more, plain, quick, "first-seen")


@pytest.mark.parametrize("length", range(2, 35))
def test_one_long_run(length):
    """In "aaaaa" the pair (a, a) is counted four times and replaced twice."""
    assert_same_training("a" * length, 270, BPETokenizer(), BPETokenizer(), "first-seen")


@pytest.mark.whole
@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"])
def test_real_text_against_plain_recounting(real_text, pattern):
    text = real_text[:20_000]
    plain, quick = (BPETokenizer.with_course_special_tokens(pattern) for _ in range(2))
    assert_same_training(text, 264 + 80, plain, quick, "first-seen")


@given(TEXTS, TOKENIZERS, st.integers(0, 30))
def test_greatest_equals_plain_recounting_with_that_rule(text, tokenizer, more):
    plain = untrained_copy(tokenizer, GreatestTokenizer)
    assert_same_training(text, tokenizer.base_vocab_size + more, plain, tokenizer, "greatest")


def test_arrays_that_grow_change_nothing(real_text, monkeypatch):
    """Many pairs, many occurrences and long tokens need more room than there is in the beginning."""
    text = "ab" * 30_000 + real_text[:200_000]
    tokenizer, other = BPETokenizer(), BPETokenizer()
    ids = train_exact(tokenizer, text, 3000)
    monkeypatch.setattr(exact, "STEPS", 1)
    assert train_exact(other, text, 3000) == ids
    assert list(other.merges.items()) == list(tokenizer.merges.items())
    assert tokenizer.decode(ids) == text
    assert ids == tokenizer.encode_fast(text)


@pytest.mark.whole
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("pattern", ["gpt2", "gpt4"])
def test_lowest_id_equals_the_rust_trainer_on_real_text(real_text, pattern, special):
    """The Rust trainer is called directly here, on parts that were cut at special tokens."""
    parts = real_text[:400_000].split("\n\n") if special else [real_text[:400_000]]
    tokenizer = BPETokenizer(["<|endoftext|>"] if special else [], pattern)
    train_exact(tokenizer, "<|endoftext|>".join(parts), 4096 + special, ties="lowest-id")

    rust = Tokenizer(models.BPE())
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    split = pre_tokenizers.Split(Regex(PATTERNS[pattern]), "isolated")
    rust.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    alphabet = list(BYTE_TO_CHAR.values())
    rust.train_from_iterator(parts, trainers.BpeTrainer(vocab_size=4096, show_progress=False, special_tokens=alphabet))
    learned = [spelling for spelling, _ in sorted(rust.get_vocab().items(), key=lambda entry: entry[1])][256:]
    ours = ["".join(BYTE_TO_CHAR[byte] for byte in tokenizer.vocab[i]) for i in tokenizer.merges.values()]
    assert ours == learned


def test_the_bytes_may_be_numbered_in_another_order():
    tokenizer, plain = BPETokenizer(), BPETokenizer()
    for each in (tokenizer, plain):
        each.byte_ids = bytes(reversed(range(256)))
    assert_same_training("the theme of the thesis", 262, plain, tokenizer, "first-seen")
    assert tokenizer.merges[255 - ord("t"), 255 - ord("h")] == 256


def test_no_method_of_the_student_is_called(monkeypatch):
    for name in ("_get_pair_counts", "_merge", "train_step", "encode", "decode"):
        monkeypatch.setattr(ExerciseTokenizer, name, lambda *_: pytest.fail("train_exact called the student's code"))
    tokenizer = ExerciseTokenizer()
    assert tokenizer.train_exact("the the the", 259) == [258, 258, 257]
    assert tokenizer.merges == {(116, 104): 256, (256, 101): 257, (257, 32): 258}


def test_earlier_training_is_forgotten():
    tokenizer = BPETokenizer()
    train_exact(tokenizer, "xyxyxy", 257)
    train_exact(tokenizer, "the the the", 257)
    assert tokenizer.merges == {(116, 104): 256}
    assert tokenizer.vocab_size == 257


def test_a_few_very_frequent_pairs_and_then_rare_ones():
    text = "ab" * 20_000 + "she sells sea shells by the sea shore"
    assert_same_training(text, 256 + 40, BPETokenizer(), BPETokenizer(), "first-seen")


# --- words with counts ------------------------------------------------------------------------------------------------


def test_words_with_counts_are_trained_as_if_they_stood_in_the_text():
    """The example of Sennrich, Haddow and Birch (2016), cut short."""
    counted, plain = BPETokenizer(), BPETokenizer(pattern="[a-z]+")
    words = WordCounts.of([(b"low", 5), (b"lower", 2), (b"newest", 6), (b"widest", 3)])
    train_on_words(counted, words, 256 + 10)
    plain.train(" ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3), 256 + 10)
    assert list(counted.merges.items()) == list(plain.merges.items())


@given(st.lists(st.tuples(st.text("ab ", max_size=8), st.integers(1, 5)), max_size=6), st.booleans())
def test_any_words_with_counts(words, lowest_id):
    ties = "lowest-id" if lowest_id else "first-seen"
    counted, repeated = BPETokenizer(), BPETokenizer()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VocabularyNotReached)
        train_on_words(counted, WordCounts.of((word.encode(), count) for word, count in words), 275, ties=ties)
        # The tie rule looks at first appearance only, so that repeating each word at once is the same corpus.
        each = WordCounts.of((word.encode(), 1) for word, count in words for _ in range(count))
        train_on_words(repeated, each, 275, ties=ties)
    assert list(counted.merges.items()) == list(repeated.merges.items())


def test_counts_beyond_32_bits():
    tokenizer = BPETokenizer()
    train_on_words(tokenizer, WordCounts.of([(b"ab", 1), (b"cd", 2**40), (b"ce", 2**40 + 1)]), 258)
    assert list(tokenizer.merges) == [(ord("c"), ord("e")), (ord("c"), ord("d"))]


# --- ends of training -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", [None, "gpt2"])
def test_a_corpus_too_small_for_the_vocabulary_warns(pattern):
    tokenizer = BPETokenizer(pattern=pattern)
    with pytest.warns(VocabularyNotReached, match="258 tokens, not the 300") as warnings_shown:
        ids = tokenizer.train_exact("abc", 300)
    assert ids == [257]
    assert warnings_shown[0].filename == __file__, "the warning should point to the line that called train_exact"


def test_a_vocabulary_that_is_just_reached_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert train_exact(BPETokenizer(), "abc", 258) == [257]


def test_ctrl_c_leaves_the_merges_learned_so_far(monkeypatch):
    notes = []

    class Interrupted(Reporter):
        def update(self, done, **_):
            if done == 3:
                raise KeyboardInterrupt

        def note(self, text):
            notes.append(text)

    @contextmanager
    def interrupted_progress(*_, **__):
        yield Interrupted()

    monkeypatch.setattr(exact, "training_progress", interrupted_progress)
    tokenizer, plain = BPETokenizer(), BPETokenizer()
    with pytest.raises(KeyboardInterrupt):
        train_exact(tokenizer, "the theme of the thesis", 270)
    plain.train("the theme of the thesis", 259)
    assert (tokenizer.merges, tokenizer.vocab) == (plain.merges, plain.vocab)
    assert "3 merges" in notes[0]


@pytest.mark.parametrize("pattern", [None, "gpt2"])
def test_progress_reports_what_plain_training_reports(pattern, monkeypatch):
    def reports_of(module_name, train):
        reports = []

        class Recorder(Reporter):
            def update(self, done, *, tokens=None, newest=None, count=None):
                reports.append((done, tokens, newest, count))

        @contextmanager
        def recorded_progress(progress, *, total):
            reports.append(total)
            yield Recorder()

        monkeypatch.setattr(f"{module_name}.training_progress", recorded_progress)
        ids = train("aaaa <|end|>the theme of aaa thesis<|end|>", 270)
        assert reports[-1][1] == len(ids)
        return reports

    plain = reports_of("g2c.tokenizer.base", BPETokenizer(["<|end|>"], pattern).train)
    assert reports_of("g2c.engine.exact", BPETokenizer(["<|end|>"], pattern).train_exact) == plain


@pytest.mark.parametrize(
    "text, vocab_size, ties, error, message",
    [
        ("the the", 255, "first-seen", ValueError, "vocab_size=255 is too small"),
        ("the the", 300.0, "first-seen", TypeError, "300.0"),
        ("the \ud83d the", 300, "first-seen", ValueError, "lone surrogate"),
        (b"the the", 300, "first-seen", TypeError, "bytes"),
        ("the the", 300, "last-seen", ValueError, "'last-seen'"),
    ],
)
def test_bad_input_leaves_the_tokenizer_as_it_was(text, vocab_size, ties, error, message):
    tokenizer = BPETokenizer()
    tokenizer.train("the the", 257)
    with pytest.raises(error, match=message):
        train_exact(tokenizer, text, vocab_size, ties=ties)
    assert tokenizer.merges == {(116, 104): 256}
    assert tokenizer.vocab_size == 257
