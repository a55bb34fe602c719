"""Encoding a text that comes in chunks, and several texts at the same time.

    chunks    "the ca" "t, the" " hat<|e" "nd|>" …       the lines of a file, a download, a generator
    parts     "the cat," " the hat<|end|>" …             cut where that changes no ID
    IDs       264 99 … 256 …

The IDs of a part depend only on its text, so the IDs of all parts, joined, are those of the joined chunks. cuts.py says
where a text can be cut.
"""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from g2c.engine.cuts import Cutter
from g2c.engine.fast import encoder_of_texts, tables_of
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.checks import check_text
from g2c.tokenizer.special_tokens import AllowedSpecial

PART = 4096
"""Approximate number of bytes that are encoded at once. Their IDs, as Python integers, take up to 150 KB."""

GROUP = 1 << 15
"""Number of characters that a thread encodes at a time, of one text or of several."""


# --- one text in chunks -----------------------------------------------------------------------------------------------


def encode_iterable(
    tokenizer: BPEBase, texts: Iterable[str], *, allowed_special: AllowedSpecial = "all"
) -> Iterator[int]:
    """The IDs of a text that comes in chunks: those of `encode_fast("".join(texts))`, one by one.

    Nothing happens at the borders of the chunks: words, special tokens and line breaks may be spread over several of
    them. So the lines of an open file give the IDs of the whole file.

    When the next ID is asked for and none is left, chunks are read until they have 4,096 bytes or more. If they are
    short, as lines are, memory holds less than a megabyte besides the tables of the tokenizer: the chunks, and the text
    since the last place where it could be cut. Natural text has one within a few words. Without one the text is held
    back until one comes, or the end:

    - under "gpt2" and "gpt4", in a run of millions of letters, digits, spaces or punctuation marks alone;
    - without a pattern, as long as every two adjacent bytes are adjacent in some token, as in a run of one character;
    - under another pattern: give it a document at a time.

    Args:
        tokenizer: a trained tokenizer. It may be trained again meanwhile; the IDs are those of its state at the start.
        texts: the chunks, each a str, of any length, also empty.
        allowed_special: as for `BPETokenizer.encode_with_special`.

    Raises:
        TypeError, ValueError: as `encode_fast`, for what a chunk contains, when it is read. A chunk that ends inside a
            surrogate pair is an error: decode bytes with an incremental decoder.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(["<|end|>"], pattern="gpt4")
    >>> _ = tokenizer.train_exact("a\\n\\nb\\n\\nc", 258)
    >>> list(encode_iterable(tokenizer, ["a\\n", "\\n", "b<|e", "nd|>"]))
    [97, 257, 98, 256]
    >>> tokenizer.encode_fast("a\\n\\nb<|end|>")
    [97, 257, 98, 256]
    """
    if isinstance(texts, (str, bytes, bytearray)) or not isinstance(texts, Iterable):
        raise TypeError(
            f"encode_iterable takes an iterable of str, such as a list or an open file, not {type(texts).__name__}."
        )
    encode = encoder_of_texts(tokenizer, allowed_special)
    cutter = Cutter(tables_of(tokenizer).cuts, tokenizer._allowing(allowed_special).special_tokens)
    return (token_id for part in _parts(cutter, texts) for token_id in encode([part])[0])


def _parts(cutter: Cutter, texts: Iterable[str]) -> Iterator[str]:
    """The joined texts in parts, cut where that changes no ID."""
    held: list[bytes] = []
    size, enough = 0, PART
    for chunk in texts:
        check_text(chunk)
        held.append(chunk.encode())
        size += len(held[-1])
        if size >= enough:
            text = b"".join(held)
            cut = cutter.last_cut(text)
            if cut:
                yield text[:cut].decode()
            held, size = [text[cut:]], size - cut
            # Without a cut, the next search waits until the text is twice as long: all searches together take as long
            # as two of the whole.
            enough = max(PART, 2 * size)
    if size:
        yield b"".join(held).decode()


# --- several texts ----------------------------------------------------------------------------------------------------


def encode_batch(
    tokenizer: BPEBase,
    texts: Iterable[str],
    *,
    num_threads: int | None = None,
    allowed_special: AllowedSpecial = "all",
) -> list[list[int]]:
    """The IDs of each of several texts: a list with what `encode_fast` gives for each, computed on all cores.

    Args:
        tokenizer: a trained tokenizer.
        texts: any number of texts. No token crosses from one to the next.
        num_threads: number of threads; None means one for each core.
        allowed_special: as for `BPETokenizer.encode_with_special`.

    Raises:
        TypeError, ValueError: as `encode_fast`, for one of the texts; and ValueError if `num_threads` is below 1.

    >>> from g2c.tokenizer import BPETokenizer
    >>> encode_batch(BPETokenizer(["<|end|>"]), ["Hi", "", "<|end|>"])
    [[72, 105], [], [256]]
    """
    if isinstance(texts, (str, bytes, bytearray)):
        raise TypeError(f"encode_batch takes several texts, not {type(texts).__name__}; write [text].")
    if num_threads is not None and num_threads < 1:
        raise ValueError(f"num_threads={num_threads} is too few; it must be at least 1.")

    encode, groups = encoder_of_texts(tokenizer, allowed_special), list(_groups(texts))
    if len(groups) == 1:
        # To start a thread takes longer.
        return encode(groups[0])
    with ThreadPoolExecutor(num_threads or os.cpu_count()) as pool:
        return list(chain.from_iterable(pool.map(encode, groups)))


def _groups(texts: Iterable[str]) -> Iterator[list[str]]:
    """The texts in lists of about `GROUP` characters."""
    group, length = [], 0
    for text in texts:
        check_text(text)
        group.append(text)
        length += len(text)
        if length >= GROUP:
            yield group
            group, length = [], 0
    if group:
        yield group
