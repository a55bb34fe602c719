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

**Places.** Where a pair occurs is written down once, in ascending order of the positions where its first token starts:
a pair gains occurrences only in the merge that makes one of its tokens. Later it can only lose some, and a position
whose cells no longer hold the pair is passed over when the pair itself is merged.

**Neighbors.** A merge of (left, right) into a new token loses pairs (x, left) and (right, y), and gains (x, new) and
(new, y). One of both tokens is the same each time, so the occurrences are added up by x and by y, and each pair is
looked up once for a merge instead of once for an occurrence.

**Order.** A heap has the pairs with their counts, the most frequent first. A pair that comes out of the heap with an
old count goes back with its present one. The same holds for the first position of a pair, which breaks ties: it can
only move back. Most pairs are too rare to be merged soon. So only those with at least a certain count are in the heap,
and whenever it is empty, this count is halved.

**Words.** With a pattern, equal pieces are merged alike. So each distinct piece is in the array once, in order of first
appearance (which preserves ties), and counts as often as the piece occurs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from g2c.common.progress import Progress, training_progress
from g2c.common.versioned import VersionedDict
from g2c.engine.compiled import Array, Int32, Int64, UInt8, entry, inner
from g2c.engine.counting import WordCounter, WordCounts
from g2c.engine.encoding import TEXT_END
from g2c.engine.fast import encoder_of_texts, joined
from g2c.engine.merging import pair_hash
from g2c.tokenizer.base import BOUNDARY, BPEBase, check_text, each_text, warn_vocabulary_not_reached

Ties = Literal["first-seen", "lowest-id", "greatest"]

FIRST_SEEN, LOWEST_ID, GREATEST = range(3)

INSIDE = -2
"""The value of the cells between a token's first and last."""

MAX_CORPUS = 700_000_000
"""Upper limit for the bytes of the distinct words, or of a text without a pattern."""

MAX_BYTE_PAIRS = 256 * 256

STEPS = 256
"""How many merges are learned before progress is reported and Ctrl-C is noticed."""


def train_exact(
    tokenizer: BPEBase,
    text: str | Iterable[str],
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    progress: Progress = None,
) -> list[int]:
    """Learn merges from a text or from several, as `tokenizer.train` does, and return their IDs.

    All texts are in memory at once. For corpora that do not fit, see `g2c.corpus.training.train_exact_corpus`.

    Args:
        tokenizer: gets new `merges` and `vocab`. None of the methods that students write is called.
        text: the corpus: a text, or an iterable of texts. Special tokens, the boundaries of the pattern's pieces and
            the ends of texts are barriers.
        vocab_size: number of tokens in the end: 256 bytes, special tokens and learned merges.
        ties: which of equally frequent pairs is merged. "first-seen": the one that appears first in the corpus, as in
            `train`. "lowest-id": the one with the lowest (first ID, second ID), as in the trainer of Hugging Face
            `tokenizers`. Ties are the only difference between the two trainers: the Rust trainer, too, counts (a, a)
            twice in "aaa" and replaces from left to right. So with "lowest-id" the merges and their order are the same.
            "greatest": the one whose two byte strings come last in lexicographic order, as in Stanford's course CS336.
        progress: True shows a progress bar, False nothing, None a bar in a terminal or notebook only.

    Returns:
        the IDs of `text`; those of all texts in a row, for an iterable.

    Raises:
        TypeError, ValueError: as `train`; and ValueError if `ties` is none of the three.

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
    tokenizer._check_training(vocab_size)
    texts = list(each_text(text))
    for part in texts:
        check_text(part)
    words, special_tokens = _words_of(tokenizer, texts)
    tokens = int(words.lengths @ words.counts) + special_tokens
    trainer = _train(tokenizer, words, tokens, vocab_size, ties, progress)
    if tokenizer.pattern is None and len(texts) == 1 and not special_tokens:
        return trainer.ids()
    return list(chain.from_iterable(encoder_of_texts(tokenizer)(texts)))


def _words_of(tokenizer: BPEBase, texts: list[str]) -> tuple[WordCounts, int]:
    """The distinct pieces of the texts with their counts, in order of first appearance; and how many special tokens."""
    data, parts = joined(texts, tokenizer.special_to_id)
    special_tokens = int((parts.ids != TEXT_END).sum())
    if tokenizer.pattern is None:
        pieces = Counter(data[begin:end] for begin, end in zip(parts.begins.tolist(), parts.ends.tolist()))
        del pieces[b""]
        return WordCounts.of(pieces.items()), special_tokens
    counter = WordCounter()
    counter.count(data, tokenizer.pattern, parts)
    return counter.words(), special_tokens


def train_on_words(
    tokenizer: BPEBase,
    words: WordCounts,
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    progress: Progress = None,
) -> None:
    """Learn merges from counted pieces: `train_exact` for corpora that do not fit into one string.

    Args:
        tokenizer: gets new `merges` and `vocab`. Its pattern is not applied again.
        words: pieces in UTF-8 in order of first appearance, without special tokens; each occurs at least once.
        vocab_size, ties, progress: as in `train_exact`.

    Raises:
        TypeError, ValueError: as `train_exact`.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> train_on_words(tokenizer, WordCounts.of([(b"low", 5), (b"lower", 2), (b"lowest", 1)]), 259)
    >>> [tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()]
    [b'lo', b'low', b'lowe']
    """
    _check_ties(ties)
    tokenizer._check_training(vocab_size)
    _train(tokenizer, words, int(words.lengths @ words.counts), vocab_size, ties, progress)


def _check_ties(ties: str) -> None:
    if ties not in get_args(Ties):
        raise ValueError(f"ties is 'first-seen', 'lowest-id' or 'greatest', but it is {ties!r}.")


# --- the loops --------------------------------------------------------------------------------------------------------

# Pair k has five numbers in the array `pairs`, from 5 * k on: its two IDs as one number, its count, where its positions
# are in the array `places`, and what breaks ties. They are side by side, so they come into the processor's cache
# together.
KEY, COUNT, BEGIN, END, ORDER, PAIR_SIZE = range(6)

# Token k as a neighbor of the pair that is being merged has five numbers in the array `beside`, from 8 * k on: how
# often it is to the left of the new token, counted by words' weights, and at how many places; the same for the right;
# and the last merge whose neighbor it was.
LEFT, LEFT_PLACES, RIGHT, RIGHT_PLACES, MERGE = range(5)
NEIGHBOR_SIZE = 8


@inner
def _weight(position: int, weight_of: Array, weights: Array) -> int:
    """How often the word of a cell occurs."""
    return weights[weight_of[position]] if len(weight_of) > 0 else 1


@inner
def _slot(table: Array, pairs: Array, key: int) -> int:
    """The slot of a pair in the table, or the empty one where it would be. A slot has a pair's number plus 1, or 0."""
    last = len(table) - 1
    slot = pair_hash(key >> 32, key & 0xFFFFFFFF) & last
    while table[slot] != 0 and pairs[PAIR_SIZE * (table[slot] - 1) + KEY] != key:
        slot = slot + 1 & last
    return slot


@inner
def _new_pair(key: int, size: int, table: Array, pairs: Array) -> int:
    """Enter a pair as number `size`; returns where its numbers begin."""
    table[_slot(table, pairs, key)] = size + 1
    pairs[PAIR_SIZE * size + KEY] = key
    return PAIR_SIZE * size


@inner
def _subtract(key: int, weight: int, table: Array, pairs: Array) -> None:
    """Subtract from a pair's count."""
    pairs[PAIR_SIZE * (table[_slot(table, pairs, key)] - 1) + COUNT] -= weight


# The heap has three numbers for each pair in it: the pair's number, and its count and order when it was pushed. `data`
# has the byte of each cell, which the rule "greatest" compares; for the other rules it is empty.
HEAP_SIZE = 3


@inner
def _is_greater(x: int, y: int, pairs: Array, lengths: Array, data: Array) -> bool:
    """Whether the two byte strings of pair x come after those of pair y. The order of each is where it occurs."""
    x_at, y_at = pairs[PAIR_SIZE * x + ORDER], pairs[PAIR_SIZE * y + ORDER]
    for shift in (32, 0):
        x_end = x_at + lengths[pairs[PAIR_SIZE * x + KEY] >> shift & 0xFFFFFFFF]
        y_end = y_at + lengths[pairs[PAIR_SIZE * y + KEY] >> shift & 0xFFFFFFFF]
        while x_at < x_end and y_at < y_end:
            if data[x_at] != data[y_at]:
                return data[x_at] > data[y_at]
            x_at += 1
            y_at += 1
        if x_at < x_end or y_at < y_end:
            return x_at < x_end
    return False


@inner
def _precedes(
    heap: Array, i: int, number: int, count: int, order: int, pairs: Array, lengths: Array, data: Array
) -> bool:
    """Whether the item at i of the heap is merged before this pair with this count and order."""
    if heap[i + 1] != count:
        return heap[i + 1] > count
    if len(data) > 0:
        return _is_greater(heap[i], number, pairs, lengths, data)
    return heap[i + 2] < order


@inner
def _set(heap: Array, i: int, number: int, count: int, order: int) -> None:
    heap[i], heap[i + 1], heap[i + 2] = number, count, order


@inner
def _push(heap: Array, size: int, number: int, pairs: Array, lengths: Array, data: Array) -> int:
    """Add a pair to a heap of `size` pairs, the one to merge next first; returns the new size."""
    count, order = pairs[PAIR_SIZE * number + COUNT], pairs[PAIR_SIZE * number + ORDER]
    i = size
    while i > 0:
        up = HEAP_SIZE * (i - 1 >> 1)
        if _precedes(heap, up, number, count, order, pairs, lengths, data):
            break
        _set(heap, HEAP_SIZE * i, heap[up], heap[up + 1], heap[up + 2])
        i = i - 1 >> 1
    _set(heap, HEAP_SIZE * i, number, count, order)
    return size + 1


@inner
def _pop(heap: Array, size: int, pairs: Array, lengths: Array, data: Array) -> int:
    """Remove the first pair; returns the new size."""
    size -= 1
    last = HEAP_SIZE * size
    number, count, order = heap[last], heap[last + 1], heap[last + 2]
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        down = HEAP_SIZE * child
        if child + 1 < size and _precedes(
            heap, down + HEAP_SIZE, heap[down], heap[down + 1], heap[down + 2], pairs, lengths, data
        ):
            child += 1
            down += HEAP_SIZE
        if not _precedes(heap, down, number, count, order, pairs, lengths, data):
            break
        _set(heap, HEAP_SIZE * i, heap[down], heap[down + 1], heap[down + 2])
        i = child
    _set(heap, HEAP_SIZE * i, number, count, order)
    return size


@entry
def _collect(
    state: Int64, ties: int, cells: Int32, weight_of: Int32, weights: Int64, numbers: Int32, pairs: Int64, places: Int32
) -> None:
    """Write down the pairs of bytes with their counts and places. `table` is still to be made: see `_rebuild`.

    Args:
        numbers: for each pair of bytes, as a number of 16 bits, its number plus 1. At first 0.
        state, ties, cells, weight_of, weights, pairs, places: as for `_learn`. `pairs` has room for all of them.
    """
    size, used = 0, 0
    for position in range(1, len(cells) - 1):
        left, right = cells[position] + 0, cells[position + 1]
        if left != BOUNDARY and right != BOUNDARY:
            if numbers[left << 8 | right] == 0:
                key = left << 32 | right
                pairs[PAIR_SIZE * size + KEY] = key
                pairs[PAIR_SIZE * size + ORDER] = key if ties == LOWEST_ID else position
                size += 1
                numbers[left << 8 | right] = size
            pair = PAIR_SIZE * (numbers[left << 8 | right] - 1)
            pairs[pair + COUNT] += _weight(position, weight_of, weights)
            pairs[pair + END] += 1
    for number in range(size):
        pair = PAIR_SIZE * number
        pairs[pair + BEGIN] = used
        used += pairs[pair + END]
        pairs[pair + END] = pairs[pair + BEGIN]
    for position in range(1, len(cells) - 1):
        left, right = cells[position] + 0, cells[position + 1]
        if left != BOUNDARY and right != BOUNDARY:
            pair = PAIR_SIZE * (numbers[left << 8 | right] - 1)
            places[pairs[pair + END]] = position
            pairs[pair + END] += 1
    state[1], state[4] = size, used


@entry
def _rebuild(table: Int32, pairs: Int64, size: int) -> None:
    """Enter all pairs into an empty table."""
    for number in range(size):
        table[_slot(table, pairs, pairs[PAIR_SIZE * number + KEY])] = number + 1


@entry
def _read_ids(cells: Int32, lengths: Int64, ids: Int32) -> int:
    """Write the IDs of all tokens, without boundaries; returns their number."""
    count, position = 0, 1
    while position < len(cells):
        token = cells[position]
        position += 1
        if token != BOUNDARY:
            ids[count] = token
            count += 1
            position += lengths[token] - 1
    return count


@inner
def _neighbor(token: int, new: int, met: int, beside: Array, neighbors: Array) -> int:
    """Enter a token into the list of the `met` neighbors of a merge, unless it is in it; returns their number."""
    if beside[NEIGHBOR_SIZE * token + MERGE] != new:
        beside[NEIGHBOR_SIZE * token + MERGE] = new
        neighbors[met] = token
        met += 1
    return met


@inner
def _replace(
    left: int, right: int, new: int, begin: int, stop: int, cells: Array, lengths: Array, weight_of: Array,
    weights: Array, places: Array, beside: Array, neighbors: Array,
) -> tuple[int, int, int]:  # fmt: skip
    """Replace a pair by the new token wherever it occurs, and add up its neighbors.

    places[begin:stop] are its positions, and some that no longer are. Those where it was replaced remain, in front.

    Returns:
        the end of these places; how often the pair was replaced, by words' weights; and the number of neighbors.
    """
    length, left_length = lengths[new], lengths[left]
    found, times, met = begin, 0, 0
    for i in range(begin, stop):
        position = places[i]
        middle, end = position + left_length, position + length
        if cells[position] != left or cells[middle] != right:
            continue
        places[found] = position
        found += 1
        weight = _weight(position, weight_of, weights)
        times += weight
        before, after = cells[position - 1], cells[end]
        # The order matters: for a part of one cell, its inner end is also an outer end of the new token.
        cells[middle - 1], cells[middle] = INSIDE, INSIDE
        cells[position], cells[end - 1] = new, new
        if before == new:
            # Two occurrences in succession: what was entered as (new, left) a moment ago is (new, new).
            met = _neighbor(new, new, met, beside, neighbors)
            beside[NEIGHBOR_SIZE * left + RIGHT] -= weight
            beside[NEIGHBOR_SIZE * left + RIGHT_PLACES] -= 1
            beside[NEIGHBOR_SIZE * new + RIGHT] += weight
            beside[NEIGHBOR_SIZE * new + RIGHT_PLACES] += 1
        elif before != BOUNDARY:
            met = _neighbor(before, new, met, beside, neighbors)
            beside[NEIGHBOR_SIZE * before + LEFT] += weight
            beside[NEIGHBOR_SIZE * before + LEFT_PLACES] += 1
        if after != BOUNDARY:
            met = _neighbor(after, new, met, beside, neighbors)
            beside[NEIGHBOR_SIZE * after + RIGHT] += weight
            beside[NEIGHBOR_SIZE * after + RIGHT_PLACES] += 1
    return found, times, met


@inner
def _recount(
    left: int, right: int, new: int, met: int, size: int, used: int, table: Array, pairs: Array, beside: Array,
    neighbors: Array,
) -> int:  # fmt: skip
    """Update the counts of all pairs after a merge, and enter those with the new token; returns the number of pairs.

    Each of them gets its places, from number `used` on. Where the first one is remains in `beside`, instead of their
    number.
    """
    twice = beside[NEIGHBOR_SIZE * new + RIGHT]
    for i in range(met):
        token = neighbors[i] + 0
        at = NEIGHBOR_SIZE * token
        if beside[at + LEFT] > 0:
            _subtract(token << 32 | left, beside[at + LEFT], table, pairs)
        # Between two occurrences in succession, a pair (right, left) is lost, too.
        lost = beside[at + RIGHT] + (twice if token == left else 0)
        if token != new and lost > 0:
            _subtract(right << 32 | token, lost, table, pairs)
        for side in (LEFT, RIGHT):
            if beside[at + side] > 0:
                pair = _new_pair(token << 32 | new if side == LEFT else new << 32 | token, size, table, pairs)
                size += 1
                pairs[pair + COUNT], pairs[pair + BEGIN] = beside[at + side], used
                used += beside[at + side + 1]
                pairs[pair + END] = used
                beside[at + side + 1] = pairs[pair + BEGIN]
    return size


@inner
def _write_places(
    new: int, begin: int, stop: int, met: int, cells: Array, lengths: Array, places: Array, beside: Array,
    neighbors: Array,
) -> None:  # fmt: skip
    """Write down where the pairs with the new token are, which is at places[begin:stop]; and clear its neighbors."""
    for i in range(begin, stop):
        position = places[i]
        before, after = cells[position - 1], cells[position + lengths[new]]
        if before != BOUNDARY and before != new:
            at = NEIGHBOR_SIZE * before + LEFT_PLACES
            places[beside[at]] = position - lengths[before]
            beside[at] += 1
        if after != BOUNDARY:
            at = NEIGHBOR_SIZE * after + RIGHT_PLACES
            places[beside[at]] = position
            beside[at] += 1
    for i in range(met):
        for field in range(MERGE):
            beside[NEIGHBOR_SIZE * neighbors[i] + field] = 0


@entry
def _learn(
    state: Int64, until: int, ties: int, data: UInt8, cells: Int32, weight_of: Int32, weights: Int64, table: Int32,
    pairs: Int64, places: Int32, heap: Int64, beside: Int64, neighbors: Int32, lengths: Int64, merged: Int64,
) -> None:  # fmt: skip
    """Learn merges from `state` on, until the next ID is `until`, no pair is left, or `pairs` is too short.

    Args:
        state: see `_Trainer`; updated.
        data: for the rule "greatest" the byte of each cell; empty for the others.
        cells: see the module's docstring.
        weight_of: for each cell, where `weights` has the count of its word; empty if all text counts once.
        table, pairs, heap, beside: see above.
        places: the positions of all pairs.
        neighbors: scratch memory for the tokens beside a new one.
        lengths: of each token, in bytes.
        merged: for each new ID the pair's two IDs, its count, and the tokens left in the corpus.
    """
    new, size, heap_size, tokens, used, least = state[0], state[1], state[2], state[3], state[4], state[5]
    while new < until:
        while heap_size == 0 and least > 1:
            least >>= 1
            for number in range(size):
                if pairs[PAIR_SIZE * number + COUNT] >= least:
                    heap_size = _push(heap, heap_size, number, pairs, lengths, data)
        # A merge adds at most two pairs for each token.
        if heap_size == 0 or PAIR_SIZE * (size + 2 * new + 2) > len(pairs) or 2 * (size + 2 * new + 2) > len(table):
            break
        best, count, order = heap[0], heap[1], heap[2]
        heap_size = _pop(heap, heap_size, pairs, lengths, data)
        pair = PAIR_SIZE * best
        left, right = pairs[pair + KEY] >> 32, pairs[pair + KEY] & 0xFFFFFFFF
        if ties == FIRST_SEEN and pairs[pair + COUNT] == count:
            first = places[pairs[pair + BEGIN]]
            while cells[first] != left or cells[first + lengths[left]] != right:
                pairs[pair + BEGIN] += 1
                first = places[pairs[pair + BEGIN]]
            pairs[pair + ORDER] = first
        if pairs[pair + COUNT] != count or pairs[pair + ORDER] != order:
            if pairs[pair + COUNT] >= least:
                heap_size = _push(heap, heap_size, best, pairs, lengths, data)
            continue

        lengths[new] = lengths[left] + lengths[right]
        begin, known = pairs[pair + BEGIN], size
        stop, times, met = _replace(
            left, right, new, begin, pairs[pair + END], cells, lengths, weight_of, weights, places, beside, neighbors
        )
        size = _recount(left, right, new, met, size, used, table, pairs, beside, neighbors)
        _write_places(new, begin, stop, met, cells, lengths, places, beside, neighbors)
        pairs[pair + COUNT] = 0
        for number in range(known, size):
            added = PAIR_SIZE * number
            used = pairs[added + END]
            pairs[added + ORDER] = pairs[added + KEY] if ties == LOWEST_ID else places[pairs[added + BEGIN]]
            if pairs[added + COUNT] >= least:
                heap_size = _push(heap, heap_size, number, pairs, lengths, data)
        tokens -= times
        merged[4 * new], merged[4 * new + 1], merged[4 * new + 2], merged[4 * new + 3] = left, right, count, tokens
        new += 1
    state[0], state[1], state[2], state[3], state[4], state[5] = new, size, heap_size, tokens, used, least


# --- around the loops -------------------------------------------------------------------------------------------------


def _train(
    tokenizer: BPEBase, words: WordCounts, tokens: int, vocab_size: int, ties: Ties, progress: Progress
) -> "_Trainer":
    """Learn merges from words.

    The loops know nothing of special tokens: they number the merges from 256 on, after the bytes. `ids` has the ID of
    each of these numbers.

    Args:
        tokens: number of bytes and special tokens in the corpus, for the progress report.

    Returns:
        the trainer, which knows the IDs of the words.
    """
    tokenizer._reset()
    tokenizer.merges = VersionedDict()
    ids = [*range(256), *islice(tokenizer.merge_ids(), vocab_size - tokenizer.base_vocab_size)]
    trainer = _Trainer(words, tokenizer, ids, ties, tokens)
    merges, vocab = tokenizer.merges, tokenizer.vocab
    with training_progress(progress, total=len(ids) - 256) as bar:
        try:
            for done, (left, right, count, left_over) in enumerate(trainer.merges(), start=1):
                pair, new_id = (ids[left], ids[right]), ids[255 + done]
                merges[pair] = new_id
                vocab[new_id] = token = vocab[pair[0]] + vocab[pair[1]]
                bar.update(done, tokens=left_over, newest=token, count=count)
        except KeyboardInterrupt:
            tokenizer._drop_unfinished_merge()
            bar.note(f"Stopped after {len(tokenizer.merges)} merges. The tokenizer is complete up to there and usable.")
            raise
    if len(merges) < len(ids) - 256:
        warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size, stacklevel=5)
    return trainer


class _Trainer:
    """The arrays of `_learn`, which grow when needed.

    Attributes:
        state: [next number, number of pairs, pairs in the heap, tokens in the corpus, places in use, lowest count of a
            pair in the heap].
    """

    def __init__(self, words: WordCounts, tokenizer: BPEBase, ids: list[int], ties: Ties, tokens: int) -> None:
        self._ties, self._ids_of_numbers = get_args(Ties).index(ties), ids
        lengths = words.lengths + 1
        size = int(lengths.sum()) + 1
        if size >= MAX_CORPUS:
            raise ValueError(f"The distinct words have {size:,} bytes, which exceeds the limit of {MAX_CORPUS:,}.")
        is_byte = np.ones(size, bool)
        is_byte[0] = False
        is_byte[np.cumsum(lengths)] = False
        self._cells = np.full(size, BOUNDARY, np.int32)
        self._cells[is_byte] = np.frombuffer(words.data.translate(bytes(tokenizer.byte_ids)), np.uint8)
        self._data = np.zeros(size if self._ties == GREATEST else 0, np.uint8)
        if self._ties == GREATEST:
            self._data[is_byte] = np.frombuffer(words.data, np.uint8)
        # Few counts are different from all others, so the processor's cache holds them.
        counts = np.sort(words.counts)
        self._weights = counts[np.append(True, counts[1:] != counts[:-1])[: len(counts)]]
        weight_of = np.searchsorted(self._weights, words.counts)
        self._weight_of = np.zeros(0, np.int32)
        if (words.counts > 1).any():
            self._weight_of = np.append(np.int32(0), np.repeat(weight_of.astype(np.int32), lengths))
        # One for each pair of the first count; after that, a merge adds two at most for each token that it removes.
        self._places = np.empty(3 * size, np.int32)

        self._beside = np.zeros(NEIGHBOR_SIZE * len(ids), np.int64)
        self._neighbors = np.empty(len(ids), np.int32)
        self._lengths = np.ones(len(ids), np.int64)
        self._merged = np.zeros(4 * len(ids), np.int64)
        self._pairs, self._heap, self._table = _memory(MAX_BYTE_PAIRS)
        self._state = np.array([256, 0, 0, tokens, 0, 1 << tokens.bit_length()], np.int64)
        numbers = np.zeros(MAX_BYTE_PAIRS, np.int32)
        _collect(
            self._state, self._ties, self._cells, self._weight_of, self._weights, numbers, self._pairs, self._places
        )
        _rebuild(self._table, self._pairs, int(self._state[1]))

    def merges(self) -> Iterator[list[int]]:
        """The merges: [number of the left token, of the right one, the pair's count, tokens left in the corpus] each.

        Ends before there is one for each ID if no pair is left.
        """
        number = 256
        while number < len(self._ids_of_numbers):
            until = min(len(self._ids_of_numbers), number + STEPS)
            _learn(
                self._state, until, self._ties, self._data, self._cells, self._weight_of, self._weights, self._table,
                self._pairs, self._places, self._heap, self._beside, self._neighbors, self._lengths, self._merged,
            )  # fmt: skip
            learned, size, pairs_left, *_ = self._state.tolist()
            yield from self._merged.reshape(-1, 4)[number:learned].tolist()
            number = learned
            if number < until and not pairs_left:
                break
            if number < until:
                self._grow(2 * (size + 2 * number + 2))

    def ids(self) -> list[int]:
        """The IDs of all words, concatenated, after the merges so far."""
        numbers = np.empty(len(self._cells), np.int32)
        count = _read_ids(self._cells, self._lengths, numbers)
        found: list[int] = np.array(self._ids_of_numbers)[numbers[:count]].tolist()
        return found

    def _grow(self, room: int) -> None:
        """Make room for this many pairs."""
        pairs, heap, table = _memory(room)
        size, pairs_in_heap = self._state[1:3].tolist()
        pairs[: PAIR_SIZE * size] = self._pairs[: PAIR_SIZE * size]
        heap[: HEAP_SIZE * pairs_in_heap] = self._heap[: HEAP_SIZE * pairs_in_heap]
        _rebuild(table, pairs, size)
        self._pairs, self._heap, self._table = pairs, heap, table


def _memory(room: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """The arrays `pairs`, `heap` and `table` of `_learn`, with room for this many pairs."""
    slots = 1 << (2 * room - 1).bit_length()
    return np.zeros(PAIR_SIZE * room, np.int64), np.empty(HEAP_SIZE * room, np.int64), np.zeros(slots, np.int32)
