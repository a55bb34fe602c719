"""Decoding in a loop: from token IDs to bytes."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from g2c.engine.compiled import Int64, UInt8, UInt32, entry


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
