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

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from g2c.common.files import no_garbage_collection
from g2c.common.progress import Progress
from g2c.engine.compiled import Array, Int32, Int64, UInt8, entry, expect, inner, natural, prefetch
from g2c.engine.encoding import BYTE_PAIRS, heap_of
from g2c.engine.fast import encode_batch
from g2c.engine.parts import NO_TOKEN, Parts, SpecialTokens
from g2c.engine.splitting import BOUND, MAX_PIECES, NEEDED, NO_NUMBERS, PART, PLACE, Source, split_off
from g2c.engine.words import BYTES_AT, PIECE_SIZE, SLOT_SIZE, empty_table, find, move, piece_at
from g2c.formats.table import Table
from g2c.tokenizer.base import BOUNDARY, BPEBase, Pair, each_text, warn_vocabulary_not_reached
from g2c.tokenizer.checks import check_text
from g2c.tokenizer.patterns import Pattern

Ties = Literal["first-seen", "lowest-id"]

FIRST_SEEN, LOWEST_ID = range(2)

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
    source: Source, position: Int64, weights: Int64, pieces: Int64, slots: Int64, data: UInt8, size: Int64
) -> None:
    """Count pieces from `position` on, until the text ends or there is no room for another word.

    `weights` says how often the piece before each of the source's bounds occurs, if not once.
    """
    source = Source(*source)
    part, p = position[PART], position[PLACE]
    while part < len(source.ends):
        p, end = max(p, source.begins[part]), source.ends[part]
        while p < end:
            ahead = split_off(source, p, end, position, pieces, slots)
            for i in range(ahead):
                piece = piece_at(pieces, i)
                slot, a, b = find(source.text, p, piece, slots, data)
                length = piece[0] - p
                if slots[slot + 1] == 0:
                    at = size[USED_BYTES]
                    if 2 * SLOT_SIZE * size[DISTINCT] == len(slots) or at + length > len(data):
                        position[PART], position[PLACE], position[NEEDED] = part, p, length
                        return
                    slots[slot], slots[slot + 1], slots[slot + BYTES_AT] = a, b | IS_TAKEN, at
                    for j in range(length):
                        data[at + j] = source.text[p + j]
                    size[USED_BYTES] += length
                    size[DISTINCT] += 1
                slots[slot + OCCURRENCES] += weights[position[BOUND] + i] if len(weights) > 0 else 1
                p += length
        part += 1
    position[PART] = part


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
        self._slots, self._data = empty_table(2 * words), np.empty(8 * words, np.uint8)
        self._size = np.zeros(2, np.int64)

    def count(self, text: bytes, pattern: Pattern | None, parts: Parts) -> None:
        """Count the pieces of a text, which is valid UTF-8. Without a pattern, each part is a piece."""
        expect(len(text))
        self._count(Source.of(text, parts, pattern), NO_NUMBERS)

    def add(self, words: WordCounts) -> None:
        """Add the counts of another counter."""
        self._count(Source.of(words.data, Parts.whole(words.data), None, np.cumsum(words.lengths)), words.counts)

    def _count(self, source: Source, weights: NDArray[np.int64]) -> None:
        position = np.zeros(4, np.int64)
        while position[PART] < len(source.ends):
            _count_pieces(source, position, weights, self._pieces, self._slots, self._data, self._size)
            if 2 * SLOT_SIZE * self._size[DISTINCT] == len(self._slots):
                old, self._slots = self._slots, empty_table(2 * len(self._slots) // SLOT_SIZE)
                move(old, self._slots)
            needed = int(self._size[USED_BYTES] + position[NEEDED])
            if needed > len(self._data):
                self._data = np.resize(self._data, 2 * needed)

    def words(self) -> WordCounts:
        """Return the distinct words in order of first appearance, each with its count."""
        slots = self._slots.reshape(-1, SLOT_SIZE)
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
    """Learn the merges that `train` learns, but by the engine, and return the IDs of the text.

    Arguments and errors are those of `train`. All texts are in memory at once; for larger corpora, see
    `g2c.corpus.training.train_exact_corpus`.

    Args:
        ties: which of equally frequent pairs is merged. "first-seen": the one that appears first in the corpus, as in
            `train`. "lowest-id": the one with the lowest (first ID, second ID), as in the trainer of Hugging Face's
            `tokenizers`. Its merges are the same only if it numbers the bytes by their values, as `train_fast` makes it
            do; it usually numbers them by the characters that stand for them.

    >>> tokenizer = BPETokenizer()
    >>> tokenizer.train_exact("the the the", 259)
    [258, 258, 257]
    >>> _ = tokenizer.train_exact("the the the", 259, ties="lowest-id")
    >>> tokenizer.merges
    {(104, 101): 256, (116, 256): 257, (32, 257): 258}
    """
    check_training(tokenizer, vocab_size, ties)
    texts = list(each_text(text))
    for part in texts:
        check_text(part)
    words, special_tokens = words_of(tokenizer, texts)
    cells = train_on_words(tokenizer, words, vocab_size, ties=ties, progress=progress, special_tokens=special_tokens)
    if tokenizer.pattern is None and len(texts) == 1 and not special_tokens:
        symbols, pairs = cells[1:-1].T
        ids: list[int] = np.append(np.arange(256), tokenizer.table.ids[256:])[symbols[pairs != INSIDE]].tolist()
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
    size = int(words.lengths.sum())
    if size + len(words.lengths) >= MAX_CORPUS:
        raise ValueError(
            f"The distinct words are too long for training: {len(words.lengths):,} words with {size:,} bytes. "
            f"Together, these two numbers must be below {MAX_CORPUS:,}."
        )
    to_learn = vocab_size - tokenizer.base_vocab_size
    cells, weights = _cells_of(words, tokenizer.byte_ids)
    learned = _learned(cells, weights, 256 + to_learn, ties, int(words.lengths @ words.counts) + special_tokens)
    pairs: list[Pair] = []
    tokens = [bytes([tokenizer.byte_ids.index(byte_id)]) for byte_id in range(256)]
    with no_garbage_collection(), tokenizer._learning(progress, to_learn) as bar:
        try:
            for left, right, count, left_over in learned:
                tokens.append(tokens[left] + tokens[right])
                pairs.append((left, right))
                bar.update(len(pairs), tokens=left_over, newest=tokens[-1], count=count)
        finally:
            # After Ctrl-C, too.
            tokenizer.set_table(_table_of(tokenizer, pairs))
    if len(pairs) < to_learn:
        warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size)
    return cells


def _table_of(tokenizer: BPEBase, pairs: list[Pair]) -> Table:
    """Return the table of a tokenizer that has learned these pairs, in which bytes are numbered by their IDs."""
    ids = [*tokenizer.byte_ids, *islice(tokenizer.merge_ids(), len(pairs))]
    symbols = np.append(np.argsort(ids[:256]), np.arange(256, len(ids)))
    left, right = symbols[np.array(pairs, np.int64).reshape(-1, 2).T]
    special, whole = dict(tokenizer.special_to_id), dict(tokenizer.whole_pieces)
    settings = tokenizer.pattern, special, whole, tokenizer.normalization, tokenizer.shown_tokens
    return Table(left, right, np.array(ids), *settings)


def check_training(tokenizer: BPEBase, vocab_size: int, ties: str) -> None:
    """Raise an error for invalid arguments before any work begins."""
    tokenizer.check_training(vocab_size)
    if ties not in get_args(Ties):
        raise ValueError(f"ties is 'first-seen' or 'lowest-id', but it is {ties!r}.")


# --- cells and pairs --------------------------------------------------------------------------------------------------

# A cell is two numbers in the array `cells`, side by side in the processor's cache: its token, and the pair that starts
# there. A place is the index of a cell's first number, and the length of a token counts these numbers, two for each
# byte.
PAIR, CELL_SIZE = 1, 2

NO_PAIR = -1  # The pair at the last token of a word, or at a boundary.
INSIDE = -2  # The pair in a cell where no token starts.

REQUESTED = 8  # For how many places ahead of the present one the cells have been requested from memory.


class Occurrences(NamedTuple):
    """The corpus, and where its pairs are.

    weights: how often each cell's word occurs; empty if every word occurs once. places: the places of all pairs.
    lengths: the length of each token. gained: scratch memory; for token x, index 2 * x is for the pair (x, new), the
    next one for (new, x).
    """

    cells: Int32
    weights: Int64
    places: Int32
    lengths: Int64
    gained: Int32


class Pairs(NamedTuple):
    """The pairs, numbered from 1.

    keys: left << 32 | right. counts: how often each occurs now. pushed: its count when it was put into the heap. order:
    the lower one of two equally frequent pairs is merged first; it is the first place or the key, by the rule for ties.
    begins, ends: of its part of `places`, and room: the size of this part.
    """

    keys: Int64
    counts: Int64
    pushed: Int64
    order: Int64
    begins: Int64
    ends: Int64
    room: Int64


class Stage(NamedTuple):
    """How far training has come: the next symbol, and how many pairs, pairs in the heap, tokens in the corpus and
    places there are. The heap contains the pairs that occur at least `least` times."""

    new: int
    pairs: int
    in_heap: int
    tokens: int
    places: int
    least: int


class Learned(NamedTuple):
    """For each new symbol: the pair that it replaces, the pair's count, and the number of tokens left in the corpus."""

    left: Int64
    right: Int64
    counts: Int64
    tokens: Int64


@inner
def _wide(number: int) -> int:
    """Return a number from an array of 32 bits as one of 64 bits, like all others."""
    return number + 0


@inner
def _count(
    x: int, key: int, place: int, weight: int, known: int, size: int, ties: int, gained: Array, pairs: Pairs
) -> int:
    """Count an occurrence of a pair that the present merge creates; return the number of pairs.

    This merge's pairs are numbered from `known` on. If gained[x] is lower, an earlier merge has left it, and the pair
    is new.
    """
    if gained[x] < known:
        gained[x] = size
        pairs.keys[size] = key
        pairs.order[size] = key if ties == LOWEST_ID else place
        size += 1
    pair = natural(gained[x])
    pairs.counts[pair] += weight
    pairs.room[pair] += 1
    return size


@inner
def _reserve(pair: int, used: int, pairs: Pairs) -> int:
    """Reserve room for the places of a pair; return how much of `places` is in use."""
    pairs.begins[pair] = pairs.ends[pair] = used
    return used + pairs.room[pair]


@inner
def _write_place(pair: int, place: int, cells: Array, pairs: Pairs, places: Array) -> None:
    """Record a place of a pair."""
    cells[place + PAIR] = pair
    pair = natural(pair)
    places[natural(pairs.ends[pair])] = place
    pairs.ends[pair] += 1


# --- the heap ---------------------------------------------------------------------------------------------------------


@inner
def _precedes(x: int, y: int, pairs: Pairs) -> bool:
    """Tell whether pair x is merged before pair y."""
    if pairs.pushed[x] != pairs.pushed[y]:
        return pairs.pushed[x] > pairs.pushed[y]
    return pairs.order[x] < pairs.order[y]


_push, _pop = heap_of(_precedes)


@inner
def _enter(pair: int, least: int, heap: Array, size: int, pairs: Pairs) -> int:
    """Put a pair into the heap if its count is at least `least`; return the heap's size."""
    count = pairs.counts[pair]
    if count < least:
        return size
    pairs.pushed[pair] = count
    return _push(heap, size, pair, pairs)


@inner
def _is_outdated(pair: int, ties: int, corpus: Occurrences, pairs: Pairs) -> bool:
    """Tell whether a pair from the heap has lost occurrences since; the first place, which breaks ties, is updated."""
    if pairs.counts[pair] != pairs.pushed[pair]:
        return True
    if ties == LOWEST_ID:
        return False
    while corpus.cells[corpus.places[pairs.begins[pair]] + PAIR] != pair:
        pairs.begins[pair] += 1
    before, first = pairs.order[pair], _wide(corpus.places[pairs.begins[pair]])
    pairs.order[pair] = first
    return before != first


# --- merging ----------------------------------------------------------------------------------------------------------


@inner
def _weight(place: int, weights: Array) -> int:
    """Return how often the word of a cell occurs."""
    return weights[natural(place // CELL_SIZE)] if len(weights) > 0 else 1


@inner
def _collect(ties: int, corpus: Occurrences, pairs: Pairs) -> tuple[int, int]:
    """Count the pairs of bytes, and record their places; return the number of pairs, and of places."""
    cells, size, used = corpus.cells, 1, 0
    for place in range(CELL_SIZE, len(cells) - CELL_SIZE, CELL_SIZE):
        left, right = _wide(cells[place]), _wide(cells[place + CELL_SIZE])
        if left != BOUNDARY and right != BOUNDARY:
            x, weight = left << 8 | right, _weight(place, corpus.weights)
            size = _count(x, left << 32 | right, place, weight, 1, size, ties, corpus.gained, pairs)
            cells[place + PAIR] = corpus.gained[x]
    for pair in range(1, size):
        used = _reserve(pair, used, pairs)
    for place in range(CELL_SIZE, len(cells) - CELL_SIZE, CELL_SIZE):
        if cells[place + PAIR] != NO_PAIR:
            _write_place(_wide(cells[place + PAIR]), place, cells, pairs, corpus.places)
    return size, used


@inner
def _replace(best: int, new: int, size: int, ties: int, corpus: Occurrences, pairs: Pairs) -> tuple[int, int, int]:
    """Replace a pair by the new token wherever it occurs, and update the counts of all pairs.

    Of its places, only those of replacements remain. Returns their end; how often the pair was replaced, counting each
    word as often as it occurs; and the number of pairs.
    """
    cells, places, gained, lengths = corpus.cells, corpus.places, corpus.gained, corpus.lengths
    known, length, left_length = size, lengths[new], lengths[pairs.keys[best] >> 32]
    found = begin = pairs.begins[best]
    times, stop = 0, pairs.ends[best]
    for i in range(begin, stop):
        place, ahead = natural(places[i]), places[min(i + REQUESTED, stop - 1)]
        prefetch(cells, ahead)
        prefetch(corpus.weights, ahead // CELL_SIZE)
        if cells[place + PAIR] != best:
            continue
        places[found] = place
        found += 1
        weight = _weight(place, corpus.weights)
        times += weight
        middle, end = natural(place + left_length), natural(place + length)
        before, after = _wide(cells[natural(place - CELL_SIZE)]), _wide(cells[end])
        # Of two occurrences in succession, the first one has counted (new, new).
        if before != BOUNDARY and before != new:
            at, x = natural(place - lengths[natural(before)]), 2 * natural(before)
            pairs.counts[natural(cells[at + PAIR])] -= weight
            size = _count(x, before << 32 | new, at, weight, known, size, ties, gained, pairs)
        if after != BOUNDARY:
            pairs.counts[natural(cells[middle + PAIR])] -= weight
            if cells[end + PAIR] == best:
                after = new
            x = 2 * natural(after) + 1
            size = _count(x, new << 32 | after, place, weight, known, size, ties, gained, pairs)
        cells[middle + PAIR] = INSIDE
        cells[place], cells[natural(end - CELL_SIZE)] = new, new
    pairs.counts[best] = 0
    return found, times, size


@inner
def _write_places(new: int, begin: int, stop: int, corpus: Occurrences, pairs: Pairs) -> None:
    """Record the places of the pairs with the new token, which itself occurs at places[begin:stop]."""
    cells, places, gained, lengths = corpus.cells, corpus.places, corpus.gained, corpus.lengths
    length = lengths[new]
    for i in range(begin, stop):
        place = natural(places[i])
        prefetch(cells, places[min(i + REQUESTED, stop - 1)])
        before, after = _wide(cells[natural(place - CELL_SIZE)]), _wide(cells[natural(place + length)])
        if before != BOUNDARY and before != new:
            before = natural(before)
            _write_place(_wide(gained[2 * before]), natural(place - lengths[before]), cells, pairs, places)
        if after != BOUNDARY:
            _write_place(_wide(gained[2 * natural(after) + 1]), place, cells, pairs, places)
        else:
            cells[place + PAIR] = NO_PAIR


@entry
def _learn(
    state: Stage, until: int, ties: int, corpus: Occurrences, pairs: Pairs, heap: Int64, learned: Learned
) -> Stage:
    """Learn merges until the next symbol is `until`, no pair is left, or there is no room for more pairs."""
    corpus, pairs, learned = Occurrences(*corpus), Pairs(*pairs), Learned(*learned)
    new, size, in_heap, tokens, used, least = state
    if size == 0:
        size, used = _collect(ties, corpus, pairs)
    while new < until:
        while in_heap == 0 and least > 1:
            least >>= 1
            for pair in range(1, size):
                in_heap = _enter(pair, least, heap, in_heap, pairs)
        # A merge adds at most two pairs for each token.
        if in_heap == 0 or size + 2 * new + 2 > len(heap):
            break
        best = _wide(heap[0])
        in_heap = _pop(heap, in_heap, pairs)
        if _is_outdated(best, ties, corpus, pairs):
            in_heap = _enter(best, least, heap, in_heap, pairs)
            continue
        left, right, known = pairs.keys[best] >> 32, pairs.keys[best] & 0xFFFFFFFF, size
        learned.left[new], learned.right[new], learned.counts[new] = left, right, pairs.counts[best]
        corpus.lengths[new] = corpus.lengths[left] + corpus.lengths[right]
        stop, times, size = _replace(best, new, size, ties, corpus, pairs)
        for pair in range(known, size):
            used = _reserve(pair, used, pairs)
            in_heap = _enter(pair, least, heap, in_heap, pairs)
        _write_places(new, pairs.begins[best], stop, corpus, pairs)
        tokens -= times
        learned.tokens[new] = tokens
        new += 1
    return Stage(new, size, in_heap, tokens, used, least)


# --- around the loops -------------------------------------------------------------------------------------------------


def _cells_of(words: WordCounts, byte_ids: Sequence[int]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the cells of a corpus, and the weight of each cell; no weights if every word occurs once."""
    lengths = words.lengths + 1
    cells = np.empty((int(lengths.sum()) + 1, CELL_SIZE), np.int32)
    is_byte = np.ones(len(cells), bool)
    is_byte[0] = False
    is_byte[np.cumsum(lengths)] = False
    cells[:] = BOUNDARY, NO_PAIR
    cells[:, 0][is_byte] = np.frombuffer(words.data.translate(bytes(byte_ids)), np.uint8)
    return cells, np.append(0, np.repeat(words.counts, lengths)) if (words.counts > 1).any() else NO_NUMBERS


def _learned(
    cells: NDArray[np.int32], weights: NDArray[np.int64], size: int, ties: Ties, tokens: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield each merge, up to `size` symbols: left symbol, right symbol, count, tokens left in the corpus."""
    corpus = Occurrences(
        cells.reshape(-1),
        weights,
        # One for each pair of bytes; after that, a merge adds at most two for each token that it removes.
        places=np.empty(3 * len(cells), np.int32),
        lengths=np.full(size, CELL_SIZE, np.int64),
        gained=np.zeros(max(BYTE_PAIRS, 2 * size), np.int32),
    )
    learned = Learned(*np.zeros((4, size), np.int64))
    room = min(BYTE_PAIRS, len(cells)) + 2 * size
    pairs, heap = Pairs(*np.zeros((7, room), np.int64)), np.empty(room, np.int64)
    # A byte takes three times as long as in encoding.
    expect(3 * len(cells))
    state = Stage(256, 0, 0, tokens, 0, 1 << tokens.bit_length())
    while state.new < size:
        begin, until = state.new, min(size, state.new + STEPS)
        state = _learn(state, until, get_args(Ties).index(ties), corpus, pairs, heap, learned)
        yield from zip(*(column[begin : state.new].tolist() for column in learned))
        if state.new < until:
            if not state.in_heap:
                break
            heap = np.append(heap, np.zeros_like(heap))
            pairs = Pairs(*(np.append(column, np.zeros_like(column)) for column in pairs))
