"""Encoding and counting blocks in numpy: the IDs of the plain algorithm, the pattern's words, in bounded memory."""

import random
import re
from collections import Counter
from pydoc_data.topics import topics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.engine.merging import ROWS, Merger
from g2c.engine.splitting import PADDING, PLACEHOLDER
from g2c.engine.vectorized import (
    BLOCKS_PER_MERGE,
    LONGEST_KEPT,
    NO_TOKEN,
    IdLists,
    VectorizedEncoder,
    concatenated_ranges,
)
from g2c.engine.word_counter import WordCounter
from g2c.engine.word_table import LONGEST, WordTable, distinct, word_keys, words_of_keys
from g2c.solutions.bpe import BPETokenizer

TEXT = "\n\n".join(topics[name] for name in sorted(topics))


@pytest.fixture(scope="module", params=["gpt2", "gpt4"])
def trained(request) -> BPETokenizer:
    tokenizer = BPETokenizer(["<|end|>", "<|pad|>"], pattern=request.param)
    tokenizer.train_exact(TEXT, 3000)
    return tokenizer


def encoder_of(tokenizer, **options) -> VectorizedEncoder:
    return VectorizedEncoder(
        tokenizer.merges,
        tokenizer.pattern,
        byte_ids=tokenizer.byte_ids,
        special_ids=tokenizer.special_token_ids,
        **options,
    )


def tokenizer_with(merges: list[tuple[int, int]]) -> BPETokenizer:
    tokenizer = BPETokenizer(pattern="gpt4")
    for new_id, pair in enumerate(merges, start=256):
        tokenizer.merges[pair] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[pair[0]] + tokenizer.vocab[pair[1]]
    return tokenizer


def random_words(count: int, seed: int = 1) -> str:
    """Words that nearly all differ."""
    chance = random.Random(seed)
    return " ".join("".join(chance.choices("abcdefghijklmnop", k=chance.randint(3, 20))) for _ in range(count))


# --- encoding ---------------------------------------------------------------------------------------------------------


def test_real_text_has_the_ids_of_encode(trained):
    ids = encoder_of(trained).encode(TEXT.encode())
    assert ids.dtype == np.uint32
    assert ids.tolist() == trained.encode_fast(TEXT)


@given(text=st.text(st.sampled_from("abe' \n\té1中!"), max_size=60))
def test_any_text_has_the_ids_of_encode(trained, text):
    encoder = encoder_of(trained)
    for _ in range(2):  # the second time every word is known
        assert encoder.encode(text.encode()).tolist() == trained.encode(text)


@given(
    merges=st.lists(st.tuples(st.integers(97, 99), st.integers(97, 99)), unique=True, max_size=6),
    later=st.lists(st.tuples(st.integers(256, 262), st.integers(97, 262)), max_size=8),
    words=st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=8),
)
def test_any_merges_have_the_ids_of_encode(merges, later, words):
    table = list(merges)
    for left, right in later:
        if (left, right) not in table and max(left, right) < 256 + len(table) and not 99 < right < 256:
            table.append((left, right))
    tokenizer = tokenizer_with(table)
    text = " ".join(words)
    assert encoder_of(tokenizer).encode(text.encode()).tolist() == tokenizer.encode(text)


@pytest.mark.parametrize(
    "length", [1, 2, 3, 8, 15, 16, 17, ROWS - 1, ROWS, ROWS + 1, LONGEST_KEPT, LONGEST_KEPT + 1, 3000]
)
def test_words_of_any_length(length):
    tokenizer = tokenizer_with([(97, 97), (256, 256), (257, 97), (97, 98), (258, 259)])
    encoder = encoder_of(tokenizer)
    ends_fit_together = ("ab" + "b" * (length - 7) + "aaaaa")[-length:]
    for word in ("a" * length, "ab" * (length // 2) + "a", "a" * (length - 1) + "b", ends_fit_together):
        text = f"{word} {word}"
        for _ in range(2):
            assert encoder.encode(text.encode()).tolist() == tokenizer.encode(text)


def test_special_tokens_stand_between_texts(trained):
    end, pad = trained.special_to_id.values()
    block = PLACEHOLDER + b"It's  " + PLACEHOLDER + PLACEHOLDER + b"'s" + PLACEHOLDER
    ids = encoder_of(trained).encode(block, np.array([0, 8, 10, 14]), np.array([pad, end, end, NO_TOKEN]))
    assert ids.tolist() == trained.encode("<|pad|>It's  <|end|><|end|>'s")


def test_bytes_may_have_other_ids():
    plain = tokenizer_with([(97, 98), (256, 99)])
    permuted = {byte: 255 - byte for byte in range(256)}
    merges = {(permuted.get(a, a), permuted.get(b, b)): new for (a, b), new in plain.merges.items()}
    encoder = VectorizedEncoder(merges, plain.pattern, byte_ids=list(permuted.values()))
    expected = [permuted.get(token_id, token_id) for token_id in plain.encode("abc ab xyz")]
    assert encoder.encode(b"abc ab xyz").tolist() == expected


def test_no_merges_and_no_text():
    encoder = encoder_of(tokenizer_with([]))
    assert encoder.encode(b"").tolist() == []
    assert encoder.encode("né".encode()).tolist() == list("né".encode())


@pytest.mark.parametrize("most_words", [100, 1 << 18])
def test_many_blocks_have_the_ids_that_each_has_by_itself(trained, most_words):
    texts = [random_words(200, seed).encode() for seed in range(8)] + [b"", TEXT[:3000].encode(), b"<\tx>"]
    nothing = np.zeros(0, np.int64)
    placeholders = [nothing] * (len(texts) - 1) + [np.array([1])]
    special = [nothing] * (len(texts) - 1) + [np.array([trained.special_to_id["<|pad|>"]])]
    together = encoder_of(trained, most_words=most_words).encode_all(zip(texts, placeholders, special))
    alone = [encoder_of(trained).encode(*block) for block in zip(texts, placeholders, special)]
    assert [ids.tolist() for ids in together] == [ids.tolist() for ids in alone]
    assert [ids.tolist() for ids in alone[:-1]] == [trained.encode_fast(text.decode()) for text in texts[:-1]]


def test_of_a_long_text_only_some_blocks_are_read_ahead(trained):
    read = []

    def blocks():
        for number in range(100):
            read.append(number)
            yield b"the same words", None, None

    for done, ids in enumerate(encoder_of(trained).encode_all(blocks()), start=1):
        assert ids.tolist() == trained.encode_fast("the same words")
        assert len(read) - done <= BLOCKS_PER_MERGE
    assert done == 100


@pytest.mark.parametrize("step", ["_numbers", "_merge"])
@pytest.mark.parametrize("is_late", [False, True])
def test_stopped_in_the_middle_it_is_right_the_next_time(trained, monkeypatch, step, is_late):
    encoder = encoder_of(trained)
    original = getattr(encoder, step)

    def stop(*arguments):
        if is_late:
            original(*arguments)
        encoder._lists.add(np.zeros(1, np.uint32), np.ones(1, np.int64))
        raise KeyboardInterrupt

    encoder.encode(b"some words are known before")
    monkeypatch.setattr(encoder, step, stop)
    with pytest.raises(KeyboardInterrupt):
        encoder.encode(b"unheard of things happen")
    monkeypatch.setattr(encoder, step, original)
    text = "some unheard things of words happen after"
    assert encoder.encode(text.encode()).tolist() == trained.encode_fast(text)


def test_memory_is_bounded_and_forgetting_changes_no_ids(trained):
    encoder = encoder_of(trained, most_words=1000)
    known = []
    for seed in range(12):
        text = random_words(700, seed)
        assert encoder.encode(text.encode()).tolist() == trained.encode_fast(text)
        known.append(len(encoder._lists))
    assert max(known) < 1000 + 3 * 700, "more words are kept than the limit and those of one block"
    assert any(later < earlier for earlier, later in zip(known, known[1:])), "nothing was forgotten"


def test_many_long_words_are_forgotten_too(trained, monkeypatch):
    monkeypatch.setattr("g2c.engine.vectorized.MOST_LONG_WORDS", 50)
    encoder = encoder_of(trained)
    for start in range(0, 400, 40):
        text = " ".join(f"internationalization{'x' * number}" for number in range(start, start + 40))
        assert encoder.encode(text.encode()).tolist() == trained.encode_fast(text)
        assert encoder._words.long_count <= 50 + 40


def test_merging_many_words_equals_merging_each(trained, monkeypatch):
    monkeypatch.setattr("g2c.engine.merging.COLUMNS", 64)
    words = [word.encode() for word in re.findall("[A-Za-z]+", f"{random_words(300)} {'abc' * 9} {TEXT[:9000]}")]
    lengths = np.array([len(word) for word in words])
    ids, counts = Merger(trained.merges).merge_words(np.frombuffer(b"".join(words), np.uint8), lengths)
    parts = np.split(ids, np.cumsum(counts)[:-1])
    assert [part.tolist() for part in parts] == [trained.encode_ordinary(word.decode()) for word in words]


# --- the table --------------------------------------------------------------------------------------------------------


def keys_of(words: list[bytes]):
    lengths = np.array([len(word) for word in words], np.int64)
    return word_keys(b"".join(words) + PADDING, np.cumsum(lengths) - lengths, lengths)


@given(st.lists(st.binary(min_size=1, max_size=LONGEST), unique=True, max_size=50))
def test_keys_are_the_words(words):
    first, second = keys_of(words)
    data, lengths = words_of_keys(first, second)
    assert data.tobytes() == b"".join(words)
    assert lengths.tolist() == [len(word) for word in words]


def test_zero_bytes_make_words_differ():
    words = [b"a" + b"\0" * count for count in range(LONGEST)] + [b"\0" * count for count in range(1, LONGEST)]
    table = WordTable()
    table.add(*keys_of(words), np.arange(len(words), dtype=np.int32))
    assert table.find(*keys_of(words)).tolist() == list(range(len(words)))


def test_a_table_finds_what_was_added_and_nothing_else():
    chance = random.Random(3)
    words = list(dict.fromkeys(chance.randbytes(chance.randint(3, LONGEST)) for _ in range(30_000)))
    known, unknown = words[:20_000], words[20_000:]
    table = WordTable()
    for begin in range(0, 20_000, 1700):  # it grows several times
        part = known[begin : begin + 1700]
        table.add(*keys_of(part), np.arange(begin, begin + len(part), dtype=np.int32))
    assert len(table) == 20_000
    for look_up in (table.find, table.search):
        assert look_up(*keys_of(known)).tolist() == list(range(20_000))
        assert set(look_up(*keys_of(unknown)).tolist()) == {-1}


def test_a_table_whose_words_all_collide(monkeypatch):
    def last_place(first, second, bits):
        return np.full(len(first), (1 << bits) - 1)

    monkeypatch.setattr("g2c.engine.word_table._hash", last_place)
    words = [str(number).encode() for number in range(300)]
    table = WordTable()
    table.add(*keys_of(words[:100]), np.arange(100, dtype=np.int32))
    table.add(*keys_of(words[100:200]), np.arange(100, 200, dtype=np.int32))
    for look_up in (table.find, table.search):
        assert look_up(*keys_of(words)).tolist() == [*range(200), *[-1] * 100]


def test_an_empty_table_and_one_without_number_0():
    table = WordTable()
    assert table.find(*keys_of([b"a", b"\0"])).tolist() == [-1, -1]
    table.add(*keys_of([b"a"]), np.array([5], np.int32))
    assert table.find(*keys_of([b"a", b"\0"])).tolist() == [5, -1]


@given(st.lists(st.sampled_from([b"a", b"b", b"ab", b"a\0", b"x" * 15])))
def test_distinct_words_in_order_of_first_appearance(words):
    positions, which = distinct(*keys_of(words))
    different = list(dict.fromkeys(words))
    assert [words[position] for position in positions] == different
    assert positions.tolist() == [words.index(word) for word in different]
    assert [different[number] for number in which] == words


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 5))))
def test_concatenated_ranges(ranges):
    starts, lengths = (np.array(column, np.int64) for column in (zip(*ranges) if ranges else ((), ())))
    assert concatenated_ranges(starts, lengths).tolist() == [
        start + k for start, length in ranges for k in range(length)
    ]


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1), st.randoms())
def test_id_lists(lists, chance):
    kept = IdLists()
    for part in (lists[:3], lists[3:]):
        kept.add(np.array(sum(part, []), np.uint32), np.array([len(ids) for ids in part], np.int64))
    numbers = [chance.randrange(len(lists)) for _ in range(20)]
    assert kept.of(np.array(numbers)).tolist() == [token_id for number in numbers for token_id in lists[number]]


# --- counting ---------------------------------------------------------------------------------------------------------


def plain_counts(tokenizer, texts: list[str]) -> list[tuple[bytes, int]]:
    return list(Counter(piece for text in texts for piece in tokenizer._pieces(text)).items())


def test_words_of_real_text_are_counted_in_order_of_first_appearance(trained):
    lines = TEXT.splitlines(keepends=True)
    texts = ["".join(lines[begin : begin + 700]) for begin in range(0, len(lines), 700)]
    counter = WordCounter(trained.pattern)
    for text in texts:
        counter.count(text.encode())
    assert list(counter.words().items()) == plain_counts(trained, texts)


@given(texts=st.lists(st.text(st.sampled_from("ab' \n1é!"), max_size=80), max_size=5))
def test_words_of_any_text_are_counted(trained, texts):
    counter = WordCounter(trained.pattern)
    for text in texts:
        counter.count(text.encode())
    assert list(counter.words().items()) == plain_counts(trained, texts)


def test_long_and_short_words_are_in_one_order(trained):
    words = ["hello", "incomprehensibilities", "you", "incomprehensibilities", "x" * 5000, "me", "hello", "y" * 16]
    texts = [word + "\n" for word in words] + ["".join(word + "\n" for word in words)]
    counter = WordCounter(trained.pattern)
    for text in texts:
        counter.count(text.encode())
    assert list(counter.words().items()) == plain_counts(trained, texts)


def test_placeholders_are_not_counted(trained):
    counter = WordCounter(trained.pattern)
    counter.count(b"one" + PLACEHOLDER + b"two" + PLACEHOLDER, np.array([3, 8]))
    assert list(counter.words().items()) == [(b"one", 1), (b"two", 1)]
