"""Text that several rooms agree on: what separates two documents, and how the bytes of a token are shown."""

import unicodedata

DOCUMENT_SEPARATOR = "<|endoftext|>"
"""Stands between two documents of a corpus: as text in a .txt file, as one special token among token IDs."""


def token_text(token: bytes, *, longest: int | None = None) -> str:
    r"""The bytes of a token as text that is safe to show, on one line.

    A space is shown as ␣. Control characters and other characters without a shape of their own are written as Python
    writes them (\n, \t, \x1b, \u200b), and so are bytes that are not a whole UTF-8 character (\xf0). A backslash
    that stands in the token is doubled. With `longest`, text of more characters than that is cut off with an ….

    >>> print(token_text(b" the"), token_text(b"\n"), token_text("é".encode()), token_text(b"\xc3"))
    ␣the \n é \xc3
    """
    # surrogateescape turns a byte that is not valid UTF-8 into one of the characters U+DC80 to U+DCFF.
    text = "".join(_visible(character) for character in bytes(token).decode("utf-8", errors="surrogateescape"))
    # A combining mark needs something to sit on, else it would join the border or word before it.
    if text and unicodedata.category(text[0]).startswith("M"):
        text = "◌" + text
    return text if longest is None or len(text) <= longest else text[: longest - 1] + "…"


def _visible(character: str) -> str:
    code = ord(character)
    if character in _SHOWN_AS:
        return _SHOWN_AS[character]
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if character.isprintable():
        return character
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# The signs that stand for something else, the backslash and ␣, are escaped: what is shown has one meaning only.
_SHOWN_AS = {" ": "␣", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", "␣": "\\u2423"}
