"""Special tokens: control symbols such as <|endoftext|> that stand for one ID each and are never built by merging.

They get the IDs right after the 256 bytes, in the order given:

    <|endoftext|>  <|system|>  <|user|>  ...        the first learned merge
         256           257        258                256 + number of special tokens

Published tables were trained first and got theirs later: in GPT-2's the one special token has the last ID, 50256.
"""

import re
from collections.abc import Iterable, Mapping

from g2c.common.text import DOCUMENT_SEPARATOR

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
"""The tokens of the chat model that the course builds later, IDs 256 to 263."""

ID_LIMIT = 2**31
"""Every token ID is below this, so that programs which read the IDs as signed integers see the same numbers."""


def check_special_tokens(special_tokens: Iterable[str]) -> tuple[str, ...]:
    """The special tokens as a tuple, after checking that every library reads them the same way.

    Each must be printable ASCII and not empty, all must differ, and none may begin with another: with "<|a" and
    "<|a|>" in one list, libraries disagree on which of the two stands at "<|a|>".

    Raises:
        TypeError: a single string in place of a list, or an entry that is not a string.
        ValueError: an entry that breaks one of the rules above. The message names it.

    >>> check_special_tokens(["<|end|>", "<|pad|>"])
    ('<|end|>', '<|pad|>')
    """
    if isinstance(special_tokens, (str, bytes)):
        raise TypeError(
            f"special_tokens is a list of strings, but {special_tokens!r} is a single one; write [{special_tokens!r}]."
        )
    tokens = tuple(special_tokens)
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"A special token is a string, but {token!r} is of type {type(token).__name__}.")
        if not token:
            raise ValueError("A special token must not be empty: it would stand between any two characters.")
        if not (token.isascii() and token.isprintable()):
            raise ValueError(f"The special token {token!r} is not printable ASCII; use one like '<|name|>'.")
    # In alphabetical order, what begins with a token comes right after it.
    in_order = sorted(tokens)
    for shorter, longer in zip(in_order, in_order[1:]):
        if longer == shorter:
            raise ValueError(f"The special token {longer!r} is listed twice; each may stand only once.")
        if longer.startswith(shorter):
            raise ValueError(
                f"The special token {longer!r} begins with the special token {shorter!r}, so it is unclear "
                "where one ends; rename one of them."
            )
    return tokens


def special_token_ids(special_tokens: Iterable[str] | Mapping[str, int]) -> dict[str, int]:
    """Special token -> its ID, by ID: 256, 257, ... for a list; a mapping says which, as GPT-2's tables do.

    Raises:
        TypeError, ValueError: as `check_special_tokens`; an ID that is not an integer from 256 to 2**31 - 1; or one ID
            for two tokens.

    >>> special_token_ids(["<|end|>", "<|pad|>"])
    {'<|end|>': 256, '<|pad|>': 257}
    >>> special_token_ids({"<|endoftext|>": 50256})
    {'<|endoftext|>': 50256}
    """
    tokens = check_special_tokens(special_tokens)
    if not isinstance(special_tokens, Mapping):
        return {token: 256 + position for position, token in enumerate(tokens)}
    owner: dict[int, str] = {}
    for token, token_id in special_tokens.items():
        if type(token_id) is not int:
            raise TypeError(f"The ID of a special token is an int, but {token!r} has {token_id!r}.")
        if not 256 <= token_id < ID_LIMIT:
            raise ValueError(
                f"The special token {token!r} has the ID {token_id}, but special tokens have IDs from 256 to "
                "2**31 - 1: those below belong to the bytes."
            )
        if token_id in owner:
            raise ValueError(f"The special tokens {owner[token_id]!r} and {token!r} have the same ID, {token_id}.")
        owner[token_id] = token
    return {owner[token_id]: token_id for token_id in sorted(owner)}


def split_at_special_tokens(text: str, special_tokens: Iterable[str]) -> list[str]:
    """Cut `text` before and after each special token. The parts joined give `text`; empty parts are left out.

    >>> split_at_special_tokens("Hi<|end|><|end|>Bye", ["<|end|>"])
    ['Hi', '<|end|>', '<|end|>', 'Bye']
    """
    alternatives = "|".join(re.escape(token) for token in special_tokens)
    if not alternatives:
        return [text] if text else []
    return [part for part in re.split(f"({alternatives})", text) if part]
