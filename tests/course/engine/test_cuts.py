"""The table of adjacent bytes, and cuts of texts without a pattern."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.engine.cuts import byte_adjacency, cuts_between_tokens
from g2c.solutions.bpe import BPETokenizer


@given(st.lists(st.binary(max_size=6), max_size=20))
def test_the_table_holds_the_adjacent_bytes_of_each_token_and_no_others(tokens):
    expected = {pair for token in tokens for pair in zip(token, token[1:])}
    assert set(map(tuple, np.argwhere(byte_adjacency(iter(tokens))).tolist())) == expected


@pytest.mark.parametrize("window", [b"", b"a"])
def test_windows_without_two_bytes_have_no_cut(window):
    assert cuts_between_tokens(window, byte_adjacency([])).tolist() == []


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
@given(st.text(alphabet="ab é\n😀", max_size=60), st.text(alphabet="ab é\n😀", min_size=1, max_size=60))
def test_ids_of_the_parts_joined_are_those_of_the_whole(corpus, text):
    tokenizer = BPETokenizer()
    tokenizer.train_exact(corpus, 260, progress=False)
    adjacency = byte_adjacency(tokenizer.vocab[new_id] for new_id in tokenizer.merges.values())
    bounds = [0, *cuts_between_tokens(text.encode(), adjacency).tolist(), len(text.encode())]
    parts = [text.encode()[begin:end].decode() for begin, end in zip(bounds, bounds[1:])]
    assert [token_id for part in parts for token_id in tokenizer.encode(part)] == tokenizer.encode(text)
