"""Module 04d: real tokenizers, read from their published files. You complete this file.

    GPT-2     encoder.json, vocab.bpe   token -> ID, and the merges as a list     byte-level BPE, gpt2 pattern
    cl100k    cl100k_base.tiktoken      token -> ID, and no merges                byte-level BPE, gpt4 pattern
    BERT      vocab.txt                 a token per line, its ID the line number  WordPiece

With GPT-2's merges, your `BPETokenizer` is GPT-2's: your `encode` gives the IDs that the model was trained on. The code
that reads the files is given. The three TODOs are the ideas behind these files; the tests follow the same order:

    pytest tests/test_pretrained.py
"""

from collections.abc import Iterable

from g2c.tokenizer.base import Pair


def byte_characters() -> dict[int, str]:
    """Map each byte to its character in GPT-2's files, so that tokens are text without spaces or line breaks.

    1. A byte that is a visible character in Latin-1 is written as that character, chr(byte). These are the bytes 33 to
       126, 161 to 172 and 174 to 255, inclusive.
    2. Go through the other bytes in ascending order. The first gets chr(256), the second chr(257), and so on.

    Returns a dictionary, byte (0 to 255) -> one character, all different, in byte order.

    >>> characters = byte_characters()
    >>> "".join(characters[byte] for byte in b" the\\n")
    'ĠtheĊ'

    The trap: the number added to 256 counts invisible bytes, not all bytes. The space is byte 32, and the bytes 0 to 32
    are all invisible, so it gets chr(256 + 32), which is Ġ. The next invisible byte, 127, gets chr(256 + 33).
    """
    raise NotImplementedError("TODO: byte_characters")


def merges_from_ranks(ranks: dict[bytes, int]) -> dict[Pair, int]:
    """Recover the merges from a table that lists only tokens and their ranks, as a .tiktoken file does.

    A token's rank is its ID, and tokens were learned in order of rank. When a token was learned, only tokens of lower
    rank existed. Encoding its bytes with those alone gives two tokens: the pair that was merged.

    1. Go through the tokens in order of rank. Skip single bytes, which no merge makes.
    2. Start with one part for each byte of the token.
    3. Find the pairs of neighboring parts whose joined bytes are a token of lower rank than this one. Join the pair
       whose token has the lowest rank. Repeat until there is no such pair.
    4. Two parts are left. Their ranks are the pair, and the token's own rank is the ID of the merge.

    `ranks` is a dictionary, token -> rank, with all 256 single bytes; no token is empty.
    Returns a dictionary, pair of IDs -> ID, in the order learned: the content of `BPETokenizer.merges`. Raises
    ValueError if more than two parts are left, so no merge can have made the token. The message names the token.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"he": 257, b"the": 258}
    >>> merges_from_ranks(ranks)
    {(116, 104): 256, (104, 101): 257, (256, 101): 258}

    The trap: only ranks below the token's own count. If the token itself counted, its last two parts would be joined,
    and only one part would be left.
    """
    raise NotImplementedError("TODO: merges_from_ranks")


def character_spans(tokens: Iterable[bytes]) -> list[tuple[int, int]]:
    """Find the position of each token in the text, in characters. Libraries call these positions offsets.

    A span (start, end) works like a slice: the token covers text[start:end]. A token that contains part of a character
    covers that character, so the spans of two tokens can overlap.

    1. In UTF-8, a byte begins a character unless it is a continuation byte, 10xxxxxx in binary:
       `byte & 0b11000000 == 0b10000000`.
    2. Keep a count of the characters that began before the token.
    3. A token starts at this count. If its first byte is a continuation byte, it starts one lower, inside the previous
       character.
    4. Add the number of characters that begin in the token. The sum is the token's end, and the count for the next
       token.

    `tokens` are the bytes of each token; none is empty, and joined they are valid UTF-8.
    Returns (start, end) for each token, in characters.

    >>> character_spans([b"na", b"\\xc3\\xafve", b" \\xf0\\x9f", b"\\x91\\x8b"])
    [(0, 2), (2, 5), (5, 7), (6, 7)]

    The trap: count characters, not bytes. "ï" is one character of two bytes, so "ïve" is text[2:5], not text[2:6].
    """
    raise NotImplementedError("TODO: character_spans")
