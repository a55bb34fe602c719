"""A corpus as one text, the separator between its documents, and a printable form of tokens."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DOCUMENT_SEPARATOR = "<|endoftext|>"
"""Separates two documents of a corpus: as text in a .txt file, as a special token among token IDs."""


@dataclass(frozen=True)
class Corpus:
    """A whole corpus in memory: its name, its text, and the size and SHA-256 of its UTF-8 bytes.

    `facts` are further entries about it in manifest.json.
    """

    name: str
    text: str
    size: int
    sha256: str
    facts: Mapping[str, Any] | None = None


def token_text(token: bytes, *, longest: int | None = None) -> str:
    r"""Return the bytes of a token as printable text on one line. Different tokens give different texts.

    A space becomes ␣, and a backslash is doubled. Characters that are not printable are escaped as in Python (\n, \x1b,
    \u200b), and so are bytes that are not a complete UTF-8 character (\xf0). A text of more than `longest` characters
    ends in ….

    >>> print(token_text(b" the"), token_text(b"\n"), token_text("é".encode()), token_text(b"\xc3"))
    ␣the \n é \xc3
    """
    # surrogateescape turns bytes that are not valid UTF-8 into the characters U+DC80 to U+DCFF.
    text = "".join(_visible(character) for character in bytes(token).decode("utf-8", errors="surrogateescape"))
    # A combining mark needs a base character, or it would attach to the border or word before it.
    if text and unicodedata.category(text[0]).startswith("M"):
        text = "◌" + text
    return text if longest is None or len(text) <= longest else text[: longest - 1] + "…"


def _visible(character: str) -> str:
    code = ord(character)
    if character == " ":
        return "␣"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    # The two characters with a special meaning are escaped, so that the result is unambiguous.
    if character.isprintable() and character not in "\\␣":
        return character
    return f"\\u{code:04x}" if 0x80 <= code < 0x100 else character.encode("unicode_escape").decode()
