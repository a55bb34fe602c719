"""Which bytes are adjacent inside a token, and where a text without a pattern can therefore be cut.

If no token contains byte a directly followed by byte b, no merge ever joins what is left of a place between a and b
with what is right of it: the token would contain the two bytes side by side. So the text can be cut there, and the IDs
of the two parts, joined, are those of the whole. English text has such a place every ten to a hundred bytes, even with
thousands of merges.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def byte_adjacency(tokens: Iterable[bytes]) -> NDArray[np.bool_]:
    """Which bytes are adjacent inside at least one of the tokens.

    Returns:
        (256, 256) bool: entry [a, b] is True if some token contains byte a directly followed by byte b.

    >>> np.argwhere(byte_adjacency([b"the", b"th", b"x"])).tolist()
    [[104, 101], [116, 104]]
    """
    tokens = list(tokens)
    data = np.frombuffer(b"".join(tokens), np.uint8)
    has_successor = np.ones(len(data), bool)
    if len(data):
        has_successor[np.cumsum([len(token) for token in tokens]) - 1] = False
    left = np.flatnonzero(has_successor)
    adjacency = np.zeros((256, 256), bool)
    adjacency[data[left], data[left + 1]] = True
    return adjacency


def cuts_between_tokens(window: bytes, adjacency: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Offsets at which a text without a pattern can be cut without changing its IDs.

    Args:
        window: part of a text in UTF-8, which may begin and end within a character.
        adjacency: of all learned tokens, from `byte_adjacency`.

    Returns:
        ascending offsets into `window`, none of them 0 or its length. All are at the beginning of a character.

    >>> cuts_between_tokens("thé the".encode(), byte_adjacency([b"th", b"he"])).tolist()
    [2, 4, 5]
    """
    data = np.frombuffer(window, np.uint8)
    right = data[1:]
    begins_character = (right & 0b1100_0000) != 0b1000_0000
    is_adjacent = adjacency.reshape(-1).take(data[:-1].astype(np.uint16) << 8 | right)
    return np.flatnonzero(begins_character & ~is_adjacent) + 1
