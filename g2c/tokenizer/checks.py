"""Checks of the arguments of tokenizers, with the same messages for all of them."""

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any


def not_text(what: str, text: object) -> TypeError:
    """Return the error for a value that is not a text. `what` begins the message: what must be a text."""
    hint = " Decode bytes first: data.decode('utf-8')." if isinstance(text, (bytes, bytearray)) else ""
    return TypeError(f"{what}, but it is of type {type(text).__name__}.{hint}")


def check_text(text: str) -> None:
    """Raise TypeError for anything but a str, and ValueError for a lone surrogate, which UTF-8 cannot encode."""
    if not isinstance(text, str):
        raise not_text("The text to encode must be a str", text)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"The text contains a lone surrogate (U+{ord(text[error.start]):04X}) at character {error.start}, "
            "which UTF-8 cannot represent. Remove it, or read the file with errors='replace'."
        ) from None


def check_tokens(tokens: Iterable[str], what: str = "token") -> tuple[str, ...]:
    """Check tokens, which messages call `what`, and return them as a tuple. Raises TypeError if they are one str or a
    set, or one is not a str, and ValueError if one is empty, contains a lone surrogate, or is listed twice."""
    # The order of a set can differ from run to run.
    if isinstance(tokens, (str, bytes, set, frozenset)) or not isinstance(tokens, Iterable):
        raise TypeError(f"The {what}s must be a list of strings, not a single one or a set, as is {tokens!r:.40}.")
    checked: dict[str, None] = {}
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"A {what} must be a string, but {token!r} is of type {type(token).__name__}.")
        if not token:
            raise ValueError(f"A {what} must not be empty: it would occur between any two characters.")
        if any("\ud800" <= character <= "\udfff" for character in token):
            raise ValueError(
                f"The {what} {token!r} contains a lone surrogate, which UTF-8 cannot represent. Remove it."
            )
        if token in checked:
            raise ValueError(f"The {what} {token!r} is listed twice; list it once.")
        checked[token] = None
    return tuple(checked)


def check_id(token_id: int, vocab: Mapping[int, Any]) -> None:
    """Raise TypeError for anything but an integer, and ValueError for an integer that is not a token's ID."""
    if not is_integer(token_id):
        kind = type(token_id).__name__
        raise TypeError(f"Token IDs must be integers, one by one, but {token_id!r:.60} is of type {kind}.")
    if token_id not in vocab:
        raise ValueError(f"There is no token with ID {token_id} in this vocabulary of {len(vocab)}.")


def check_number(name: str, number: int, *, at_least: int, why: str = "") -> int:
    """Check that a number is an integer and large enough, and return it. `why` explains the bound in the message."""
    if not is_integer(number):
        raise TypeError(f"{name} must be an integer, but it is {number!r}.")
    if number < at_least:
        raise ValueError(f"{name} is {number}, but it must be at least {at_least}{', ' + why if why else ''}.")
    return int(number)


def is_integer(value: object) -> bool:
    """Tell whether a value is an integer of Python or numpy. True and False are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)
