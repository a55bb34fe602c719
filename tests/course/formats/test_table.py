"""The frozen table: what it says, that it is never stale, what it refuses, which tokens are broken, and large ones."""

import copy
import pickle
import re
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models

from g2c.formats.from_vocabulary import _find_splits, table_of_ranks
from g2c.formats.hf_format import bytes_to_chars
from g2c.formats.table import Table
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.base import BPEBase
from support.scarce import within

TEXT = "the cat sat on the mat, the rat ate the hat " * 3
PERMUTED = bytes(range(255, -1, -1))


def trained() -> BPETokenizer:
    tokenizer = BPETokenizer(["<|end|>", "<|pad|>"])
    tokenizer.train(TEXT, 270, progress=False)
    return tokenizer


def with_merges(merges, byte_ids=PERMUTED) -> BPETokenizer:
    tokenizer = BPETokenizer()
    tokenizer.byte_ids, tokenizer.merges = byte_ids, merges
    return tokenizer


def test_a_table_has_the_bytes_of_merges_that_join_tokens_learned_later():
    table = Table.of(with_merges({(158, 257): 256, (151, 154): 257, (256, 256): 300}))
    assert table.tokens[256:] == [b"ahe", b"he", b"aheahe"]
    assert table.ids[table.left].tolist() == [158, 151, 256] and table.ids[256:].tolist() == [256, 257, 300]
    for merges in ({(158, 257): 256, (151, 256): 257}, {(97, 97): 256, (97, 98): 256}, {(97, 97): 2**31}):
        with pytest.raises(ValueError, match=r"The merge \(.*, number [12], (joins tokens that|makes a wrong ID)"):
            _ = Table.of(with_merges(merges)).tokens


@pytest.mark.parametrize("entry", [((None, 97), 300), ((97, 97.5), 300), ((97, 97), "300"), ("97", 300), (5, 300)])
def test_what_is_not_a_merge_is_refused_by_name(entry):
    tokenizer = trained()
    tokenizer.merges |= dict([entry])
    with pytest.raises(ValueError, match=re.escape(f"{entry[0]!r}")):
        Table.of(tokenizer)


def test_edited_merges_never_give_an_old_table(tmp_path):
    """After training, after loading, and in a copy; however they are edited."""
    made, loaded = trained(), BPETokenizer.load(trained().save(tmp_path))
    for tokenizer in (made, loaded, copy.copy(made), pickle.loads(pickle.dumps(loaded)), copy.deepcopy(loaded)):
        table = Table.of(tokenizer)
        assert Table.of(tokenizer) is table and table.merges() == made.merges and table.vocab() == made.vocab
        kept = dict(tokenizer.merges)
        last, new_id = list(kept.items())[-1]
        for edited in (
            kept | {(116, 116): new_id + 1},
            dict(list(kept.items())[:-1]),
            kept | {last: new_id + 1},
            dict(zip([*list(kept)[:-1], (116, 116)], kept.values())),
        ):
            tokenizer.merges.clear()
            tokenizer.merges.update(edited)
            fresh = BPETokenizer(["<|end|>", "<|pad|>"])
            fresh.merges = dict(tokenizer.merges)
            assert Table.of(tokenizer).merges() == dict(tokenizer.merges)
            assert tokenizer.encode_fast(TEXT) == fresh.encode_fast(TEXT)
            tokenizer.merges.clear()
            tokenizer.merges.update(kept)
        tokenizer.merges = {}
        assert tokenizer.encode_fast("the") == [*b"the"]
        tokenizer.merges = kept


def test_changed_settings_never_give_an_old_table(tmp_path):
    for tokenizer in (trained(), BPETokenizer.load(trained().save(tmp_path))):
        assert tokenizer.encode_fast("t\u0301e<|end|>")[-1] == 256
        tokenizer.pattern = r"\w|\W"
        assert Table.of(tokenizer).pattern == r"\w|\W" and tokenizer.encode_fast("the") == [*b"the"]
        before = Table.of(tokenizer)
        tokenizer.special_to_id["<|new|>"] = 900
        assert "<|new|>" not in before.special_to_id
        assert Table.of(tokenizer).special_to_id["<|new|>"] == 900
        tokenizer.normalization, tokenizer.byte_ids = "NFC", PERMUTED
        assert tokenizer.encode_fast("e\u0301") == [255 - byte for byte in "é".encode()]


def test_what_was_read_from_a_file_makes_its_dictionaries_when_they_are_asked_for(tmp_path):
    loaded = BPETokenizer.load(trained().save(tmp_path))
    assert "merges" not in vars(loaded) and "vocab" not in vars(loaded)
    assert repr(loaded) == repr(trained()) and loaded.encode_fast(TEXT) == trained().encode(TEXT)
    assert "merges" not in vars(loaded), "neither needs them"
    assert (loaded.merges, loaded.vocab) == (trained().merges, trained().vocab)
    assert loaded.merges is loaded.merges
    with pytest.raises(AttributeError, match="no attribute 'merge'"):
        _ = loaded.merge
    loaded.train(TEXT, 265, progress=False)
    assert loaded.num_merges == len(loaded.merges) == len(Table.of(loaded).left) == 7


def test_what_the_engine_learned_holds_until_it_is_edited():
    tokenizer = BPETokenizer(["<|end|>"], "gpt4")
    tokenizer.train_exact(TEXT, 270, progress=False)
    table, before = Table.of(tokenizer), tokenizer.encode_fast(TEXT)
    assert Table.of(tokenizer) is table and "merges" not in vars(tokenizer)
    for same in (copy.copy(tokenizer), copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))):
        assert (same.encode_fast(TEXT), same.merges) == (before, table.merges())
    assert "merges" not in vars(tokenizer)
    del tokenizer.merges[next(reversed(tokenizer.merges))]
    assert tokenizer.encode_fast(TEXT) == tokenizer.encode(TEXT) != before
    assert table.left.size == len(tokenizer.merges) + 1


def test_set_merges_gives_ids_by_rule_or_changes_nothing():
    tokenizer, other = BPETokenizer(["<|end|>", "<|pad|>"]), trained()
    tokenizer.set_merges(list(other.merges))
    assert list(tokenizer.merges.items()) == list(other.merges.items())
    assert list(tokenizer.vocab.items()) == list(other.vocab.items())
    with pytest.raises(ValueError, match=r"The pair \(97, 256\) of merge 259 joins what no byte or earlier merge is"):
        tokenizer.set_merges([(97, 97), (97, 256)])
    assert tokenizer.merges == other.merges and tokenizer.vocab == other.vocab


def test_a_checked_table_is_kept_as_bytes():
    ranks = {bytes([byte]): 255 - byte for byte in range(256)} | {b"bc": 256, b"abc": 257, b"xyz": 259}
    table = table_of_ranks(ranks, {"<|end|>": 258}, "qwen")
    data = table.to_bytes()
    again = Table.from_bytes(data)
    assert (again.settings, again.is_right) == (table.settings, True)
    for one, other in zip((again.left, again.right, again.ids), (table.left, table.right, table.ids)):
        assert one.dtype == other.dtype == np.int64 and one.tolist() == other.tolist()
    for damaged in (data[:-30], b"", data.replace(b"[1, ", b"[9, "), data[:200] + bytes(50) + data[250:]):
        with pytest.raises(ValueError, match="This is not a table that to_bytes wrote"):
            Table.from_bytes(damaged)


def test_only_a_tokenizer_has_a_table():
    with pytest.raises(TypeError, match="should be a BPETokenizer, but it is of type dict"):
        Table.of({})
    assert Table.of(BPEBase()).vocab() == BPEBase().vocab


# --- which merges make a token ----------------------------------------------------------------------------------------

BYTES = [bytes([byte]) for byte in range(256)]


def expected_ids(token, ranks, below):
    """A token under the ranks below one: repeatedly join the two neighbors of lowest rank, the leftmost first."""
    parts = [token[place : place + 1] for place in range(len(token))]
    while True:
        joined = [ranks.get(one + other, below) for one, other in zip(parts, parts[1:])]
        if min(joined, default=below) >= below:
            return [ranks[part] for part in parts]
        place = joined.index(min(joined))
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


@st.composite
def tables(draw):
    """(left symbols, right symbols, tokens) of a few merges of a few letters, valid or not."""
    letters = list(b"abc"[: draw(st.integers(1, 3))])
    tokens, left, right = list(BYTES), [], []
    for _ in range(draw(st.integers(1, 14))):
        one, other = draw(st.sampled_from(letters)), draw(st.sampled_from(letters))
        if tokens[one] + tokens[other] not in tokens:
            left.append(one)
            right.append(other)
            letters.append(len(tokens))
            tokens.append(tokens[one] + tokens[other])
    return left, right, tokens


@given(tables())
def test_broken_tokens_and_splits_are_those_that_encoding_finds(table):
    left, right, tokens = table
    spelled = [bytes_to_chars(token) for token in tokens]
    library = models.BPE(
        vocab={token: symbol for symbol, token in enumerate(spelled)},
        merges=[(spelled[one], spelled[other]) for one, other in zip(left, right)],
    )
    encoded = {symbol: [part.id for part in library.tokenize(spelled[symbol])] for symbol in range(256, len(tokens))}
    broken = next((symbol for symbol, ids in encoded.items() if ids != [symbol]), None)
    found = Table(np.array(left), np.array(right), np.arange(len(tokens))).broken
    assert (found and found[0]) == broken, f"the merges encode as {encoded}"

    ranks = {token: rank for rank, token in enumerate(tokens)}
    splits = [expected_ids(token, ranks, rank) for rank, token in enumerate(tokens) if rank > 255]
    until = next((place for place, ids in enumerate(splits) if len(ids) != 2), len(splits))
    made = list(_find_splits(tokens[256:]))
    assert made[:until] == [tuple(tokens[symbol] for symbol in ids) for ids in splits[:until]]
    assert until == len(splits) or made[until] is None, "no two earlier tokens make it"


# --- large tables -----------------------------------------------------------------------------------------------------


def test_tokens_that_double_end_in_a_sentence():
    tokenizer = BPETokenizer()
    tokenizer.merges = {(97, 97): 256} | {(made, made): made + 1 for made in range(256, 300)}
    with pytest.raises(ValueError, match="The tokens have more than 268,435,456 bytes in all"):
        tokenizer.save("never")


@pytest.mark.parametrize(
    ("tokens", "problem"),
    [
        ([b"z" * length for length in range(2, 6000)], "too long to find out their merges"),
        ([b"z" * 2**exponent for exponent in range(1, 23)], "too long to find out their merges"),
        ([b"z" * length for length in range(2, 700)], None),
        ([b"z" * 2**exponent for exponent in range(1, 13)], None),
    ],
)
def test_ranks_of_repetitions_are_read_unless_that_would_take_long(tokens, problem):
    ranks = {token: rank for rank, token in enumerate([*BYTES, *tokens])}
    with pytest.raises(ValueError, match=problem) if problem else nullcontext():
        assert len(table_of_ranks(ranks).vocab()) == len(ranks)


def test_a_large_table_is_saved_and_loaded_in_time_that_grows_with_its_size(tmp_path):
    """Pairs of a lower and an upper byte, and pairs of these."""
    tokenizer = BPETokenizer(["<|endoftext|>"], pattern="gpt2")
    pairs = [(low, high) for low in range(128) for high in range(128, 256)]
    ids = list(range(257, 257 + len(pairs)))
    pairs += zip(ids, reversed(ids))
    for pair, new_id in zip(pairs, tokenizer.merge_ids()):
        tokenizer.merges[pair] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[pair[0]] + tokenizer.vocab[pair[1]]
    with within(10):
        again = BPETokenizer.load(tokenizer.save(tmp_path / "t.json"))
    assert again.merges == tokenizer.merges and again.vocab == tokenizer.vocab
