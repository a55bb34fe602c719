"""Special tokens: control symbols such as <|endoftext|>, each with an ID of its own that no merge produces.

Their IDs follow the IDs of the 256 bytes, in the order given:

    <|endoftext|>  <|system|>  <|user|>  ...        the first learned merge
         256           257        258                256 + number of special tokens

In published tokenizers, they often follow the merges: GPT-2's only special token has the last ID, 50256. One special
token may begin with another. Where both match, the longer one is taken, as in tokenizers.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from operator import index

from g2c.common.errors import UnsupportedTokenizer
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.tokenizer.checks import check_tokens

COURSE_SPECIAL_TOKENS: tuple[str, ...] = (
    DOCUMENT_SEPARATOR,
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|tool_call|>",
    "<|tool_result|>",
    "<|end|>",
    "<|pad|>",
)
"""The special tokens of the chat model that the course builds later, with the IDs 256 to 263."""

ID_LIMIT = 2**31
"""IDs in files are below this limit, so that programs that read signed 32-bit integers see the same IDs."""

MAX_TOKENS = 2_000_000
"""The largest number of tokens, and a limit for their IDs: libraries make tables by ID."""

_BYTE_CHARACTERS = frozenset(map(chr, [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x144)]))
"""The characters with which tokenizer.json spells bytes. g2c/formats/hf_format.py, in a room above, defines this byte
alphabet; test_special_tokens.py compares the two."""


def spelled_like_bytes(token: str) -> bool:
    """Tell whether a text has only characters with which tokenizer.json spells bytes, as "the" spells b"the"."""
    return _BYTE_CHARACTERS.issuperset(token)


BYTE_IDS = bytes(range(256))
"""The ID of each byte in the course's own tokenizers."""


def special_token_ids(
    special_tokens: Iterable[str] | Mapping[str, int], byte_ids: Collection[int] = BYTE_IDS
) -> dict[str, int]:
    """Number special tokens: returns special token -> ID, in ascending order of the IDs.

    A list gets the IDs 256, 257, ...; a mapping gives each token's ID. Raises what `check_tokens` raises, TypeError if
    an ID is not an int, and ValueError if it belongs to a byte or to two tokens, or exceeds the limit; or for a text
    that libraries could take for the spelling of bytes in tokenizer.json: a single printable ASCII character, or a text
    such as "<|é|>", which has characters beyond ASCII and only characters that spell bytes.

    >>> special_token_ids(["<|end|>", "<|pad|>"])
    {'<|end|>': 256, '<|pad|>': 257}
    >>> special_token_ids({"<|endoftext|>": 50256})
    {'<|endoftext|>': 50256}
    """
    tokens = check_tokens(special_tokens, "special token")
    for token in tokens:
        if spelled_like_bytes(token) and (len(token) == 1 or not token.isascii()):
            raise UnsupportedTokenizer(
                f"The special token {token!r} is spelled like bytes in tokenizer.json, so libraries would confuse the "
                "two; use a longer one of ASCII characters, like '<|name|>'."
            )
    if not isinstance(special_tokens, Mapping):
        return {token: 256 + position for position, token in enumerate(tokens)}
    owner: dict[int, str] = {}
    ids_of_bytes = frozenset(byte_ids)
    for token, token_id in special_tokens.items():
        token_id = index(token_id)  # It may be an integer of numpy.
        if not 0 <= token_id < MAX_TOKENS or token_id in ids_of_bytes:
            raise ValueError(
                f"The special token {token!r} has the ID {token_id}, but its ID must be from 0 to {MAX_TOKENS - 1:,} "
                "and not a byte's; bytes usually have the IDs 0 to 255."
            )
        if token_id in owner:
            raise ValueError(f"The special tokens {owner[token_id]!r} and {token!r} have the same ID, {token_id}.")
        owner[token_id] = token
    return {owner[token_id]: token_id for token_id in sorted(owner)}


def split_at_special_tokens(text: str, special_tokens: Iterable[str]) -> list[str]:
    """Split `text` before and after each special token, found from left to right; the longest where several begin at
    the same character. The parts, joined, give `text`; none is empty.

    >>> split_at_special_tokens("Hi<|end|><|end|>Bye", ["<|end|>", "<|end|><|end|>"])
    ['Hi', '<|end|><|end|>', 'Bye']
    """
    tokens = tuple(special_tokens)
    if not tokens:
        return [text] if text else []
    return [part for part in special_token_finder(tokens).split(text) if part]


@lru_cache(maxsize=32)
def special_token_finder(special_tokens: tuple[str, ...]) -> re.Pattern[str]:
    """Return a regex that finds the special tokens in a text, the longest at each place, as its group 1."""
    # A regex takes the first alternative that matches.
    return re.compile(f"({'|'.join(map(re.escape, sorted(special_tokens, key=len, reverse=True)))})")
