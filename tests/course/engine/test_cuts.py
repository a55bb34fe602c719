"""Cuts of texts without a pattern. That there are enough of them is part of test_encoding.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.engine.cuts import byte_adjacency, cuts_between_tokens
from g2c.solutions.bpe import BPETokenizer


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
@given(st.text(alphabet="ab é\n😀", max_size=60), st.text(alphabet="ab é\n😀", max_size=60))
def test_ids_of_the_parts_joined_are_those_of_the_whole(corpus, text):
    tokenizer = BPETokenizer()
    tokenizer.train_exact(corpus, 260, progress=False)
    adjacency = byte_adjacency(tokenizer.vocab[new_id] for new_id in tokenizer.merges.values())
    bounds = [0, *cuts_between_tokens(text.encode(), adjacency).tolist(), len(text.encode())]
    parts = [text.encode()[begin:end].decode() for begin, end in zip(bounds, bounds[1:])]
    assert [token_id for part in parts for token_id in tokenizer.encode(part)] == tokenizer.encode(text)
