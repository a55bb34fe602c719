"""Special tokens: control symbols such as <|endoftext|> that stand for one ID each and are never built by merging.

They get the IDs right after the 256 bytes, in the order given:

    <|endoftext|>  <|system|>  <|user|>  ...        the first learned merge
         256           257        258                256 + number of special tokens
"""

import re
from collections.abc import Iterable

COURSE_SPECIAL_TOKENS: tuple[str, ...] = (
    "<|endoftext|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|tool_call|>",
    "<|tool_result|>",
    "<|end|>",
    "<|pad|>",
)
"""The tokens of the chat model that the course builds later, IDs 256 to 263."""


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
    for position, token in enumerate(tokens):
        for other in tokens[:position]:
            if token == other:
                raise ValueError(f"The special token {token!r} is listed twice; each may stand only once.")
            if token.startswith(other) or other.startswith(token):
                shorter, longer = sorted((token, other), key=len)
                raise ValueError(
                    f"The special token {longer!r} begins with the special token {shorter!r}, so it is unclear "
                    "where one ends; rename one of them."
                )
    return tokens


def split_at_special_tokens(text: str, special_tokens: Iterable[str]) -> list[str]:
    """Cut `text` before and after each special token. The parts joined give `text`; empty parts are left out.

    >>> split_at_special_tokens("Hi<|end|><|end|>Bye", ["<|end|>"])
    ['Hi', '<|end|>', '<|end|>', 'Bye']
    """
    alternatives = "|".join(re.escape(token) for token in special_tokens)
    if not alternatives:
        return [text] if text else []
    return [part for part in re.split(f"({alternatives})", text) if part]
