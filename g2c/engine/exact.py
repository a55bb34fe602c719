"""Exact BPE training in a fraction of a second, with the merges, IDs and ties of `BPETokenizer.train`.

`train` counts every pair of the corpus again for each merge. But a merge changes only the pairs that touch one of its
occurrences. This module counts once and then updates the counts, so it has to know where each pair occurs and which
tokens are its neighbors.

**Cells.** The corpus has a cell for each byte, and one for each boundary between words. The first and the last cell of
a token contain its ID, so a token's neighbors are in the cells just before and after it. The first cell also contains
the number of the pair that starts there. No cell ever moves:

    bytes   #   t   h   e   _   #   t   h   e   n   #         # is BOUNDARY
    token   #  257  .  257  _   #  257  .  257  n   #         after t,h -> 256 and 256,e -> 257
    pair    -   7   .   .   -   -   8   .   .   -   -         7 is (257, _), 8 is (257, n), - is NO_PAIR, . is INSIDE

**Places.** The places of a pair are recorded once, from left to right: a pair gains occurrences only in the merge that
creates one of its tokens. Later it can only lose some; when the pair itself is merged, a place whose cell has another
pair by then is skipped.

**A merge** of (left, right) into a new token visits its places twice. At each, the pairs (x, left) and (right, y) lose
an occurrence, and (x, new) and (new, y) gain one. The first visit counts these, which shows how much room each new pair
needs, and the second one records their places. Training begins in the same way with the pairs of bytes.

**Order.** A heap contains the pairs with their counts, the most frequent first. A pair that comes out with an outdated
count goes back with the present one. The same applies to a pair's first place, which breaks ties and can only move to
the right. Most pairs are too rare to be merged soon, so the heap contains only those with at least a certain count,
which is halved whenever the heap is empty.

**Words.** With a pattern, equal pieces are merged alike. So the corpus contains each distinct piece once, in order of
first appearance, which preserves ties, and counts it as often as it occurs.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from g2c.common.progress import Progress
from g2c.common.versioned import VersionedDict
from g2c.engine.compiled import Array, Int32, Int64, UInt8, entry, inner, natural, prefetch
from g2c.engine.encoding import BYTE_PAIRS, heap_of
from g2c.engine.fast import encode_batch
from g2c.engine.parts import NO_TOKEN, Parts, SpecialTokens
from g2c.engine.splitting import BOUND, GIVEN, MAX_PIECES, NEEDED, PART, PLACE, classes_for, padded, split_off, way_of
from g2c.engine.words import BYTES_AT, PIECE_SIZE, SLOT_SIZE, empty_table, find, move, piece_at
from g2c.tokenizer.base import BOUNDARY, BPEBase, each_text, warn_vocabulary_not_reached
from g2c.tokenizer.checks import check_text
from g2c.tokenizer.patterns import Pattern

Ties = Literal["first-seen", "lowest-id", "greatest"]

FIRST_SEEN, LOWEST_ID, GREATEST = range(3)

MAX_CORPUS = 700_000_000  # The largest number of bytes of the distinct words, or of a text without a pattern.
STEPS = 256  # The number of merges that are learned before progress is reported and Ctrl-C is noticed.


# --- counting words ---------------------------------------------------------------------------------------------------


class WordCounts(NamedTuple):
    """The distinct pieces of a corpus, and how often each occurs: all that training with a pattern needs.

    There can be millions, so they are in three arrays, in order of first appearance, which breaks ties:

        data       l o w l o w e r n e w         the bytes of all words, concatenated
        lengths    3     5         3             length of each word in bytes (int64)
        counts     5     2         6             how often each occurs (int64)

    >>> words = WordCounts.of([(b"low", 5), (b"lower", 2), (b"new", 6)])
    >>> words.data, words.lengths.tolist(), words.counts.tolist()
    (b'lowlowernew', [3, 5, 3], [5, 2, 6])
    >>> dict(words.items())
    {b'low': 5, b'lower': 2, b'new': 6}
    """

    data: bytes
    lengths: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, words_with_counts: Iterable[tuple[bytes, int]]) -> "WordCounts":
        """Build the arrays from (word, count) pairs."""
        pairs = list(words_with_counts)
        words, counts = [word for word, _ in pairs], [count for _, count in pairs]
        return cls(b"".join(words), np.fromiter(map(len, words), np.int64, len(words)), np.array(counts, np.int64))

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield (word, count) for each word."""
        begin = 0
        for end, count in zip(np.cumsum(self.lengths).tolist(), self.counts.tolist()):
            yield self.data[begin:end], count
            begin = end


# In a slot of the table of words, number 2 is the word's count and number 3 the place of its bytes in the array `data`,
# where the words are in order of first appearance.
OCCURRENCES = 2
IS_TAKEN = 1 << 56

USED_BYTES, DISTINCT = 0, 1  # In the array `size`: the count of bytes in `data`, and of distinct words.


@entry
def _count_pieces(
    text: UInt8, begins: Int64, stops: Int64, position: Int64, way: int, classes: UInt8, bounds: Int64, weights: Int64,
    pieces: Int64, words: Int64, data: UInt8, size: Int64,
) -> None:  # fmt: skip
    """Count pieces from `position` on, until the text ends or there is no room for another word.

    For begins to bounds and `pieces` see `_encode`. `weights` says how often the piece before each of `bounds` occurs,
    if not once.
    """
    part, p = position[PART], position[PLACE]
    while part < len(stops):
        p, end = max(p, begins[part]), stops[part]
        while p < end:
            ahead = split_off(text, p, end, way, classes, bounds, position, pieces, words)
            for i in range(ahead):
                stop, a, b, first = piece_at(pieces, i)
                slot, a, b = find(text, p, stop, a, b, first, words, data)
                if words[slot + 1] == 0:
                    at = size[USED_BYTES]
                    if 2 * SLOT_SIZE * size[DISTINCT] == len(words) or at + stop - p > len(data):
                        position[PART], position[PLACE], position[NEEDED] = part, p, stop - p
                        return
                    words[slot], words[slot + 1], words[slot + BYTES_AT] = a, b | IS_TAKEN, at
                    for j in range(stop - p):
                        data[at + j] = text[p + j]
                    size[USED_BYTES] += stop - p
                    size[DISTINCT] += 1
                words[slot + OCCURRENCES] += weights[position[BOUND] + i] if len(weights) > 0 else 1
                p = stop
        part += 1
    position[PART] = part


NO_NUMBERS = np.zeros(0, np.int64)


class WordCounter:
    """Counts the pieces of texts. Memory grows with the number of distinct pieces.

    At first there is room for as many as a text of `size` bytes usually has.

    >>> counter = WordCounter()
    >>> counter.add(WordCounts.of([(b"low", 5), (b"new", 6)]))
    >>> counter.add(WordCounts.of([(b"new", 1), (b"est", 9)]))
    >>> dict(counter.words().items())
    {b'low': 5, b'new': 7, b'est': 9}
    """

    def __init__(self, size: int = 1 << 21) -> None:
        words = 1 << (size >> 7).bit_length()
        self._pieces = np.empty(PIECE_SIZE * MAX_PIECES, np.int64)
        self._words, self._data = empty_table(2 * words), np.empty(8 * words, np.uint8)
        self._size = np.zeros(2, np.int64)

    def count(self, text: bytes, pattern: Pattern | None, parts: Parts) -> None:
        """Count the pieces of a text, which is valid UTF-8. Without a pattern, each part is a piece."""
        way = way_of(pattern)
        self._count(text, parts, way, parts.bounds(text, pattern) if way == GIVEN else NO_NUMBERS, NO_NUMBERS)

    def add(self, words: WordCounts) -> None:
        """Add the counts of another counter."""
        self._count(words.data, Parts.whole(words.data), GIVEN, np.cumsum(words.lengths), words.counts)

    def _count(
        self, text: bytes, parts: Parts, way: int, bounds: NDArray[np.int64], weights: NDArray[np.int64]
    ) -> None:
        data, position = padded(text), np.zeros(4, np.int64)
        source = data, parts.begins, parts.ends, position, way, classes_for(data, way), bounds, weights, self._pieces
        while position[PART] < len(parts.ends):
            _count_pieces(*source, self._words, self._data, self._size)
            if 2 * SLOT_SIZE * self._size[DISTINCT] == len(self._words):
                old, self._words = self._words, empty_table(2 * len(self._words) // SLOT_SIZE)
                move(old, self._words)
            needed = int(self._size[USED_BYTES] + position[NEEDED])
            if needed > len(self._data):
                self._data = np.resize(self._data, 2 * needed)

    def words(self) -> WordCounts:
        """Return the distinct words in order of first appearance, each with its count."""
        slots = self._words.reshape(-1, SLOT_SIZE)
        slots = slots[slots[:, 1] != 0]
        counts, begins = slots[np.argsort(slots[:, BYTES_AT]), OCCURRENCES:].T.copy()
        size = self._size[USED_BYTES]
        return WordCounts(self._data[:size].tobytes(), np.diff(begins, append=size), counts)


# --- training ---------------------------------------------------------------------------------------------------------


def train_exact(
    tokenizer: BPEBase,
    text: str | Iterable[str],
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    progress: Progress = None,
) -> list[int]:
    """Learn merges from texts, and return their IDs: see `BPEBase.train_exact`."""
    check_training(tokenizer, vocab_size, ties)
    texts = list(each_text(text))
    for part in texts:
        check_text(part)
    words, special_tokens = words_of(tokenizer, texts)
    cells = train_on_words(tokenizer, words, vocab_size, ties=ties, progress=progress, special_tokens=special_tokens)
    if tokenizer.pattern is None and len(texts) == 1 and not special_tokens:
        symbols, pairs = cells[1:-1].T
        ids: list[int] = np.array([*range(256), *tokenizer.merges.values()])[symbols[pairs != INSIDE]].tolist()
        return ids
    return list(chain.from_iterable(encode_batch(tokenizer, texts)))


def words_of(tokenizer: BPEBase, texts: list[str]) -> tuple[WordCounts, int]:
    """Count the distinct pieces of texts, which `check_text` has passed, and their special tokens.

    Without a pattern, a text between two special tokens is one piece.
    """
    data, parts = SpecialTokens(tokenizer.special_to_id).joined(texts)
    special_tokens = int((parts.ids != NO_TOKEN).sum())
    counter = WordCounter(len(data))
    counter.count(data, tokenizer.pattern, parts)
    return counter.words(), special_tokens


def train_on_words(
    tokenizer: BPEBase,
    words: WordCounts,
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    progress: Progress = None,
    special_tokens: int = 0,
) -> NDArray[np.int32]:
    """Learn merges from the pieces of a corpus, which need not fit into one string. Return its cells.

    The tokenizer's pattern is not applied again. `special_tokens`, their number in the corpus, is for progress reports.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> _ = train_on_words(tokenizer, WordCounts.of([(b"low", 5), (b"lower", 2), (b"lowest", 1)]), 259)
    >>> [tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()]
    [b'lo', b'low', b'lowe']
    """
    check_training(tokenizer, vocab_size, ties)
    tokenizer._reset()
    tokenizer.merges = VersionedDict()
    # The loops ignore special tokens and number the merges from 256 on, after the bytes.
    ids = [*range(256), *islice(tokenizer.merge_ids(), vocab_size - tokenizer.base_vocab_size)]
    size = int(words.lengths.sum()) + len(words.lengths) + 1
    if size >= MAX_CORPUS:
        raise ValueError(f"The distinct words have {size:,} bytes, which exceeds the limit of {MAX_CORPUS:,}.")
    cells = np.empty((size, CELL_SIZE), np.int32)
    learned = _learned(cells, words, tokenizer, len(ids), ties, int(words.lengths @ words.counts) + special_tokens)
    merges, vocab = tokenizer.merges, tokenizer.vocab
    with tokenizer._learning(progress, len(ids) - 256) as bar:
        for done, (left, right, count, left_over) in enumerate(learned, start=1):
            pair, new_id = (ids[left], ids[right]), ids[255 + done]
            merges[pair] = new_id
            vocab[new_id] = token = vocab[pair[0]] + vocab[pair[1]]
            bar.update(done, tokens=left_over, newest=token, count=count)
    if len(merges) < len(ids) - 256:
        warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size, stacklevel=5)
    return cells


def check_training(tokenizer: BPEBase, vocab_size: int, ties: str) -> None:
    """Raise an error for invalid arguments before any work begins."""
    tokenizer._check_training(vocab_size)
    if ties not in get_args(Ties):
        raise ValueError(f"ties is 'first-seen', 'lowest-id' or 'greatest', but it is {ties!r}.")


# --- cells and pairs --------------------------------------------------------------------------------------------------

# A cell is two numbers in the array `cells`, side by side in the processor's cache: its token, and the pair that starts
# there. A place is the index of a cell's first number, and the length of a token counts these numbers, two for each
# byte.
PAIR, CELL_SIZE = 1, 2

NO_PAIR = -1  # The pair at the last token of a word, or at a boundary.
INSIDE = -2  # The pair in a cell where no token starts.

# Pair k has six numbers in the array `pairs`, from 6 * k on: its two IDs as one number; its present count; its count
# when it was put into the heap; the begin and end of its places in the array `places`; and a number that breaks ties.
# There is no pair 0.
KEY, COUNT, PUSHED, BEGIN, END, ORDER, PAIR_SIZE = range(7)

REQUESTED = 8  # For how many places ahead of the present one the cells have been requested from memory.


@inner
def _count(
    x: int, key: int, place: int, weight: int, known: int, size: int, ties: int, gained: Array, pairs: Array
) -> int:
    """Count an occurrence of a pair that the present merge creates; return the number of pairs.

    This merge's pairs are numbered from `known` on. If gained[x] is lower, an earlier merge has left it, and the pair
    is new.
    """
    if gained[x] < known:
        gained[x] = size
        pairs[PAIR_SIZE * size + KEY] = key
        pairs[PAIR_SIZE * size + ORDER] = key if ties == LOWEST_ID else place
        size += 1
    pair = natural(PAIR_SIZE * gained[x])
    pairs[pair + COUNT] += weight
    pairs[pair + END] += 1
    return size


@inner
def _reserve(number: int, used: int, pairs: Array) -> int:
    """Reserve room for the places of a pair, which END counts; return how much of `places` is in use."""
    pair = PAIR_SIZE * number
    pairs[pair + BEGIN] = used
    used += pairs[pair + END]
    pairs[pair + END] = pairs[pair + BEGIN]
    return used


@inner
def _write_place(number: int, place: int, cells: Array, pairs: Array, places: Array) -> None:
    """Record a place of a pair."""
    cells[place + PAIR] = number
    end = natural(PAIR_SIZE * number + END)
    places[natural(pairs[end])] = place
    pairs[end] += 1


# --- the heap ---------------------------------------------------------------------------------------------------------

# For the rule "greatest", `data` has the byte of each cell; for the other rules it is empty.


@inner
def _is_greater(x: int, y: int, pairs: Array, lengths: Array, data: Array) -> bool:
    """Tell whether the two byte strings of pair x come after those of pair y. ORDER is a place of the pair."""
    x_at, y_at = pairs[PAIR_SIZE * x + ORDER], pairs[PAIR_SIZE * y + ORDER]
    for shift in (32, 0):
        x_end = x_at + lengths[pairs[PAIR_SIZE * x + KEY] >> shift & 0xFFFFFFFF]
        y_end = y_at + lengths[pairs[PAIR_SIZE * y + KEY] >> shift & 0xFFFFFFFF]
        while x_at < x_end and y_at < y_end:
            if data[x_at // CELL_SIZE] != data[y_at // CELL_SIZE]:
                return data[x_at // CELL_SIZE] > data[y_at // CELL_SIZE]
            x_at += CELL_SIZE
            y_at += CELL_SIZE
        if x_at < x_end or y_at < y_end:
            return x_at < x_end
    return False


@inner
def _precedes(x: int, y: int, pairs: Array, lengths: Array, data: Array) -> bool:
    """Tell whether pair x is merged before pair y."""
    x_at, y_at = PAIR_SIZE * x, PAIR_SIZE * y
    if pairs[x_at + PUSHED] != pairs[y_at + PUSHED]:
        return pairs[x_at + PUSHED] > pairs[y_at + PUSHED]
    if len(data) > 0:
        return _is_greater(x, y, pairs, lengths, data)
    return pairs[x_at + ORDER] < pairs[y_at + ORDER]


_push, _pop = heap_of(_precedes)


@inner
def _enter(number: int, least: int, heap: Array, size: int, pairs: Array, lengths: Array, data: Array) -> int:
    """Put a pair into the heap if its count is at least `least`; return the heap's size."""
    count = pairs[PAIR_SIZE * number + COUNT] + 0
    if count < least:
        return size
    pairs[PAIR_SIZE * number + PUSHED] = count
    return _push(heap, size, number, pairs, lengths, data)


# --- merging ----------------------------------------------------------------------------------------------------------


@inner
def _weight(place: int, weights: Array) -> int:
    """Return how often the word of a cell occurs."""
    return weights[natural(place // CELL_SIZE)] if len(weights) > 0 else 1


@inner
def _collect(ties: int, cells: Array, weights: Array, pairs: Array, places: Array, gained: Array) -> tuple[int, int]:
    """Count the pairs of bytes, and record their places; return the number of pairs, and of places."""
    size, used = 1, 0
    for place in range(CELL_SIZE, len(cells) - CELL_SIZE, CELL_SIZE):
        left, right = cells[place] + 0, cells[place + CELL_SIZE]
        if left != BOUNDARY and right != BOUNDARY:
            weight = _weight(place, weights)
            x = left << 8 | right
            size = _count(x, left << 32 | right, place, weight, 1, size, ties, gained, pairs)
            cells[place + PAIR] = gained[x]
    for number in range(1, size):
        used = _reserve(number, used, pairs)
    for place in range(CELL_SIZE, len(cells) - CELL_SIZE, CELL_SIZE):
        if cells[place + PAIR] != NO_PAIR:
            _write_place(cells[place + PAIR], place, cells, pairs, places)
    return size, used


@inner
def _replace(
    best: int, new: int, size: int, ties: int, cells: Array, weights: Array, pairs: Array,
    places: Array, gained: Array, lengths: Array,
) -> tuple[int, int, int]:  # fmt: skip
    """Replace a pair by the new token wherever it occurs, and update the counts of all pairs.

    Of its places, only those of replacements remain. Returns their end; how often the pair was replaced, counting each
    word as often as it occurs; and the number of pairs.
    """
    pair, known = PAIR_SIZE * best, size
    begin, stop = pairs[pair + BEGIN], pairs[pair + END]
    length, left_length = lengths[new], lengths[pairs[pair + KEY] >> 32]
    found, times = begin, 0
    for i in range(begin, stop):
        place, ahead = natural(places[i]), places[min(i + REQUESTED, stop - 1)]
        prefetch(cells, ahead)
        prefetch(weights, ahead // CELL_SIZE)
        if cells[place + PAIR] != best:
            continue
        places[found] = place
        found += 1
        weight = _weight(place, weights)
        times += weight
        middle, end = natural(place + left_length), natural(place + length)
        before, after = cells[natural(place - CELL_SIZE)] + 0, cells[end] + 0
        # Of two occurrences in succession, the first one has counted (new, new).
        if before != BOUNDARY and before != new:
            at, x = natural(place - lengths[natural(before)]), 2 * natural(before)
            pairs[natural(PAIR_SIZE * cells[at + PAIR] + COUNT)] -= weight
            size = _count(x, before << 32 | new, at, weight, known, size, ties, gained, pairs)
        if after != BOUNDARY:
            pairs[natural(PAIR_SIZE * cells[middle + PAIR] + COUNT)] -= weight
            if cells[end + PAIR] == best:
                after = new
            x = 2 * natural(after) + 1
            size = _count(x, new << 32 | after, place, weight, known, size, ties, gained, pairs)
        cells[middle + PAIR] = INSIDE
        cells[place], cells[natural(end - CELL_SIZE)] = new, new
    pairs[pair + COUNT] = 0
    return found, times, size


@inner
def _write_places(
    new: int, begin: int, stop: int, cells: Array, pairs: Array, places: Array, gained: Array, lengths: Array
) -> None:
    """Record the places of the pairs with the new token, which itself occurs at places[begin:stop]."""
    length = lengths[new]
    for i in range(begin, stop):
        place = natural(places[i])
        prefetch(cells, places[min(i + REQUESTED, stop - 1)])
        before, after = cells[natural(place - CELL_SIZE)] + 0, cells[natural(place + length)] + 0
        if before != BOUNDARY and before != new:
            before = natural(before)
            _write_place(gained[2 * before], natural(place - lengths[before]), cells, pairs, places)
        if after != BOUNDARY:
            _write_place(gained[2 * natural(after) + 1], place, cells, pairs, places)
        else:
            cells[place + PAIR] = NO_PAIR


@entry
def _learn(
    state: Int64, until: int, ties: int, data: UInt8, cells: Int32, weights: Int64, places: Int32,
    gained: Int32, lengths: Int64, merged: Int64, pairs: Int64, heap: Int64,
) -> None:  # fmt: skip
    """Learn merges from `state` on, until the next ID is `until`, no pair is left, or `pairs` is too short.

    `state` is updated: [next symbol, number of pairs, pairs in the heap, tokens in the corpus, places in use, lowest
    count of a pair in the heap]. `weights` says how often each cell's word occurs, if not once; `lengths` is the
    length of each token, in numbers of `cells`. `gained` is scratch memory: for token x, index 2 * x is for the pair
    (x, new), the next one for (new, x). For each new ID, `merged` gets the pair's two IDs, its count, and the number of
    tokens left in the corpus.
    """
    new, size, heap_size, tokens, used, least = state[0], state[1], state[2], state[3], state[4], state[5]
    if size == 0:
        size, used = _collect(ties, cells, weights, pairs, places, gained)
    while new < until:
        while heap_size == 0 and least > 1:
            least >>= 1
            for number in range(1, size):
                heap_size = _enter(number, least, heap, heap_size, pairs, lengths, data)
        # A merge adds at most two pairs for each token.
        if heap_size == 0 or PAIR_SIZE * (size + 2 * new + 2) > len(pairs):
            break
        best = heap[0] + 0
        heap_size = _pop(heap, heap_size, pairs, lengths, data)
        pair = PAIR_SIZE * best
        count = pairs[pair + COUNT]
        is_old = count != pairs[pair + PUSHED]
        if ties == FIRST_SEEN and not is_old:
            while cells[places[pairs[pair + BEGIN]] + PAIR] != best:
                pairs[pair + BEGIN] += 1
            first = places[pairs[pair + BEGIN]]
            is_old = pairs[pair + ORDER] != first
            pairs[pair + ORDER] = first
        if is_old:
            heap_size = _enter(best, least, heap, heap_size, pairs, lengths, data)
            continue

        left, right, known = pairs[pair + KEY] >> 32, pairs[pair + KEY] & 0xFFFFFFFF, size
        lengths[new] = lengths[left] + lengths[right]
        stop, times, size = _replace(best, new, size, ties, cells, weights, pairs, places, gained, lengths)
        for number in range(known, size):
            used = _reserve(number, used, pairs)
            heap_size = _enter(number, least, heap, heap_size, pairs, lengths, data)
        _write_places(new, pairs[pair + BEGIN], stop, cells, pairs, places, gained, lengths)
        tokens -= times
        merged[4 * new], merged[4 * new + 1], merged[4 * new + 2], merged[4 * new + 3] = left, right, count, tokens
        new += 1
    state[0], state[1], state[2], state[3], state[4], state[5] = new, size, heap_size, tokens, used, least


# --- around the loops -------------------------------------------------------------------------------------------------


def _learned(
    cells: NDArray[np.int32], words: WordCounts, tokenizer: BPEBase, size: int, ties: Ties, tokens: int
) -> Iterator[list[int]]:
    """Yield each merge, up to `size` symbols: [left symbol, right symbol, count, tokens left in the corpus]."""
    rule = get_args(Ties).index(ties)
    lengths = words.lengths + 1
    is_byte = np.ones(len(cells), bool)
    is_byte[0] = False
    is_byte[np.cumsum(lengths)] = False
    cells[:] = BOUNDARY, NO_PAIR
    cells[:, 0][is_byte] = np.frombuffer(words.data.translate(bytes(tokenizer.byte_ids)), np.uint8)
    data = np.zeros(len(cells) if rule == GREATEST else 0, np.uint8)
    if rule == GREATEST:
        data[is_byte] = np.frombuffer(words.data, np.uint8)
    weights = np.append(0, np.repeat(words.counts, lengths)) if (words.counts > 1).any() else np.zeros(0, np.int64)
    arrays = (
        data,
        cells.reshape(-1),
        weights,
        # One for each pair of bytes; after that, a merge adds at most two for each token that it removes.
        np.empty(3 * len(cells), np.int32),
        np.zeros(max(BYTE_PAIRS, 2 * size), np.int32),
        np.full(size, CELL_SIZE, np.int64),
    )
    merged = np.zeros((size, 4), np.int64)
    room = min(BYTE_PAIRS, len(cells)) + 2 * size
    pairs, heap = np.zeros(PAIR_SIZE * room, np.int64), np.empty(room, np.int64)
    state = np.array([256, 0, 0, tokens, 0, 1 << tokens.bit_length()], np.int64)
    symbol = 256
    while symbol < size:
        until = min(size, symbol + STEPS)
        _learn(state, until, rule, *arrays, merged.reshape(-1), pairs, heap)
        learned, _, pairs_left, *_ = state.tolist()
        yield from merged[symbol:learned].tolist()
        symbol = learned
        if symbol < until:
            if not pairs_left:
                break
            pairs, heap = (np.append(part, np.zeros_like(part)) for part in (pairs, heap))
