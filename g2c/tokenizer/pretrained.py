"""Module 04d: tokenizers that others trained, read from the files that they were published in. You complete this file.

    GPT-2     encoder.json, vocab.bpe   token -> ID, and the merges as a list     byte-level BPE, gpt2 pattern
    cl100k    cl100k_base.tiktoken      token -> ID, and no merges                byte-level BPE, gpt4 pattern
    BERT      vocab.txt                 one token a line, its ID the line number  WordPiece

With their merges in it, your `BPETokenizer` is GPT-2: your `encode` gives the IDs that the model was trained on.
Reading the files is given. The three TODOs are what you need to understand them; the tests follow the same order:

    pytest tests/test_pretrained.py
"""

from collections.abc import Iterable

Pair = tuple[int, int]


def byte_characters() -> dict[int, str]:
    """The character that GPT-2's files write for each byte, so that a token is text without spaces and line ends.

    1. Bytes that are visible characters in Latin-1 stand for themselves: byte b is written as chr(b). These are the
       bytes 33 to 126, 161 to 172 and 174 to 255, the last of each range included.
    2. Go through the other bytes from 0 up. The first of them gets chr(256), the second chr(257), and so on.

    Returns:
        byte (0 to 255) -> one character, all different, in the order of the bytes.

    >>> from g2c.tokenizer import byte_characters
    >>> characters = byte_characters()
    >>> "".join(characters[byte] for byte in b" the\\n")
    'ĠtheĊ'

    The trap: 256 counts the bytes without a visible character, not the bytes. The space is byte 32, and all 33 bytes
    from 0 to 32 are invisible, so it gets chr(256 + 32), which is Ġ; byte 127, the next invisible one, gets chr(289).
    """
    raise NotImplementedError("TODO: byte_characters")


def merges_from_ranks(ranks: dict[bytes, int]) -> dict[Pair, int]:
    """Find the merges of a table that lists its tokens only, as a .tiktoken file does.

    A token's rank is its ID, and tokens were learned in the order of their ranks. So when a token was learned, all
    tokens of lower rank were there, and none of higher. Encoded with those alone, its bytes came to two tokens: the
    pair that was merged.

    1. Go through the tokens in the order of their ranks. A single byte is no merge.
    2. Start with the token's bytes, one part for each.
    3. Look at all pairs of neighbouring parts. Of those whose bytes, joined, are a token of lower rank than this one,
       join the pair with the lowest rank. Do it again until there is no such pair.
    4. Two parts are left. Their ranks are the pair, and the token's own rank is the ID that it makes.

    Args:
        ranks: token -> rank, with all 256 single bytes among them; no token is empty.

    Returns:
        pair of IDs -> ID, in the order learned: what `BPETokenizer.merges` holds.

    Raises:
        ValueError: more than two parts are left, so that no merge can have made the token. The message names it.

    >>> from g2c.tokenizer import merges_from_ranks
    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"he": 257, b"the": 258}
    >>> merges_from_ranks(ranks)
    {(116, 104): 256, (104, 101): 257, (256, 101): 258}

    The trap: only ranks below the token's own count. With the token itself among them, its last two parts are joined
    too, and one part is left.
    """
    raise NotImplementedError("TODO: merges_from_ranks")


def character_spans(tokens: Iterable[bytes]) -> list[tuple[int, int]]:
    """Where each token stands in the text, counted in characters: what libraries call offsets.

    A span (start, end) is like a slice: text[start:end] is what the token covers. A token that holds a part of a
    character covers that character, so that the spans of two tokens can overlap.

    1. In UTF-8 a character begins at each byte that is not 10xxxxxx in binary. Those that are, and begin none, have
       `byte & 0b11000000 == 0b10000000`.
    2. Keep count of the characters that have begun before the token.
    3. A token starts at this count; but at one less when its first byte begins no character, since then it starts
       inside the character before.
    4. Add the characters that begin in the token. The sum is the token's end, and the count for the next token.

    Args:
        tokens: the bytes of each token, none of them empty; joined they are UTF-8.

    Returns:
        (start, end) for each token, in characters.

    >>> from g2c.tokenizer import character_spans
    >>> character_spans([b"na", b"\\xc3\\xafve", b" \\xf0\\x9f", b"\\x91\\x8b"])
    [(0, 2), (2, 5), (5, 7), (6, 7)]

    The trap: counting bytes. "ï" has two of them and is one character, so "ïve" is text[2:5] and not text[2:6].
    """
    raise NotImplementedError("TODO: character_spans")
