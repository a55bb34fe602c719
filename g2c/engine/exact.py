"""Exact BPE training in a fraction of a second: the merges, IDs and ties of `BPETokenizer.train`, as loops.

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

**Occurrences.** The positions of a pair, where its first token starts, are a linked list through two arrays as long as
the corpus: a position belongs to one pair at a time. A merge takes each of its positions, removes the pairs on either
side from their lists, and enters the two pairs with the new token into theirs.

**Order.** A heap has the pairs with their counts, the most frequent first. A pair gains occurrences only in the merge
that makes one of its tokens, and can only lose them later. So a pair that comes out of the heap with an old count goes
back with its present one. The same holds for the first position of a pair, which breaks ties: it can only move back.
Most pairs are so rare that they are never merged: they enter the heap when no others are left.

**Words.** With a pattern, equal pieces are merged alike. So each distinct piece is in the array once, in order of first
appearance (which preserves ties), and counts as often as the piece occurs.
"""

import time
from collections import Counter
from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np

from g2c.common.progress import Progress, training_progress
from g2c.engine.compiled import Array, Int32, Int64, UInt8, entry, inner
from g2c.engine.counting import WordCounter, WordCounts
from g2c.engine.encoding import Parts
from g2c.engine.fast import encode_fast
from g2c.engine.splitting import has_loops
from g2c.tokenizer.base import BOUNDARY, BPEBase, check_text, warn_vocabulary_not_reached
from g2c.tokenizer.patterns import split_by_pattern
from g2c.tokenizer.special_tokens import split_at_special_tokens

Ties = Literal["first-seen", "lowest-id", "greatest"]

FIRST_SEEN, LOWEST_ID, GREATEST = range(3)

INSIDE = -2
"""The value of the cells between a token's first and last."""

NOWHERE = -1
"""In place of a position: the end of a list of occurrences."""

RARE = 50
"""A pair is rare if its count times this is below the number of tokens in the corpus for each merge to be learned. In
natural text the last pair merged is not rare, unless the vocabulary is so large that nearly every pair is merged."""

LARGEST = 700_000_000
"""Upper limit for the bytes of the distinct words, or of a text without a pattern."""

NOTHING, PAIRS, PLACES, END = range(4)
"""Why the loop stopped: it is done; there is no room for pairs, or for places and bytes; no pair is left."""

SECONDS = 0.1
"""How long the loop runs before progress is reported and Ctrl-C is noticed."""


def train_exact(
    tokenizer: BPEBase,
    text: str,
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    progress: Progress = None,
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
            "greatest": the one whose two byte strings come last in lexicographic order, as in many papers and in
            Stanford's course CS336.
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
    words, special_tokens = _words_of(tokenizer, text)
    tokens = int(words.lengths @ words.counts) + special_tokens
    trainer = _train(tokenizer, words, tokens, vocab_size, ties, progress)
    if tokenizer.pattern is None and len(words.lengths) == 1 and words.counts[0] == 1 and not special_tokens:
        return trainer.ids()
    return encode_fast(tokenizer, text)


def _words_of(tokenizer: BPEBase, text: str) -> tuple[WordCounts, int]:
    """The distinct pieces of a text with their counts, in order of first appearance; and how many special tokens."""
    counter: Counter[bytes] = Counter()
    loops = WordCounter()
    special_tokens = 0
    for part in split_at_special_tokens(text, tokenizer.special_tokens):
        if part in tokenizer.special_to_id:
            special_tokens += 1
        elif has_loops(tokenizer.pattern):
            data = part.encode()
            loops.count(data, tokenizer.pattern, Parts.whole(data))
        else:
            counter.update(piece.encode() for piece in split_by_pattern(part, tokenizer.pattern))
    return loops.words() if has_loops(tokenizer.pattern) else WordCounts.of(counter.items()), special_tokens


def train_on_words(
    tokenizer: BPEBase,
    words_with_counts: Iterable[tuple[bytes, int]] | WordCounts,
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    progress: Progress = None,
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
    _train(tokenizer, words, int(words.lengths @ words.counts), vocab_size, ties, progress)


def _checked(word: bytes, count: int) -> tuple[bytes, int]:
    if not isinstance(word, bytes):
        raise TypeError(f"A word is bytes, but {word!r} is of type {type(word).__name__}; use word.encode().")
    if count < 1:
        raise ValueError(f"The word {word!r} has the count {count}; a word that occurs has at least 1.")
    return word, count


def _check_ties(ties: str) -> None:
    if ties not in get_args(Ties):
        raise ValueError(f"ties is 'first-seen', 'lowest-id' or 'greatest', but it is {ties!r}.")


# --- the loops --------------------------------------------------------------------------------------------------------

# Pair k has four numbers in the array `pairs`, from 4 * k on: its two IDs as one number, its count, the first position
# in its list, and what breaks ties. They are side by side, so they come into the processor's cache together.
KEY, COUNT, HEAD, ORDER = range(4)

# The occurrence at position p has three numbers in `links`, from 3 * p on: the next and the previous position in the
# list of its pair, and the pair's number.
NEXT, PREVIOUS, PAIR = range(3)


@inner
def _find(table: Array, pairs: Array, key: int, size: int) -> int:
    """The number of a pair; `size`, which is entered into the table, if it is new."""
    last = len(table) - 1
    slot = ((key >> 32) * 0x2545F491 + (key & 0xFFFFFFFF) * 0x4F6CDD1D) >> 12 & last
    while table[slot] >= 0 and pairs[4 * table[slot] + KEY] != key:
        slot = slot + 1 & last
    if table[slot] < 0:
        table[slot] = size
    return table[slot]


@inner
def _enter(key: int, position: int, weight: int, ties: int, size: int, table: Array, pairs: Array, links: Array) -> int:
    """Add an occurrence of a pair; returns the number of pairs after that."""
    number = _find(table, pairs, key, size)
    pair, link = 4 * number, 3 * position
    if number == size:
        pairs[pair + KEY], pairs[pair + COUNT], pairs[pair + HEAD] = key, 0, NOWHERE
        pairs[pair + ORDER] = key if ties == LOWEST_ID else position
        size += 1
    elif ties == FIRST_SEEN and position < pairs[pair + ORDER]:
        pairs[pair + ORDER] = position
    head = pairs[pair + HEAD]
    links[link + NEXT], links[link + PREVIOUS], links[link + PAIR] = head, NOWHERE, number
    if head != NOWHERE:
        links[3 * head + PREVIOUS] = position
    pairs[pair + COUNT] += weight
    pairs[pair + HEAD] = position
    return size


@inner
def _leave(position: int, weight: int, pairs: Array, links: Array) -> None:
    """Remove the occurrence of a pair at this position."""
    link = 3 * position
    pair = 4 * links[link + PAIR]
    following, previous = links[link + NEXT], links[link + PREVIOUS]
    pairs[pair + COUNT] -= weight
    if previous != NOWHERE:
        links[3 * previous + NEXT] = following
    else:
        pairs[pair + HEAD] = following
    if following != NOWHERE:
        links[3 * following + PREVIOUS] = previous


@inner
def _compare(x: int, y: int, data: Array, ends: Array) -> int:
    """Below, at or above 0 if the bytes of token x are lower than those of y, equal, or greater."""
    x_at, x_end, y_at, y_end = ends[x], ends[x + 1], ends[y], ends[y + 1]
    while x_at < x_end and y_at < y_end:
        if data[x_at] != data[y_at]:
            return 1 if data[x_at] > data[y_at] else -1
        x_at += 1
        y_at += 1
    return (x_end - x_at) - (y_end - y_at)


@inner
def _precedes(
    count: int, number: int, other_count: int, other: int, ties: int, pairs: Array, data: Array, ends: Array
) -> bool:
    """Whether a pair is merged before another one."""
    if count != other_count:
        return count > other_count
    if ties != GREATEST:
        return pairs[4 * number + ORDER] < pairs[4 * other + ORDER]
    key, other_key = pairs[4 * number + KEY], pairs[4 * other + KEY]
    difference = _compare(key >> 32, other_key >> 32, data, ends)
    if difference == 0:
        difference = _compare(key & 0xFFFFFFFF, other_key & 0xFFFFFFFF, data, ends)
    return difference > 0


# The heap has two numbers for each pair in it: the pair's number and its count when it was pushed.


@inner
def _push(heap: Array, size: int, number: int, ties: int, pairs: Array, data: Array, ends: Array) -> int:
    """Add a pair to a heap of `size` pairs, the one to merge next first; returns the new size."""
    count = pairs[4 * number + COUNT]
    i = size
    while i > 0:
        up = i - 1 >> 1
        if not _precedes(count, number, heap[2 * up + 1], heap[2 * up], ties, pairs, data, ends):
            break
        heap[2 * i], heap[2 * i + 1] = heap[2 * up], heap[2 * up + 1]
        i = up
    heap[2 * i], heap[2 * i + 1] = number, count
    return size + 1


@inner
def _pop(heap: Array, size: int, ties: int, pairs: Array, data: Array, ends: Array) -> int:
    """Remove the first pair; returns the new size."""
    size -= 1
    number, count = heap[2 * size], heap[2 * size + 1]
    i = 0
    while 2 * i + 1 < size:
        down = 2 * i + 1
        if down + 1 < size and _precedes(
            heap[2 * down + 3], heap[2 * down + 2], heap[2 * down + 1], heap[2 * down], ties, pairs, data, ends
        ):
            down += 1
        if not _precedes(heap[2 * down + 1], heap[2 * down], count, number, ties, pairs, data, ends):
            break
        heap[2 * i], heap[2 * i + 1] = heap[2 * down], heap[2 * down + 1]
        i = down
    heap[2 * i], heap[2 * i + 1] = number, count
    return size


@inner
def _first_position(number: int, cells: Array, ends: Array, pairs: Array, links: Array) -> int:
    """The lowest position of a pair, which has at least one."""
    key, position = pairs[4 * number + KEY], pairs[4 * number + ORDER]
    left = key >> 32
    if cells[position] == left and cells[position + ends[left + 1] - ends[left]] == key & 0xFFFFFFFF:
        return position
    first = pairs[4 * number + HEAD]
    position = links[3 * first + NEXT]
    while position != NOWHERE:
        first = min(first, position)
        position = links[3 * position + NEXT]
    return first


@entry
def _enter_bytes(
    cells: Int32, word_of: Int32, weights: Int64, ties: int, table: Int32, pairs: Int64, links: Int32
) -> int:
    """Enter every pair of bytes, from the end on, so that each list begins in front. Returns the number of pairs."""
    size, weight = 0, 1
    for position in range(len(cells) - 2, -1, -1):
        left, right = cells[position], cells[position + 1]
        if left != BOUNDARY and right != BOUNDARY:
            if len(word_of) > 0:
                weight = weights[word_of[position]]
            size = _enter((left + 0) << 32 | right, position, weight, ties, size, table, pairs, links)
    return size


@entry
def _read_ids(cells: Int32, ends: Int64, ids: Int32) -> int:
    """Write the IDs of all tokens, without boundaries; returns their number."""
    count, position = 0, 1
    while position < len(cells):
        token = cells[position]
        position += 1
        if token != BOUNDARY:
            ids[count] = token
            count += 1
            position += ends[token + 1] - ends[token] - 1
    return count


@entry
def _rebuild(table: Int32, pairs: Int64, size: int) -> None:
    """Enter all pairs into an empty table."""
    for number in range(size):
        _find(table, pairs, pairs[4 * number + KEY], number)


@inner
def _replace(
    position: int, left: int, right: int, new: int, weight: int, ties: int, size: int, cells: Array, ends: Array,
    table: Array, pairs: Array, links: Array,
) -> int:  # fmt: skip
    """Replace the pair at a position by the new token; returns the number of pairs after that.

    x left right y  becomes  x new y: the corpus loses the pairs (x, left) and (right, y), and gains (x, new) and
    (new, y). The list of (left, right) itself is left as it is.
    """
    middle = position + ends[left + 1] - ends[left]
    end = middle + ends[right + 1] - ends[right]
    before, after = cells[position - 1], cells[end]
    replaced = links[3 * position + PAIR]
    start = position
    if before != BOUNDARY:
        start = position - (ends[before + 1] - ends[before])
        if links[3 * start + PAIR] != replaced:
            _leave(start, weight, pairs, links)
    if after != BOUNDARY and links[3 * middle + PAIR] != replaced:
        _leave(middle, weight, pairs, links)
    # The order matters: for a part of one cell, its inner end is also an outer end of the new token.
    cells[middle - 1], cells[middle] = INSIDE, INSIDE
    cells[position], cells[end - 1] = new, new
    if before != BOUNDARY:
        size = _enter((before + 0) << 32 | new, start, weight, ties, size, table, pairs, links)
    if after != BOUNDARY:
        size = _enter(new << 32 | after, position, weight, ties, size, table, pairs, links)
    return size


@entry
def _learn(
    state: Int64, until: int, ties: int, cells: Int32, word_of: Int32, weights: Int64, table: Int32, pairs: Int64,
    links: Int32, heap: Int64, data: UInt8, ends: Int64, places: Int32, merged: Int64,
) -> None:  # fmt: skip
    """Learn merges from `state` on, until the next ID is `until`, no pair is left, or an array is too short.

    Args:
        state: see `_Trainer`; updated.
        cells: see the module's docstring. word_of: the number of the word of each cell; empty if all text counts once.
        weights: how often each word occurs.
        table, pairs, links, heap: see above.
        data, ends: the bytes of token k are data[ends[k]:ends[k + 1]].
        places: scratch memory for the occurrences of one pair.
        merged: for each new ID the pair's two IDs, its count, and the tokens left in the corpus.
    """
    new, size, heap_size, least, tokens = state[0], state[1], state[2], state[3], state[4]
    state[5] = NOTHING
    while new < until:
        if 4 * (size + 2 * new + 2) > len(pairs) or 2 * (size + 2 * new + 2) > len(table):
            state[5] = PAIRS
            break
        if heap_size == 0:
            if least == 1:
                state[5] = END
                break
            least = max(1, least // 8)
            for number in range(size):
                if pairs[4 * number + COUNT] >= least:
                    heap_size = _push(heap, heap_size, number, ties, pairs, data, ends)
            continue
        best, count = heap[0], heap[1]
        if pairs[4 * best + COUNT] != count:
            heap_size = _pop(heap, heap_size, ties, pairs, data, ends)
            if pairs[4 * best + COUNT] >= least:
                heap_size = _push(heap, heap_size, best, ties, pairs, data, ends)
            continue
        if ties == FIRST_SEEN:
            first = _first_position(best, cells, ends, pairs, links)
            if first != pairs[4 * best + ORDER]:
                heap_size = _pop(heap, heap_size, ties, pairs, data, ends)
                pairs[4 * best + ORDER] = first
                heap_size = _push(heap, heap_size, best, ties, pairs, data, ends)
                continue

        left, right = pairs[4 * best + KEY] >> 32, pairs[4 * best + KEY] & 0xFFFFFFFF
        left_length, length = ends[left + 1] - ends[left], ends[left + 1] - ends[left] + ends[right + 1] - ends[right]
        found, position = 0, pairs[4 * best + HEAD]
        while position != NOWHERE:
            if found < len(places):
                places[found] = position
            found += 1
            position = links[3 * position + NEXT]
        if found > len(places) or ends[new] + length > len(data):
            state[5], state[6] = PLACES, max(found, ends[new] + length)
            break
        heap_size = _pop(heap, heap_size, ties, pairs, data, ends)
        for i in range(length):
            data[ends[new] + i] = data[ends[left] + i] if i < left_length else data[ends[right] + i - left_length]
        ends[new + 1] = ends[new] + length
        known, weight = size, 1
        for i in range(found):
            position = places[i]
            if left == right and (cells[position] != left or cells[position - 1] == left):
                # In a, a, a only every other place is merged: each run is processed from its first place on.
                continue
            if len(word_of) > 0:
                weight = weights[word_of[position]]
            while True:
                size = _replace(position, left, right, new, weight, ties, size, cells, ends, table, pairs, links)
                tokens -= weight
                position += length
                if left != right or cells[position] != left or cells[position + left_length] != left:
                    break
        pairs[4 * best + COUNT], pairs[4 * best + HEAD] = 0, NOWHERE
        for number in range(known, size):
            if pairs[4 * number + COUNT] >= least:
                heap_size = _push(heap, heap_size, number, ties, pairs, data, ends)
        merged[4 * new], merged[4 * new + 1], merged[4 * new + 2], merged[4 * new + 3] = left, right, count, tokens
        new += 1
    state[0], state[1], state[2], state[3], state[4] = new, size, heap_size, least, tokens


# --- around the loops -------------------------------------------------------------------------------------------------


def _train(
    tokenizer: BPEBase, words: WordCounts, tokens: int, vocab_size: int, ties: Ties, progress: Progress
) -> "_Trainer":
    """Learn merges from words.

    Args:
        tokens: number of bytes and special tokens in the corpus, for the progress report.

    Returns:
        the trainer, which knows the IDs of the words.
    """
    first_id = tokenizer.base_vocab_size
    tokenizer._forget()
    trainer = _Trainer(words, tokenizer, vocab_size, ties, tokens)
    with training_progress(progress, total=vocab_size - first_id) as bar:
        try:
            new_id = first_id
            while new_id < vocab_size:
                merged = trainer.next_merges(new_id, vocab_size)
                for left, right, count, left_over in merged:
                    tokenizer.merges[left, right] = new_id
                    tokenizer.vocab[new_id] = tokenizer.vocab[left] + tokenizer.vocab[right]
                    bar.update(new_id - first_id + 1, tokens=left_over, newest=tokenizer.vocab[new_id], count=count)
                    new_id += 1
                if not merged:
                    warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size, stacklevel=5)
                    break
        except KeyboardInterrupt:
            tokenizer._drop_unfinished_merge()
            bar.note(f"Stopped after {len(tokenizer.merges)} merges. The tokenizer is complete up to there and usable.")
            raise
    return trainer


class _Trainer:
    """The arrays of `_learn`, which grow when needed.

    Attributes:
        state: [next ID, number of pairs, pairs in the heap, lowest count in the heap, tokens in the corpus, why the
            loop stopped, what it needs].
    """

    def __init__(self, words: WordCounts, tokenizer: BPEBase, vocab_size: int, ties: Ties, tokens: int) -> None:
        self._ties = get_args(Ties).index(ties)
        lengths = words.lengths + 1
        size = int(lengths.sum()) + 1
        if size >= LARGEST:
            raise ValueError(f"The distinct words have {size:,} bytes, which exceeds the limit of {LARGEST:,}.")
        is_byte = np.ones(size, bool)
        is_byte[0] = False
        is_byte[np.cumsum(lengths)] = False
        self._cells = np.full(size, BOUNDARY, np.int32)
        self._cells[is_byte] = np.frombuffer(words.data.translate(bytes(tokenizer.byte_ids)), np.uint8)
        self._word_of = np.zeros(0, np.int32)
        if (words.counts > 1).any():
            self._word_of = np.append(np.int32(0), np.repeat(np.arange(len(lengths), dtype=np.int32), lengths))
        self._weights = np.ascontiguousarray(words.counts)
        self._links = np.empty(3 * size, np.int32)

        first_id = tokenizer.base_vocab_size
        self._pairs = np.empty(1 << 18, np.int64)
        self._table = np.full(1 << 17, NOWHERE, np.int32)
        self._heap = np.empty(1 << 17, np.int64)
        self._data = np.zeros(1 << 16, np.uint8)
        self._data[:256] = np.frombuffer(b"".join(tokenizer.vocab[token_id] for token_id in range(256)), np.uint8)
        # Special tokens are in no pair; here they have no bytes.
        self._ends = np.append(np.arange(257), np.full(vocab_size - 256, 256))
        self._places = np.empty(1 << 12, np.int32)
        self._merged = np.zeros(4 * vocab_size, np.int64)
        pairs = _enter_bytes(
            self._cells, self._word_of, self._weights, self._ties, self._table, self._pairs, self._links
        )
        rare = max(2, tokens // max(1, vocab_size - first_id) // RARE)
        # As if a heap of more frequent pairs had just become empty.
        self._state = np.array([first_id, pairs, 0, 8 * rare, tokens, NOTHING, 0], np.int64)
        self._steps = 16

    def next_merges(self, new_id: int, vocab_size: int) -> list[list[int]]:
        """Some merges: [first ID, second ID, count, tokens in the corpus after it] each. Empty if no pair is left."""
        begin = time.perf_counter()
        until = min(vocab_size, new_id + self._steps)
        while True:
            _learn(
                self._state, until, self._ties, self._cells, self._word_of, self._weights, self._table, self._pairs,
                self._links, self._heap, self._data, self._ends, self._places, self._merged,
            )  # fmt: skip
            reason, needed = self._state[5:].tolist()
            if reason == PAIRS:
                self._grow_pairs()
            elif reason == PLACES:
                self._places = np.empty(2 * needed, np.int32)
                self._data = np.resize(self._data, max(len(self._data), 2 * needed))
            else:
                break
        seconds = time.perf_counter() - begin
        self._steps = max(1, min(4096, round(self._steps * min(4.0, SECONDS / max(seconds, 1e-6)))))
        learned: list[list[int]] = self._merged.reshape(-1, 4)[new_id : self._state[0]].tolist()
        return learned

    def ids(self) -> list[int]:
        """The IDs of all words, concatenated, after the merges so far."""
        ids = np.empty(len(self._cells), np.int32)
        found: list[int] = ids[: _read_ids(self._cells, self._ends, ids)].tolist()
        return found

    def _grow_pairs(self) -> None:
        new_id, size = self._state[:2].tolist()
        room = 2 * (size + 2 * new_id + 2)
        self._pairs = np.resize(self._pairs, 4 * room)
        self._heap = np.resize(self._heap, 2 * room)
        self._table = np.full(1 << (2 * room).bit_length(), NOWHERE, np.int32)
        _rebuild(self._table, self._pairs, size)
