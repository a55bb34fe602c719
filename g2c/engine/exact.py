"""Exact BPE training in a fraction of a second: the merges, IDs and ties of `BPETokenizer.train`, in numpy.

`train` counts every pair of the corpus again for each merge. But a merge changes only the pairs that touch one of its
occurrences. This module counts once and then updates the counts, for which it needs to know where each pair occurs and
which tokens are its neighbors.

**Cells.** The corpus is an array with one cell for each byte. A token's first and last cell hold its ID, the cells
between them hold INSIDE. So the token to the left of position p is in cell p - 1, and the token to the right of one
that starts at p is in cell p + its length. No cell ever moves. Boundaries are cells too, and no pair contains one:

    position      0   1   2   3   4   5   6   7   8   9  10
                  #   t   h   e   _   #   t   h   e   n   #         # is BOUNDARY
    t,h -> 256    #  256 256  e   _   #  256 256  e   n   #
    256,e -> 257  #  257  .  257  _   #  257  .  257  n   #         . is INSIDE

**Starts.** For each token, the sorted array of positions at which it starts: 256 has [1, 6]. A merge does not change
the arrays of its two parts; positions that no longer hold the token are dropped when the array is next read. The
occurrences of a pair are found from the shorter of its two tokens' arrays, all at once:

    256 has length 2 and starts at [1, 6]; cells 1 + 2 and 6 + 2 hold e; so the pair 256,e occurs at [1, 6]

**Counts.** A dictionary from pair to count, and for each count the list of pairs that had it when they were filed
(`_PairQueue`). A pair gains occurrences only in the merge that makes one of its tokens, and can only lose them later.
So the queue goes through the counts from the highest down; a pair that has lost occurrences is filed again, lower, when
it is reached. Only the pairs of the current count need their first position, which breaks ties. Most pairs are so rare
that
they are never merged: they are not stored, and if one is needed after all, the corpus is counted again.

**Words.** With a pattern, equal pieces are merged alike. So each distinct piece is in the array once, in order of first
appearance (which preserves ties), and its cells carry a weight: how often the piece occurs.
"""

from collections import Counter
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.common.progress import training_progress
from g2c.engine.splitting import is_vectorized, piece_bounds
from g2c.engine.word_counter import WordCounts
from g2c.tokenizer.base import BOUNDARY, BPEBase, check_text, warn_vocabulary_not_reached
from g2c.tokenizer.patterns import split_by_pattern
from g2c.tokenizer.special_tokens import split_at_special_tokens

Ties = Literal["first-seen", "lowest-id"]

INSIDE = -2
"""The value of the cells between a token's first and last."""

_FEW = 150
"""Below this number of IDs, counting them in a dictionary is faster than numpy."""

_RARE = 50
"""A pair is rare if its count times this is below the number of tokens in the corpus for each merge to be learned. In
natural text the last pair merged is not rare, unless the vocabulary is so large that nearly every pair is merged."""


def train_exact(
    tokenizer: BPEBase,
    text: str,
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    progress: bool | None = None,
) -> list[int]:
    """Learn merges from `text`, as `tokenizer.train` does, and return the IDs of `text` under them.

    Args:
        tokenizer: gets new `merges` and `vocab`. None of the methods that students write is called.
        text: the corpus. Special tokens and the boundaries of the pattern's pieces are barriers.
        vocab_size: number of tokens in the end: 256 bytes, special tokens and learned merges.
        ties: which of equally frequent pairs is merged. "first-seen": the one that appears first in the corpus, as in
            `train`. "lowest-id": the one with the lowest (first ID, second ID), as in the trainer of Hugging Face
            `tokenizers`. Ties are the only difference between the two trainers: the Rust trainer, too, counts (a, a)
            twice in "aaa" and replaces from left to right. So with "lowest-id" the merges and their order are the same.
        progress: True shows a progress bar, False nothing, None a bar in a terminal or notebook only.

    Raises:
        TypeError, ValueError: as `train`; and ValueError if `ties` is neither of the two.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> train_exact(tokenizer, "the the the", 259)
    [258, 258, 257]
    >>> tokenizer.merges
    {(116, 104): 256, (256, 101): 257, (257, 32): 258}
    >>> _ = train_exact(tokenizer, "the the the", 259, ties="lowest-id")
    >>> tokenizer.merges
    {(104, 101): 256, (116, 256): 257, (32, 257): 258}
    """
    _check_ties(ties)
    tokenizer._check_vocab_size(vocab_size)
    check_text(text)
    pieces = _pieces(tokenizer, text)
    counts = Counter(pieces)
    words = [piece for piece in counts if isinstance(piece, bytes)]
    corpus = _Corpus(WordCounts.of((word, counts[word]) for word in words), tokenizer.byte_ids, vocab_size)
    corpus.tokens += sum(counts[token_id] for token_id in tokenizer.special_token_ids)

    _learn(tokenizer, corpus, vocab_size, ties, progress)

    ids_of_piece: dict[bytes | int, list[int]] = dict(zip(words, corpus.ids_of_words()))
    ids_of_piece.update({token_id: [token_id] for token_id in tokenizer.special_token_ids})
    return list(chain.from_iterable(map(ids_of_piece.__getitem__, pieces)))


def _pieces(tokenizer: BPEBase, text: str) -> list[bytes | int]:
    """All that `tokenizer._pieces` yields, at once: pieces in UTF-8 (before `byte_ids`), special tokens as their ID."""
    pieces: list[bytes | int] = []
    for part in split_at_special_tokens(text, tokenizer.special_tokens):
        if part in tokenizer.special_to_id:
            pieces.append(tokenizer.special_to_id[part])
        elif is_vectorized(tokenizer.pattern):
            data = part.encode()
            bounds = piece_bounds(data, tokenizer.pattern).tolist()
            pieces.extend(data[start:end] for start, end in zip(bounds, bounds[1:]))
        else:
            pieces.extend(piece.encode() for piece in split_by_pattern(part, tokenizer.pattern))
    return pieces


def train_on_words(
    tokenizer: BPEBase,
    words_with_counts: Iterable[tuple[bytes, int]] | WordCounts,
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    progress: bool | None = None,
) -> None:
    """Learn merges from counted pieces: `train_exact` for corpora that do not fit into one string.

    Args:
        tokenizer: gets new `merges` and `vocab`. Its pattern is not applied again.
        words_with_counts: pieces in UTF-8 and how often each occurs, in order of first appearance, without special
            tokens.
        vocab_size, ties, progress: as in `train_exact`.

    Raises:
        TypeError, ValueError: as `train_exact`; and ValueError for a count below 1.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> train_on_words(tokenizer, [(b"low", 5), (b"lower", 2), (b"lowest", 1)], 259)
    >>> [tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()]
    [b'lo', b'low', b'lowe']
    """
    _check_ties(ties)
    tokenizer._check_vocab_size(vocab_size)
    if isinstance(words_with_counts, WordCounts):
        words = words_with_counts
    else:
        words = WordCounts.of(_checked(word, count) for word, count in words_with_counts)
    _learn(tokenizer, _Corpus(words, tokenizer.byte_ids, vocab_size), vocab_size, ties, progress)


def _checked(word: bytes, count: int) -> tuple[bytes, int]:
    if not isinstance(word, bytes):
        raise TypeError(f"A word is bytes, but {word!r} is of type {type(word).__name__}; use word.encode().")
    if count < 1:
        raise ValueError(f"The word {word!r} has the count {count}; a word that occurs has at least 1.")
    return word, count


def _check_ties(ties: str) -> None:
    if ties not in ("first-seen", "lowest-id"):
        raise ValueError(f"ties is 'first-seen' or 'lowest-id', but it is {ties!r}.")


def _learn(tokenizer: BPEBase, corpus: "_Corpus", vocab_size: int, ties: Ties, progress: bool | None) -> None:
    """The training loop: take the most frequent pair, record it, replace it, and update the counts that change."""
    tokenizer._forget()
    first_id = tokenizer.base_vocab_size
    queue = _PairQueue(corpus, ties, least=corpus.tokens // max(1, vocab_size - first_id) // _RARE)
    queue.add(corpus.byte_pair_counts())
    with training_progress(progress, total=vocab_size - first_id) as bar:
        try:
            for new_id in range(first_id, vocab_size):
                best = queue.pop()
                if best is None:
                    warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size, stacklevel=5)
                    break
                first, second, count, positions = best
                tokenizer.merges[first, second] = new_id
                tokenizer.vocab[new_id] = tokenizer.vocab[first] + tokenizer.vocab[second]
                neighbors = corpus.replace(first, second, new_id, positions)
                queue.update(first, second, new_id, neighbors)
                bar.update(new_id - first_id + 1, tokens=corpus.tokens, newest=tokenizer.vocab[new_id], count=count)
        except KeyboardInterrupt:
            tokenizer._drop_unfinished_merge()
            bar.note(f"Stopped after {len(tokenizer.merges)} merges. The tokenizer is complete up to there and usable.")
            raise


# A pair of IDs as one integer, which is a faster dictionary key than a tuple. Both sort in the same order.


def _join(first: int, second: int) -> int:
    return first << 32 | second


def _first_and_second(pair: int) -> tuple[int, int]:
    return pair >> 32, pair & 0xFFFF_FFFF


class _Neighbors(NamedTuple):
    """The neighbors of the occurrences of a pair that is replaced: token ID -> count.

    Each occurrence  x first second y  becomes  x new_id y:  the corpus loses the pairs (x, first) and (second, y) and
    gains (x, new_id) and (new_id, y). If one occurrence directly follows another, the pair between them must not be
    counted twice: it is counted for the occurrence on the right only.
    """

    left_before: dict[int, int]
    """x, before the replacement."""
    left_after: dict[int, int]
    """x, after the replacement: if x was part of another occurrence, it is `new_id` instead of `second`."""
    right: dict[int, int]
    """y, except where y is part of another occurrence."""


class _Corpus:
    """The corpus as cells, and where each token starts. See the module docstring for the layout.

    Attributes:
        cells      (n + 2,) int     token IDs, INSIDE and BOUNDARY; a boundary first, last and between two words
        weights    (n + 2,) int64   how often the word of this cell occurs; None if every word occurs once
        starts     ID -> (k,) int64 ascending positions at which this token starts, or did so earlier
        lengths    ID -> int        length of the token in cells, that is in bytes
        tokens     int              number of tokens in the corpus now
    """

    def __init__(self, words: WordCounts, byte_ids: bytes, vocab_size: int) -> None:
        """Args: byte_ids: the ID of each of the 256 bytes. vocab_size: upper bound of all IDs."""
        data = np.frombuffer(words.data.translate(byte_ids), np.uint8)
        is_byte = np.ones(len(data) + len(words.lengths) + 1, bool)
        is_byte[0] = False
        is_byte[np.cumsum(words.lengths + 1)] = False
        # The smaller the cells, the more of them fit into the processor's cache.
        self.cells: NDArray[np.signedinteger[Any]] = np.full(
            len(is_byte), BOUNDARY, np.min_scalar_type(-vocab_size - 1)
        )
        self.cells[is_byte] = data

        self.weights: NDArray[np.int64] | None = None
        if (words.counts > 1).any():
            self.weights = np.repeat(np.append(0, words.counts), np.append(1, words.lengths + 1))
        self.tokens = int(words.lengths @ words.counts)

        # A stable sort of the bytes groups the positions of each byte, in ascending order.
        positions = np.flatnonzero(is_byte)[np.argsort(data, kind="stable")]
        ends = np.bincount(data, minlength=256).cumsum()
        self.starts: dict[int, NDArray[np.int64]] = dict(enumerate(np.split(positions, ends[:-1])))
        self.lengths = dict.fromkeys(range(256), 1)

    def byte_pair_counts(self) -> list[tuple[int, int]]:
        """The same as `pair_counts` before the first merge, but several times faster: there are few distinct pairs."""
        # BOUNDARY, which is -1, becomes 0.
        symbols = self.cells.astype(np.int32) + 1
        weights = None if self.weights is None else self.weights[:-1]
        counts = np.bincount(symbols[:-1] * 257 + symbols[1:], weights, minlength=257 * 257)
        counts = counts.reshape(257, 257)[1:, 1:]
        return [(_join(left, right), int(counts[left, right])) for left, right in np.argwhere(counts).tolist()]

    def find(self, first: int, second: int) -> NDArray[np.int64]:
        """The ascending positions at which `first` is followed by `second`."""
        found: NDArray[np.int64]
        if len(self.starts[first]) <= len(self.starts[second]):
            positions = self._current_starts(first)
            found = positions[self.cells[positions + self.lengths[first]] == second]
        else:
            positions = self._current_starts(second)
            found = positions[self.cells[positions - 1] == first] - self.lengths[first]
        return found

    def _current_starts(self, token: int) -> NDArray[np.int64]:
        positions = self.starts[token]
        current = self.cells[positions] == token
        if not current.all():
            positions = self.starts[token] = positions[current]
        return positions

    def replace(self, first: int, second: int, new_id: int, positions: NDArray[np.int64]) -> _Neighbors:
        """Replace the pair by `new_id` at `positions`, as returned by `find`."""
        if first == second:
            positions = _without_overlaps(positions, self.lengths[first])
        middles = positions + self.lengths[first]
        ends = middles + self.lengths[second]
        cells = self.cells
        left, right = cells[positions - 1], cells[ends]

        # The order matters: for a part of one cell, its inner end is also an outer end of the new token.
        cells[middles - 1] = INSIDE
        cells[middles] = INSIDE
        cells[positions] = new_id
        cells[ends - 1] = new_id
        self.starts[new_id] = positions
        self.lengths[new_id] = self.lengths[first] + self.lengths[second]

        weights = None if self.weights is None else self.weights[positions]
        self.tokens -= len(positions) if weights is None else int(weights.sum())
        left_before = left_after = _id_counts(left, weights)
        right_counts = _id_counts(right, weights)
        if first in right_counts and second in left_before:
            # Some occurrences may be directly followed by another.
            is_last = cells[ends] != new_id
            left_after = _id_counts(cells[positions - 1], weights)
            right_counts = _id_counts(right[is_last], None if weights is None else weights[is_last])
        return _Neighbors(left_before, left_after, right_counts)

    def token_starts(self) -> NDArray[np.int64]:
        """The ascending positions at which tokens start, and those of the boundaries."""
        not_inside = np.flatnonzero(self.cells != INSIDE)
        # A byte has one such cell, a learned token two, which are now adjacent: drop the second of each.
        learned = np.flatnonzero(self.cells[not_inside] >= 256)
        return np.delete(not_inside, learned[1::2])

    def pair_counts(self) -> list[tuple[int, int]]:
        """(pair, count) for every pair of adjacent tokens."""
        starts = self.token_starts()
        ids = self.cells[starts].astype(np.int64)
        is_pair = (ids[:-1] != BOUNDARY) & (ids[1:] != BOUNDARY)
        pairs = (ids[:-1] << 32 | ids[1:])[is_pair]
        in_order = np.argsort(pairs)
        begins = np.flatnonzero(np.diff(pairs[in_order], prepend=-1))
        if self.weights is None:
            counts = np.diff(begins, append=len(pairs))
        else:
            counts = np.add.reduceat(self.weights[starts[:-1][is_pair]][in_order], begins)
        return list(zip(pairs[in_order[begins]].tolist(), counts.tolist()))

    def ids_of_words(self) -> list[list[int]]:
        """The token IDs of each word."""
        ids = self.cells[self.token_starts()]
        boundaries = np.flatnonzero(ids == BOUNDARY).tolist()
        id_list = ids.tolist()
        return [id_list[start + 1 : end] for start, end in zip(boundaries, boundaries[1:])]


def _without_overlaps(positions: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Of the occurrences of a pair (a, a), those that a replacement from left to right uses: every other one in a run.

    "aaaabaaa" has (a, a) at 0, 1, 2 and at 5, 6; those at 0, 2 and 5 are replaced.

    >>> _without_overlaps(np.array([0, 1, 2, 5, 6]), 1).tolist()
    [0, 2, 5]
    """
    begins_run = np.append(True, positions[1:] != positions[:-1] + length)
    index = np.arange(len(positions))
    index_in_run = index - np.maximum.accumulate(np.where(begins_run, index, 0))
    replaced: NDArray[np.int64] = positions[index_in_run % 2 == 0]
    return replaced


def _id_counts(ids: NDArray[np.signedinteger[Any]], weights: NDArray[np.int64] | None) -> dict[int, int]:
    """ID -> its count in `ids`, or the sum of its weights. Boundaries are left out."""
    if len(ids) >= _FEW:
        # BOUNDARY, which is -1, becomes index 0. Sums of floats are exact up to 2**53.
        sums = np.bincount(ids + 1, weights)[1:]
        present = np.flatnonzero(sums)
        return dict(zip(present.tolist(), sums[present].astype(np.int64).tolist()))
    counts: dict[int, int] = {}
    if weights is None:
        counts = Counter(ids.tolist())
    else:
        for token_id, weight in zip(ids.tolist(), weights.tolist()):
            counts[token_id] = counts.get(token_id, 0) + weight
    counts.pop(BOUNDARY, None)
    return counts


class _PairQueue:
    """Yields the pairs in the order in which they are merged, by count and tie-breaking rule.

        counts        pair -> count                       the pairs that can still be merged
        filed         count -> pairs filed under it       some have a lower count by now
        counts_filed  heap of -count                      the keys of `filed`, highest first
        top           count                               the count that the queue has reached
        candidates    heap of (order, pair, positions)    the pairs whose count was `top` when they were added
        least         count                               pairs with a lower count are not stored

    Rare pairs are left out until no other pair remains: there can be as many of them as tokens, and few are ever
    merged.
    """

    def __init__(self, corpus: _Corpus, ties: Ties, least: int) -> None:
        self.corpus = corpus
        self.ties = ties
        self.counts: dict[int, int] = {}
        self.filed: dict[int, list[int]] = {}
        self.counts_filed: list[int] = []
        self.top = 0
        self.candidates: list[tuple[int, int, NDArray[np.int64]]] = []
        self.least = max(2, least)

    def add(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Add new pairs, each with its count. Rare pairs are ignored."""
        for pair, count in pairs:
            if count >= self.least:
                self.counts[pair] = count
                if count == self.top:
                    heappush(self.candidates, self._candidate(pair))
                else:
                    self._file(pair, count)

    def update(self, first: int, second: int, new_id: int, neighbors: _Neighbors) -> None:
        """Update the counts after a merge: subtract the pairs lost, and add the pairs gained."""
        self._subtract((x << 32 | first, number) for x, number in neighbors.left_before.items())
        self._subtract((second << 32 | y, number) for y, number in neighbors.right.items())
        # Most are rare. Filtering them here, before their keys are computed, saves a tenth of the training time.
        self.add((x << 32 | new_id, number) for x, number in neighbors.left_after.items() if number >= self.least)
        self.add((new_id << 32 | y, number) for y, number in neighbors.right.items() if number >= self.least)

    def _subtract(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Lower counts by (pair, number of occurrences lost). Pairs that are not stored are ignored."""
        counts, least = self.counts, self.least
        for pair, number in pairs:
            if pair in counts:
                count = counts[pair] - number
                if count >= least:
                    counts[pair] = count
                else:
                    del counts[pair]

    def pop(self) -> tuple[int, int, int, NDArray[np.int64]] | None:
        """Remove and return the pair to merge next: (first, second, count, positions). None if no pair is left."""
        while True:
            while self.candidates:
                _, pair, positions = heappop(self.candidates)
                if self.counts.get(pair) == self.top:
                    del self.counts[pair]
                    return *_first_and_second(pair), self.top, positions
                self._file_again(pair)
            if self.counts_filed:
                self._go_to_next_count()
            elif self.least > 1:
                self._admit_rarer_pairs()
            else:
                return None

    def _go_to_next_count(self) -> None:
        """Make the highest filed count the new `top`, and the pairs that still have it the candidates."""
        self.top = -heappop(self.counts_filed)
        for pair in self.filed.pop(self.top):
            if self.counts.get(pair) == self.top:
                self.candidates.append(self._candidate(pair))
            else:
                self._file_again(pair)
        heapify(self.candidates)

    def _candidate(self, pair: int) -> tuple[int, int, NDArray[np.int64]]:
        positions = self.corpus.find(*_first_and_second(pair))
        return int(positions[0]) if self.ties == "first-seen" else pair, pair, positions

    def _file(self, pair: int, count: int) -> None:
        if count in self.filed:
            self.filed[count].append(pair)
        else:
            self.filed[count] = [pair]
            heappush(self.counts_filed, -count)

    def _file_again(self, pair: int) -> None:
        if pair in self.counts:
            self._file(pair, self.counts[pair])

    def _admit_rarer_pairs(self) -> None:
        """Store rarer pairs from now on, because no other pair is left."""
        self.least = max(1, self.least // 8)
        self.add(self.corpus.pair_counts())
