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

    A token's rank is its ID; tokens were learned in order of rank. With only the tokens of lower rank, a token's bytes
    are encoded as two tokens: the pair that was merged into it.

    `ranks` is a dictionary, token -> rank. The 256 single bytes have the lowest ranks, and no token is empty.

    Returns a dictionary, pair of IDs -> ID, in the order learned: the content of `BPETokenizer.merges`. Raises
    ValueError if a token's bytes become more than two tokens: no merge can have made it. The message names it.

    >>> single_bytes = {bytes([byte]): byte for byte in range(256)}
    >>> merges_from_ranks(single_bytes | {b"th": 256, b"he": 257, b"the": 258})
    {(116, 104): 256, (104, 101): 257, (256, 101): 258}
    >>> merges_from_ranks(single_bytes | {b"the": 258, b"he": 256, b"th": 257})
    {(104, 101): 256, (116, 104): 257, (116, 256): 258}

    Read: docs/04d-real-tokenizers.md#cl100k-a-list-of-tokens-without-merges
    """
    raise NotImplementedError("TODO: merges_from_ranks")


def character_spans(tokens: Iterable[bytes]) -> list[tuple[int, int]]:
    """Find the position of each token in the text, in characters. Libraries call these positions offsets.

    A span (start, end) works like a slice: the token covers text[start:end]. A token that contains part of a character
    covers that character, so the spans of two tokens can overlap.

    `tokens` are the bytes of each token; none is empty, and joined they are valid UTF-8.

    Returns (start, end) for each token, in characters.

    >>> character_spans([b"na", b"\\xc3\\xafve"])
    [(0, 2), (2, 5)]
    >>> character_spans([b" \\xf0\\x9f", b"\\x91", b"\\x8b!"])
    [(0, 2), (1, 2), (1, 3)]

    Read: docs/04d-real-tokenizers.md#token-positions-spans
    """
    raise NotImplementedError("TODO: character_spans")
