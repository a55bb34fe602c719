"""Tables of merges: what they have, which are refused, which tokens are broken, and large ones."""

import re
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models

from g2c.common.files import parse_json
from g2c.common.table_limits import MAX_TOKEN_BYTES, MAX_TOKENS
from g2c.formats import interop
from g2c.formats.hf_format import bytes_to_chars, from_hf_dict
from g2c.formats.merge_table import MergeTable, find_splits, merge_table
from g2c.formats.tokenizer_json import load, save
from g2c.solutions.bpe import BPETokenizer
from support.scarce import within

TRAINED = BPETokenizer(["<|end|>", "<|pad|>"])
TRAINED.train("the cat sat on the mat, the rat ate the hat " * 3, 270, progress=False)
PERMUTED = bytes(range(255, -1, -1))


def test_a_table_has_the_bytes_of_merges_that_join_tokens_learned_later():
    table = MergeTable.of({(158, 257): 256, (151, 154): 257, (256, 256): 300}, PERMUTED)
    assert table.tokens[256:] == [b"ahe", b"he", b"aheahe"]
    assert table.ids[table.left].tolist() == [158, 151, 256] and table.ids[256:].tolist() == [256, 257, 300]
    for merges in ({(158, 257): 256, (151, 256): 257}, {(97, 97): 256, (97, 98): 256}, {(97, 97): 2**31}):
        with pytest.raises(ValueError, match=r"The merge \(.*, number [12], (joins tokens that|makes a wrong ID)"):
            MergeTable.of(merges, PERMUTED)


@pytest.mark.parametrize("entry", [((None, 97), 300), ((97, 97.5), 300), ((97, 97), "300"), ("97", 300), (5, 300)])
def test_what_is_not_a_merge_is_refused_by_name(entry):
    with pytest.raises(ValueError, match=re.escape(f"{entry[0]!r}")):
        MergeTable.of(TRAINED.merges | dict([entry]))


def test_a_tokenizers_table_is_built_once_until_its_merges_change():
    tokenizer = BPETokenizer()
    tokenizer.train("the the the", 258, progress=False)
    table = merge_table(tokenizer)
    assert merge_table(tokenizer) is table
    tokenizer.merges[116, 116] = 258
    assert merge_table(tokenizer).tokens[-1] == b"tt"
    tokenizer.merges[116, 116] = 5
    with pytest.raises(ValueError, match=r"The merge \(116, 116\) -> 5, number 3, makes a wrong ID"):
        merge_table(tokenizer)


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
    found = MergeTable(np.array(left), np.array(right), np.arange(len(tokens))).broken
    assert (found and found[0]) == broken, f"the merges encode as {encoded}"

    ranks = {token: rank for rank, token in enumerate(tokens)}
    splits = [expected_ids(token, ranks, rank) for rank, token in enumerate(tokens) if rank > 255]
    until = next((place for place, ids in enumerate(splits) if len(ids) != 2), len(splits))
    made = list(find_splits(tokens[256:]))
    assert made[:until] == [tuple(ids) for ids in splits[:until]]
    assert until == len(splits) or made[until] is None, "no two earlier tokens make it"


# --- large tables -----------------------------------------------------------------------------------------------------


def powers(character, count):
    """A tokenizer with the tokens z, zz, zzzz, ..., each twice as long as the one before."""
    tokenizer = BPETokenizer()
    part = ord(character)
    for new_id in range(256, 256 + count):
        tokenizer.merges[part, part] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[part] * 2
        part = new_id
    return tokenizer


def test_tokens_that_double_are_saved_and_loaded_up_to_the_limit(tmp_path):
    tokenizer = powers("[", 21)
    assert sum(token.count(b"[") for token in tokenizer.vocab.values()) > 2 * MAX_TOKENS, "they are not structure"
    file = save(tokenizer, tmp_path / "t.json")
    assert load(file, BPETokenizer).merges == tokenizer.merges
    with pytest.raises(ValueError, match="bytes in all its tokens together"):
        save(powers("[", 25), file)
    content = parse_json(file.read_bytes(), file)
    for exponent in range(21, 25):
        content["model"]["merges"].append(["[" * 2**exponent] * 2)
        content["model"]["vocab"]["[" * 2 ** (exponent + 1)] = 256 + exponent
    with pytest.raises(ValueError, match=f"bytes in all its tokens together, .* limit of {MAX_TOKEN_BYTES:,}"):
        from_hf_dict(content, BPETokenizer)
    backwards = {(made + 1, made + 1): made for made in range(256, 296)} | {(97, 97): 296}
    with pytest.raises(ValueError, match="bytes in all"):
        MergeTable.of(backwards)


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
        assert interop.from_ranks(ranks, {}, None, BPETokenizer).vocab_size == len(ranks)


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
        again = load(save(tokenizer, tmp_path / "t.json"), BPETokenizer)
    assert again.merges == tokenizer.merges and again.vocab == tokenizer.vocab
