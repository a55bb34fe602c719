"""The frozen table: what it says, that it is never stale, what it refuses, which tokens are broken, and large ones."""

import copy
import pickle
import re
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models

from g2c.common.errors import UnsupportedTokenizer
from g2c.formats.from_vocabulary import table_of_ranks
from g2c.formats.hf_format import bytes_to_chars
from g2c.formats.kept import MIN_SIZE, kept_table
from g2c.formats.table import BYTE_TOKENS, Table
from g2c.solutions.bpe import BPETokenizer
from support.tokenizer_files import TEXT, trained

PERMUTED = bytes(range(255, -1, -1))
SPECIAL_TOKENS = trained().special_tokens


def with_merges(merges) -> BPETokenizer:
    tokenizer = BPETokenizer()
    tokenizer.byte_ids, tokenizer.merges = PERMUTED, merges
    return tokenizer


def test_a_table_numbers_bytes_and_merges_as_symbols():
    table = Table.of(with_merges({(151, 154): 256, (158, 256): 300}))
    assert table.tokens[256:] == [b"he", b"ahe"] and table.ids[table.left].tolist() == [151, 158]
    for merges in ({(158, 257): 256, (151, 154): 257}, {(97, 97): 256, (97, 98): 256}, {(97, 97): 2**31}):
        with pytest.raises(ValueError, match=r"The merge \(.*, number [12], (uses 257, which is|makes a wrong ID)"):
            Table.of(with_merges(merges))
    for pair, new_id in (((None, 97), 300), ((97, 97.5), 300), ((97, 97), "300"), ("97", 300), (5, 300)):
        with pytest.raises(ValueError, match=re.escape(f"{pair!r}")):
            Table.of(with_merges({pair: new_id}))
    with pytest.raises(TypeError, match="should be a BPETokenizer, but it is of type dict"):
        Table.of({})


def test_edited_merges_never_give_an_old_table(tmp_path):
    """After training, after loading, and in a copy; however they are edited."""
    made, loaded, right = trained(), BPETokenizer.load(trained().save(tmp_path)), trained()
    *pairs, last = right.merges
    new_id = right.merges[last]
    for tokenizer in (made, loaded, copy.copy(made), pickle.loads(pickle.dumps(loaded)), copy.deepcopy(loaded)):
        table = Table.of(tokenizer)
        assert Table.of(tokenizer) is table and table.merges() == right.merges and table.vocab() == right.vocab
        for edited in (
            right.merges | {(116, 116): new_id + 1},
            {pair: right.merges[pair] for pair in pairs},
            right.merges | {last: new_id + 1},
            dict(zip([*pairs, (116, 116)], right.merges.values())),
            right.merges,
        ):
            tokenizer.merges.clear()
            tokenizer.merges.update(edited)
            assert Table.of(tokenizer).merges() == edited
            assert tokenizer.encode_fast(TEXT) == tokenizer.encode(TEXT)
        tokenizer.merges = {}
        assert tokenizer.encode_fast("the") == [*b"the"]


def test_changed_settings_never_give_an_old_table(tmp_path):
    for tokenizer in (trained(), BPETokenizer.load(trained().save(tmp_path))):
        assert tokenizer.encode_fast("t\u0301e<|end|>")[-1] == 258
        tokenizer.pattern = r"\w|\W"
        assert Table.of(tokenizer).pattern == r"\w|\W" and tokenizer.encode_fast("the") == [*b"the"]
        before = Table.of(tokenizer)
        tokenizer.special_to_id["<|new|>"] = 900
        assert "<|new|>" not in before.special_to_id
        assert Table.of(tokenizer).special_to_id["<|new|>"] == 900
        tokenizer.normalization, tokenizer.byte_ids = "NFC", PERMUTED
        assert tokenizer.encode_fast("e\u0301") == [255 - byte for byte in "é".encode()]


def test_what_was_read_or_learned_by_the_engine_makes_its_dictionaries_when_they_are_asked_for(tmp_path):
    learned = BPETokenizer(SPECIAL_TOKENS)
    learned.train_exact(TEXT, trained().vocab_size, progress=False)
    for tokenizer in (learned, BPETokenizer.load(trained().save(tmp_path))):
        assert repr(tokenizer) == repr(trained()) and tokenizer.encode_fast(TEXT) == trained().encode(TEXT)
        assert "merges" not in vars(tokenizer), "nothing of this needs them"
        assert (tokenizer.merges, tokenizer.vocab) == (trained().merges, trained().vocab)
        assert tokenizer.merges is tokenizer.merges
        with pytest.raises(AttributeError, match="no attribute 'merge'"):
            _ = tokenizer.merge
        del tokenizer.merges[next(reversed(tokenizer.merges))]
        assert tokenizer.encode_fast(TEXT) == tokenizer.encode(TEXT) != trained().encode(TEXT)
        tokenizer.train(TEXT, 266, progress=False)
        assert tokenizer.num_merges == len(tokenizer.merges) == len(Table.of(tokenizer).left) == 7


def test_set_merges_gives_ids_by_rule_or_changes_nothing():
    tokenizer, other = BPETokenizer(SPECIAL_TOKENS), trained()
    tokenizer.set_merges(list(other.merges))
    assert list(tokenizer.vocab.items()) == list(other.vocab.items())
    with pytest.raises(ValueError, match=r"The pair \(97, 256\) of merge 260 uses an ID that no byte or earlier"):
        tokenizer.set_merges([(97, 97), (97, 256)])
    assert tokenizer.merges == other.merges and tokenizer.vocab == other.vocab


def test_a_large_file_is_read_once_and_again_if_what_was_kept_is_damaged(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_DATA", str(tmp_path))
    table = replace(Table.of(trained()), whole={b"xyz": 900}, normalization="NFC", shown=frozenset(["<|end|>"]))
    contents, made = [bytes(MIN_SIZE - 10), bytes(10)], []

    def make():
        made.append(table)
        return table

    for damage in (lambda data: data, lambda data: data[:-30], lambda data: b"", lambda data: data[:90] + bytes(50)):
        assert kept_table("big", contents, make).merges() == table.merges()
        count = len(made)
        assert kept_table("big", contents, make).settings == table.settings and len(made) == count
        [kept] = tmp_path.glob("big-*.table")
        kept.write_bytes(damage(kept.read_bytes()))
    assert len(made) == 3, "the first time, and after each damage that another look-up followed"
    assert kept_table("big", [contents[0]], make) is table, "a small file is not kept"
    assert kept_table("big", [contents[0], bytes(11)], make) is table, "nor is this the same file"
    monkeypatch.setenv("G2C_DATA", str(tmp_path / "none"))
    assert kept_table("big", contents, make) is table and len(list(tmp_path.iterdir())) == 2


def expected_ids(text, ranks):
    """The IDs of some bytes: repeatedly join the two neighbors of lowest rank, the leftmost first."""
    parts = [text[place : place + 1] for place in range(len(text))]
    while True:
        joined = [ranks.get(one + other, len(ranks)) for one, other in zip(parts, parts[1:])]
        if min(joined, default=len(ranks)) == len(ranks):
            return [ranks[part] for part in parts]
        place = joined.index(min(joined))
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


@st.composite
def tables(draw):
    """(left symbols, right symbols, tokens) of a few merges of a few letters, valid or not."""
    letters = list(b"abc"[: draw(st.integers(1, 3))])
    tokens, left, right = list(BYTE_TOKENS), [], []
    for _ in range(draw(st.integers(1, 14))):
        one, other = draw(st.sampled_from(letters)), draw(st.sampled_from(letters))
        if tokens[one] + tokens[other] not in tokens:
            left.append(one)
            right.append(other)
            letters.append(len(tokens))
            tokens.append(tokens[one] + tokens[other])
    return left, right, tokens


@given(tables())
def test_a_broken_token_is_the_first_that_the_library_encodes_to_others(table):
    left, right, tokens = table
    spelled = [bytes_to_chars(token) for token in tokens]
    library = models.BPE(
        vocab={token: symbol for symbol, token in enumerate(spelled)},
        merges=[(spelled[one], spelled[other]) for one, other in zip(left, right)],
    )
    encoded = {symbol: [part.id for part in library.tokenize(spelled[symbol])] for symbol in range(256, len(tokens))}
    broken = next((symbol for symbol, ids in encoded.items() if ids != [symbol]), None)
    problem = f"The token {broken} .* does not encode to itself: the merge to"
    with pytest.raises(UnsupportedTokenizer, match=problem) if broken else nullcontext():
        Table(np.array(left, int), np.array(right, int), np.arange(len(tokens))).check()


@given(tables(), st.text("abc", max_size=40))
def test_merges_that_are_found_for_ranks_encode_as_the_ranks_do(table, text):
    ranks = {token: rank for rank, token in enumerate(table[2])}
    if all(expected_ids(token, ranks) == [rank] for token, rank in ranks.items()):
        tokenizer = table_of_ranks(ranks).tokenizer(BPETokenizer)
        assert tokenizer.encode(text) == expected_ids(text.encode(), ranks)
    else:
        with pytest.raises(UnsupportedTokenizer, match="No merge makes the token"):
            table_of_ranks(ranks)


def test_ranks_of_repetitions_are_read_unless_that_would_take_long():
    for longest, problem in ((200, nullcontext()), (1000, pytest.raises(ValueError, match="too long to find their"))):
        tokens = [*BYTE_TOKENS, *(b"z" * length for length in range(2, longest))]
        with problem:
            assert len(table_of_ranks({token: rank for rank, token in enumerate(tokens)}).vocab()) == len(tokens)
