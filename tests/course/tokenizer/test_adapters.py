"""Adapters for the suites of other courses, which set `merges` and `vocab`: Stanford's CS336, and karpathy/minbpe.

The suites are not here, but what they call is:

- CS336: training on a file with special tokens returns a vocabulary (ID -> bytes) and merges (pairs of bytes), the
  greatest of equally frequent ones first; a tokenizer is made of a vocabulary, merges and special tokens, which may
  overlap; `encode`, `decode`, and `encode_iterable` over an open file.
- minbpe: `train(text, vocab_size)`, `encode`, `decode`, special tokens registered after training, all or none allowed.
"""

import pytest

from g2c.engine.parts import cut_text
from g2c.solutions.bpe import BPETokenizer
from support.recounting import Recounting

TEXT = "low low low low low lower lower widest widest widest newest newest newest newest newest newest"
HARD = ["", "?", "hello world!!!? (안녕하세요!) lol123 😉", "the<|endoftext|> low<|endoftext|><|endoftext|>er"]


class GreatestFirst(Recounting):
    """Follows CS336's rule for equally frequent pairs: the one whose bytes are greatest is merged."""

    def order(self, pair):
        return [self.vocab[token_id] for token_id in pair]


def cs336_train(text, vocab_size, special_tokens):
    """Return vocabulary and merges as CS336 passes them, special tokens first."""
    tokenizer = GreatestFirst(special_tokens, pattern="gpt2")
    tokenizer.train(text, vocab_size, progress=False)
    vocab = {len(special_tokens) + byte: bytes([byte]) for byte in range(256)}
    vocab |= {number: token.encode() for number, token in enumerate(special_tokens)}
    vocab |= {new_id: tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()}
    return vocab, [(tokenizer.vocab[left], tokenizer.vocab[right]) for left, right in tokenizer.merges]


def cs336_tokenizer(vocab, merges, special_tokens=()):
    """Make a tokenizer with any vocabulary by setting its attributes."""
    ids = {token: token_id for token_id, token in vocab.items()}
    known = {token: ids[token.encode()] for token in special_tokens or () if token.encode() in ids}
    others = [token for token in special_tokens or () if token not in known]
    known |= {token: max(vocab) + 1 + number for number, token in enumerate(others)}
    tokenizer = BPETokenizer(pattern="gpt2")
    byte_ids = [ids[bytes([byte])] for byte in range(256)]
    tokenizer._set_special_tokens(known)
    tokenizer.byte_ids = bytes(byte_ids) if max(byte_ids) < 256 else tuple(byte_ids)
    tokenizer.merges = {(ids[left], ids[right]): ids[left + right] for left, right in merges}
    tokenizer.vocab = vocab | {token_id: token.encode() for token, token_id in known.items()}
    return tokenizer


def cs336_encode_iterable(tokenizer, chunks):
    for part in cut_text(map(str.encode, chunks), 4096, tokenizer.pattern, tokenizer.special_tokens):
        yield from tokenizer.encode(part.decode())


def test_a_suite_like_cs336s(tmp_path):
    vocab, merges = cs336_train(TEXT + "<|endoftext|>" + TEXT, 267, ["<|endoftext|>"])
    assert [left + right for left, right in merges[:6]] == [b"st", b"est", b"ow", b"low", b"west", b"ne"]
    assert b"<|endoftext|>" in vocab.values() and len(vocab) == 267
    assert not any(b"<|" in token for token in vocab.values() if token != b"<|endoftext|>")
    tokenizer = cs336_tokenizer(vocab, merges, ["<|endoftext|>", "<|endoftext|><|endoftext|>"])
    for text in HARD:
        ids = tokenizer.encode(text)
        assert ids == tokenizer.encode_fast(text) and tokenizer.decode(ids) == text
    tokens = [tokenizer.decode([one]) for one in tokenizer.encode(HARD[-1])]
    assert tokens.count("<|endoftext|>") == 1 and tokens.count("<|endoftext|><|endoftext|>") == 1
    (tmp_path / "text").write_text(f"{TEXT}\n{HARD[2]}\n" * 50, encoding="utf-8")
    with open(tmp_path / "text", encoding="utf-8") as file:
        streamed = list(cs336_encode_iterable(tokenizer, file))
    assert streamed == tokenizer.encode((tmp_path / "text").read_text(encoding="utf-8"))
    plain = cs336_tokenizer(vocab, merges)
    assert 0 not in plain.encode(HARD[-1]) and plain.decode(plain.encode(HARD[-1])) == HARD[-1]


class MinBPE:
    """minbpe's interface."""

    def __init__(self):
        self._tokenizer = BPETokenizer(pattern="gpt4")

    def train(self, text, vocab_size, verbose=False):
        self._tokenizer.train(text, vocab_size, progress=False)
        self.merges, self.vocab = self._tokenizer.merges, self._tokenizer.vocab

    def register_special_tokens(self, special_tokens):
        """Rebuild the tokenizer: its merges and their IDs stay."""
        again = BPETokenizer(special_tokens, pattern="gpt4")
        again.merges = self.merges
        again.vocab = again.vocab | self.vocab
        self._tokenizer = again

    def encode(self, text, allowed_special="none_raise"):
        if allowed_special == "none_raise":
            assert not any(token in text for token in self._tokenizer.special_tokens)
        return self._tokenizer.encode(text) if allowed_special == "all" else self._tokenizer.encode_ordinary(text)

    def decode(self, ids):
        return self._tokenizer.decode(ids)


def test_a_suite_like_minbpes():
    tokenizer = MinBPE()
    tokenizer.train("aaabdaaabac", 256 + 3)
    assert tokenizer.encode("aaabdaaabac") == [258, 100, 258, 97, 99]
    tokenizer.train(TEXT, 256 + 12)
    tokenizer.register_special_tokens({"<|endoftext|>": 100257, "<|fim_prefix|>": 100258})
    for text in HARD:
        assert tokenizer.decode(tokenizer.encode(text, allowed_special="all")) == text
        assert tokenizer.decode(tokenizer.encode(text, allowed_special="none")) == text
    assert tokenizer.encode(HARD[-1], allowed_special="all").count(100257) == 3
    assert 100257 not in tokenizer.encode(HARD[-1], allowed_special="none")
    with pytest.raises(AssertionError):
        tokenizer.encode(HARD[-1])
