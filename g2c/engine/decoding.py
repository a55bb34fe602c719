"""From token IDs to bytes, and from tokens to the characters of the text that they cover."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from g2c.engine.compiled import Int64, UInt8, UInt32, entry
from g2c.engine.fast import encode_fast
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.special_tokens import AllowedSpecial


def decode_bytes(tokenizer: BPEBase, ids: Iterable[int]) -> bytes:
    """The bytes that IDs stand for, one after the other.

    `decode` turns bytes into text, and replaces those that are not valid UTF-8. This function loses nothing: the IDs of
    a model's answer so far may end inside a character.

    Args:
        ids: IDs, in a list or an array. Those of special tokens give the bytes of their text.

    Raises:
        ValueError: an ID does not exist. The message names it.

    >>> from g2c.tokenizer import BPETokenizer
    >>> decode_bytes(BPETokenizer(["<|end|>"]), [72, 105, 240, 159, 256])
    b'Hi\xf0\x9f<|end|>'
    """
    return b"".join(_tokens(tokenizer.vocab, ids))


def _tokens(vocab: Mapping[int, bytes], ids: Iterable[int]) -> list[bytes]:
    ids = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
    try:
        return [vocab[token_id] for token_id in ids]
    except KeyError as error:
        raise ValueError(f"There is no token with the ID {error.args[0]}; the highest ID is {max(vocab)}.") from None


def encode_with_offsets(
    tokenizer: BPEBase, text: str, *, allowed_special: AllowedSpecial = "all"
) -> tuple[list[int], list[tuple[int, int]]]:
    """The IDs of a text, and the span of each token: `text[start:end]` is what it covers.

    A token may contain only some of the bytes of a character. It then covers the whole character, so that spans can
    overlap, as the offsets of the library tokenizers do.

    Args:
        text: any str.
        allowed_special: as for `BPETokenizer.encode_with_special`.

    Returns:
        (IDs, spans): lists of the same length. A span is (start, end), in characters.

    Raises:
        TypeError, ValueError: as `encode_fast`.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(["<|end|>"])
    >>> encode_with_offsets(tokenizer, "né<|end|>")
    ([110, 195, 169, 256], [(0, 1), (1, 2), (1, 2), (2, 9)])
    """
    ids = encode_fast(tokenizer, text, allowed_special=allowed_special)
    lengths = np.array([len(token) for token in _tokens(tokenizer.vocab, ids)], np.int64)
    ends = np.cumsum(lengths)
    data = np.frombuffer(text.encode(), np.uint8)
    begins_character = (data & 0b1100_0000) != 0b1000_0000
    character_of_byte = np.cumsum(begins_character) - 1
    starts_and_ends = character_of_byte[ends - lengths].tolist(), (character_of_byte[ends - 1] + 1).tolist()
    return ids, list(zip(*starts_and_ends))


# --- many IDs ---------------------------------------------------------------------------------------------------------


@entry
def _decode(ids: UInt32, data: UInt8, ends: Int64, out: UInt8) -> int:
    size = 0
    for i in range(len(ids)):
        for p in range(ends[ids[i]], ends[ids[i] + 1]):
            out[size] = data[p]
            size += 1
    return size


class Decoder:
    """Turns arrays of token IDs into bytes.

    >>> decoder = Decoder({0: b"th", 1: b"e", 3: b"<|end|>"})
    >>> decoder.decode(np.array([0, 1, 3], np.uint32))
    b'the<|end|>'
    >>> decoder.lengths(np.array([0, 1, 3], np.uint32)).tolist()
    [2, 1, 7]
    """

    def __init__(self, vocab: Mapping[int, bytes]) -> None:
        """Args: vocab: ID -> the token's bytes. IDs between them have no bytes."""
        tokens = [vocab.get(token_id, b"") for token_id in range(max(vocab) + 1)]
        self._data = np.frombuffer(bytearray(b"".join(tokens)) or bytearray(1), np.uint8)
        self._ends = np.append(0, np.cumsum([len(token) for token in tokens], dtype=np.int64))

    def lengths(self, ids: NDArray[np.uint32]) -> NDArray[np.int64]:
        """The number of bytes of each token. Every ID must be in the vocabulary."""
        lengths: NDArray[np.int64] = self._ends[1:][ids] - self._ends[:-1][ids]
        return lengths

    def decode(self, ids: NDArray[np.uint32]) -> bytes:
        """The bytes of the tokens, concatenated. Every ID must be in the vocabulary."""
        out = np.empty(int(self.lengths(ids).sum()), np.uint8)
        _decode(np.array(ids, np.uint32), self._data, self._ends, out)
        return out.tobytes()
