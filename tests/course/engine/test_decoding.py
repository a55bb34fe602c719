"""IDs as bytes."""

import random

import numpy as np
import pytest

from g2c.solutions.bpe import BPETokenizer

PIECES = ["the cat", " ", "é", "中文", "👋🏽", "\n\n", "\u0301", "<|end|>", "<|結束|>", "2024", "\t"]
SPECIAL_TOKENS = ["<|end|>", "<|結束|>"]


def random_text(seed: int, length: int = 15) -> str:
    choose = random.Random(seed)
    return "".join(choose.choice(PIECES) for _ in range(length))


@pytest.fixture(params=[None, "gpt2", "gpt4"])
def tokenizer(request) -> BPETokenizer:
    tokenizer = BPETokenizer(SPECIAL_TOKENS, request.param)
    tokenizer.train_exact(random_text(0, 2000), 300, progress=False)
    return tokenizer


def test_bytes_are_not_replaced(tokenizer):
    assert BPETokenizer().decode_bytes([240, 159, 97]) == b"\xf0\x9fa"
    assert tokenizer.decode_bytes(np.array([255, 256], np.uint32)) == b"\xff<|end|>"
    ids = tokenizer.encode_fast(random_text(5))
    for end in range(len(ids)):
        text = tokenizer.decode_bytes(iter(ids[:end])).decode("utf-8", errors="replace")
        assert tokenizer.decode(ids[:end]) == text


@pytest.mark.parametrize("ids", ["ab", ["a"], [[1, 2]], np.array([[1, 2]]), np.array([1.5]), [97, 257], [97, -1]])
def test_what_is_no_id_is_named(ids):
    message = "must be integers, one by one, but .* is of type|no token with ID (257|-1) in this vocabulary of 257"
    with pytest.raises((TypeError, ValueError), match=message):
        BPETokenizer(["<|end|>"]).decode_bytes(ids)
