"""Module 04e, optional: training that keeps its counts. You complete this file.

Plain training counts all pairs again for each merge, although a merge changes only a few words. Incremental training
keeps two tables and updates only the entries that change:

    words         [l o w] x5   [l o w e r] x2   [n e w] x3
    pair_counts   (l,o): 7   (o,w): 7   (w,e): 2   (e,r): 2   (n,e): 3   (e,w): 3
    pair_words    (l,o): {0, 1}   (o,w): {0, 1}   (w,e): {1}   (e,r): {1}   (n,e): {2}   (e,w): {2}

    merge (l,o): only words 0 and 1 are visited; word 2 is not

Fill in the three TODOs from top to bottom; the tests follow the same order:

    pytest tests/test_incremental.py
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from g2c.tokenizer.base import Pair
from g2c.tokenizer.patterns import PATTERNS, split_by_pattern


@dataclass
class PairTables:
    """The tables that incremental training keeps up to date.

    words: the token IDs of each word in the corpus. A word's number is its position in this list.
    frequencies: how often each word occurs in the corpus.
    pair_counts: pair -> how often it occurs in the corpus. Pairs that no longer occur have no entry.
    pair_words: pair -> the numbers of the words that may contain it. A number may remain after the pair has disappeared
        from that word, but no word that contains the pair may be missing.
    words_touched: how many words `apply_merge` has visited so far, as a measure of the work done.
    """

    words: list[list[int]] = field(default_factory=list)
    frequencies: list[int] = field(default_factory=list)
    pair_counts: dict[Pair, int] = field(default_factory=dict)
    pair_words: dict[Pair, set[int]] = field(default_factory=dict)
    words_touched: int = 0


def count_words(text: str) -> dict[bytes, int]:
    """Count the words of a text, split by the gpt2 pattern, in order of first appearance. Given.

    Returns the UTF-8 bytes of each word -> how often it occurs. Raises ValueError for a lone surrogate.

    >>> count_words("low low lower")
    {b'low': 1, b' low': 1, b' lower': 1}
    """
    return dict(Counter(piece.encode() for piece in split_by_pattern(text, PATTERNS["gpt2"])))


def first_place(tables: PairTables, pair: Pair) -> tuple[int, int]:
    """Find where `pair` first occurs in the corpus: (number of the word, position in the word). Given.

    Of pairs with equal counts, the one with the lower place wins. Raises ValueError if none of the words in
    `pair_words` contains the pair.
    """
    for number in sorted(tables.pair_words.get(pair, ())):
        word = tables.words[number]
        for position in range(len(word) - 1):
            if (word[position], word[position + 1]) == pair:
                return number, position
    raise ValueError(f"The pair {pair} has a count, but it occurs in none of the words listed for it in pair_words.")


def build_tables(word_counts: Mapping[bytes, int]) -> PairTables:
    """Count all pairs once, and record for each pair which words contain it.

    1. Number the words from 0, in the order of the dictionary. A word's IDs are its bytes, in a list.
    2. For each pair of neighbors in a word, add the word's frequency to the pair's count.
    3. Add the word's number to the pair's set of words.

    `word_counts` is a dictionary, word -> frequency (at least 1), in order of first appearance in the corpus.
    Returns new tables, with `words_touched` at 0.

    >>> tables = build_tables({b"low": 5, b"lo": 2})
    >>> tables.words, tables.frequencies
    ([[108, 111, 119], [108, 111]], [5, 2])
    >>> tables.pair_counts
    {(108, 111): 7, (111, 119): 5}
    >>> tables.pair_words
    {(108, 111): {0, 1}, (111, 119): {0}}

    The trap: a pair that occurs twice in a word counts twice. Add the frequency once for each occurrence.
    """
    raise NotImplementedError("TODO: build_tables")


def apply_merge(tables: PairTables, pair: Pair, new_id: int) -> None:
    """Replace `pair` with `new_id` in the words that contain it, and update the counts of all pairs that this changes.

    Afterwards, the tables contain what `build_tables` would find in the new words, except that `pair_words` may still
    list words that have lost a pair; the merged pair has no entry there. Only the words in `pair_words[pair]` are
    visited, and each adds 1 to `words_touched`.

    Args:
        tables: modified in place. Its tables are plain dictionaries: a key that is missing has no default.
        pair: the pair to replace, from left to right. It occurs in at least one word. You may call module 04's
            `BPETokenizer()._merge`.
        new_id: the ID that replaces it.

    >>> tables = build_tables({b"low": 5, b"lo": 2, b"new": 3})
    >>> apply_merge(tables, (108, 111), 256)
    >>> tables.words, tables.words_touched
    ([[256, 119], [256], [110, 101, 119]], 2)
    >>> tables.pair_counts
    {(110, 101): 3, (101, 119): 3, (256, 119): 5}
    >>> tables = build_tables({b"aaaa": 1})
    >>> apply_merge(tables, (97, 97), 256)
    >>> tables.words, tables.pair_counts
    ([[256, 256]], {(256, 256): 1})

    Read: docs/04e-fast-training.md#keep-the-counts
    """
    raise NotImplementedError("TODO: apply_merge")


def train_incremental(word_counts: Mapping[bytes, int], num_merges: int, *, first_id: int = 256) -> dict[Pair, int]:
    """Learn the same merges as plain training, with tables that are built once and kept up to date.

    If several pairs share the highest count, the one whose `first_place` is lowest is merged. `first_place` searches
    words, so call it only for these pairs.

    Args:
        word_counts: word -> frequency, at least 1, in order of first appearance in the corpus.
        num_merges: the maximum number of merges to learn, 0 or more; fewer are learned if no pair is left.
        first_id: the ID of the first merge. The others follow.

    Returns a dictionary, pair -> ID, in the order learned: the merges of plain training on the same corpus.

    >>> train_incremental({b"low": 5, b"lower": 2, b"new": 3}, num_merges=2)
    {(108, 111): 256, (256, 119): 257}
    >>> train_incremental({b"no": 1, b"on": 1}, num_merges=9, first_id=300)
    {(110, 111): 300, (111, 110): 301}

    Read: docs/04e-fast-training.md#ties
    """
    raise NotImplementedError("TODO: train_incremental")
