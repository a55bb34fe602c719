"""What the tests of the lab share."""

import pytest

from g2c.solutions.bpe import BPETokenizer


@pytest.fixture(scope="module")
def trained() -> BPETokenizer:
    tokenizer = BPETokenizer(["<|end|>"])
    tokenizer.train("the the the", 260, progress=False)
    return tokenizer
