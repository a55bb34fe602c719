"""Exact BPE training in a fraction of a second, with the merges, IDs and ties of `BPETokenizer.train`.

`train` counts every pair again for each merge, which changes only the pairs that touch one of its occurrences. This
module counts once and updates the counts, so it has to know where each pair occurs, and its neighbors.

**Cells.** The corpus has a cell for each byte, and one for each boundary between words. The first and the last cell of
a token contain its ID, so a token's neighbors are in the cells just before and after it. The first cell also contains
the number of the pair that starts there:

    bytes   #   t   h   e   _   #   t   h   e   n   #         # is BOUNDARY
    token   #  257  .  257  _   #  257  .  257  n   #         after t,h -> 256 and 256,e -> 257
    pair    -   7   -   -   -   -   8   -   -   -   -         7 is (257, _), 8 is (257, n), - is NO_PAIR

**Places.** Each pair has a list of its places, from left to right. It gains occurrences only in the merge that creates
one of its tokens. Later it can only lose some; when the pair itself is merged, a place whose cell has another pair by
then is skipped.

**A merge** of (left, right) into a new token visits its places. At each, the pairs (x, left) and (right, y) lose an
occurrence, and (x, new) and (new, y) gain one.

**Order.** A heap contains the pairs with their counts, the most frequent first. A pair that comes out with an outdated
count goes back with the present one. The same applies to a pair's first place, which breaks ties and can only move to
the right. Most pairs are too rare to be merged soon, so the heap contains only those with at least a certain count,
which is halved whenever the heap is empty.

**Words.** With a pattern, equal pieces are merged alike. So the corpus contains each distinct piece once, in order of
first appearance, which preserves ties, and counts it as often as it occurs.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple, get_args

import numpy as np

from coach.common.files import no_garbage_collection
from g2c.common.progress import Progress
from g2c.engine.compiled import Array, Int32, Int64, entry, expect, natural, prefetch, shared
from g2c.engine.counting import WordCounter, WordCounts
from g2c.engine.fast import encode_texts
from g2c.engine.heap import heap_of
from g2c.engine.parts import SpecialTokens
from g2c.engine.splitting import NO_NUMBERS
from g2c.formats.table import BYTE_TOKENS, Table
from g2c.tokenizer.base import BOUNDARY, BPEBase, Pair, each_text, warn_vocabulary_not_reached
from g2c.tokenizer.checks import check_text

Ties = Literal["first-seen", "lowest-id"]

MAX_CORPUS = 700_000_000  # The largest number of bytes of the distinct words, or of a text without a pattern.
STEPS = 256  # The number of merges that are learned before progress is reported and Ctrl-C is noticed.


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
    `g2c.corpus.training.train_exact_corpus`. `ties` says which of equally frequent pairs is merged. "first-seen": the
    one that appears first in the corpus, as in `train`. "lowest-id": the one with the lowest (first ID, second ID), as
    in `train_fast`.

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
    train_on_words(tokenizer, words_of(tokenizer, texts), vocab_size, ties=ties, progress=progress)
    return encode_texts(tokenizer, texts)


def words_of(tokenizer: BPEBase, texts: list[str]) -> WordCounts:
    """Count the distinct pieces of texts, which `check_text` has passed."""
    data, parts = SpecialTokens(tokenizer.special_to_id).joined(texts)
    counter = WordCounter()
    counter.count(data, tokenizer.pattern, parts)
    return counter.words()


def train_on_words(
    tokenizer: BPEBase, words: WordCounts, vocab_size: int, *, ties: Ties = "first-seen", progress: Progress = None
) -> None:
    """Learn merges from the pieces of a corpus, with arguments that `check_training` has passed."""
    to_learn = vocab_size - tokenizer.base_vocab_size
    corpus = _corpus_of(words, 256 + to_learn)
    learned = _learned(corpus, 256 + to_learn, ties, int(words.lengths @ words.counts))
    pairs: list[Pair] = []
    tokens = [*BYTE_TOKENS]
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


def _table_of(tokenizer: BPEBase, pairs: list[Pair]) -> Table:
    """Return the table of a tokenizer that has learned these pairs."""
    ids = [*range(256), *islice(tokenizer.merge_ids(), len(pairs))]
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    special, whole = dict(tokenizer.special_to_id), dict(tokenizer.whole_pieces)
    settings = tokenizer.pattern, special, whole, tokenizer.normalization, tokenizer.shown_tokens
    return Table(left, right, np.array(ids), *settings)


def check_training(tokenizer: BPEBase, vocab_size: int, ties: str) -> None:
    """Raise an error for invalid arguments before any work begins."""
    tokenizer.check_training(vocab_size)
    if ties not in get_args(Ties):
        raise ValueError(f"ties is {' or '.join(map(repr, get_args(Ties)))}, but it is {ties!r}.")


# --- cells and pairs --------------------------------------------------------------------------------------------------

# A cell is two numbers in the array `cells`, side by side in the processor's cache: its token, and the pair that starts
# there. A place is the index of a cell's first number, and the length of a token counts these numbers, two for each
# byte.
PAIR, CELL_SIZE = 1, 2
NO_PAIR = 0

REQUESTED = 8  # For how many places ahead of the present one the cells have been requested from memory.

PAIRS, OCCURRENCES = range(2)  # The numbers in `Occurrences.used`.


class Occurrences(NamedTuple):
    """The corpus, and where its pairs are.

    weights: how often each cell's word occurs; empty if every word occurs once. places, following: of each occurrence
    of a pair, its place, and the number of the pair's next occurrence; 0 for none. used: how many pairs and occurrences
    are numbered, from 1. lengths: the length of each token. gained: scratch memory; for token x, index 2 * x is for the
    pair (x, new), the next one for (new, x).
    """

    cells: Int32
    weights: Int64
    places: Int32
    following: Int32
    used: Int64
    lengths: Int64
    gained: Int32


class Pairs(NamedTuple):
    """The pairs, numbered from 1.

    keys: left << 32 | right. counts: how often each occurs now. pushed: its count when it was put into the heap. order:
    of two equally frequent pairs, the lower one is merged first; it is the key if `by_id`, else the first place. first,
    last: of its occurrences.
    """

    keys: Int64
    counts: Int64
    pushed: Int64
    order: Int64
    first: Int32
    last: Int32


class Stage(NamedTuple):
    """How far training has come: the next symbol, and how many tokens there are in the corpus and pairs in the heap,
    which contains those that occur at least `least` times."""

    new: int
    tokens: int
    in_heap: int
    least: int


class Learned(NamedTuple):
    """For each new symbol: the pair that it replaces, the pair's count, and the number of tokens left in the corpus."""

    left: Int64
    right: Int64
    counts: Int64
    tokens: Int64


@shared
def _add(x: int, key: int, place: int, weight: int, known: int, by_id: int, corpus: Occurrences, pairs: Pairs) -> None:
    """Add an occurrence of a pair that the present merge creates. Its pairs are numbered from `known` on: if gained[x]
    is lower, an earlier merge has left it, and the pair is new."""
    number = corpus.used[OCCURRENCES]
    corpus.used[OCCURRENCES] += 1
    if corpus.gained[x] < known:
        pair = corpus.used[PAIRS]
        corpus.used[PAIRS] += 1
        corpus.gained[x] = pair
        pairs.keys[pair] = key
        pairs.order[pair] = key if by_id else place
        pairs.first[pair] = number
    else:
        pair = natural(corpus.gained[x])
        corpus.following[natural(pairs.last[pair])] = number
    pairs.last[pair] = number
    pairs.counts[pair] += weight
    corpus.places[number], corpus.following[number] = place, 0
    corpus.cells[place + PAIR] = pair


@shared
def _weight(place: int, weights: Array) -> int:
    """Return how often the word of a cell occurs."""
    return weights[natural(place // CELL_SIZE)] if len(weights) > 0 else 1


@shared
def _add_pairs_of_bytes(by_id: int, corpus: Occurrences, pairs: Pairs) -> None:
    """Add all occurrences of all pairs at the beginning."""
    cells = corpus.cells
    for place in range(CELL_SIZE, len(cells) - CELL_SIZE, CELL_SIZE):
        left, right = cells[place], cells[place + CELL_SIZE]
        if left != BOUNDARY and right != BOUNDARY:
            weight = _weight(place, corpus.weights)
            _add(left << 8 | right, left << 32 | right, place, weight, 1, by_id, corpus, pairs)


@shared
def _replace(best: int, new: int, by_id: int, corpus: Occurrences, pairs: Pairs) -> int:
    """Replace a pair by the new token wherever it occurs, and update the other pairs. Return how often, counting each
    word as often as it occurs."""
    cells, lengths, known = corpus.cells, corpus.lengths, corpus.used[PAIRS]
    length, left_length = lengths[new], lengths[pairs.keys[best] >> 32]
    times, number = 0, natural(pairs.first[best])
    ahead = number
    for _ in range(REQUESTED):
        ahead = natural(corpus.following[ahead])
    while number != 0:
        place, number = natural(corpus.places[number]), natural(corpus.following[number])
        ahead = natural(corpus.following[ahead])
        prefetch(cells, corpus.places[ahead])
        prefetch(corpus.weights, corpus.places[ahead] // CELL_SIZE)
        if cells[place + PAIR] != best:
            continue
        weight = _weight(place, corpus.weights)
        times += weight
        middle, end = natural(place + left_length), natural(place + length)
        before, after = cells[natural(place - CELL_SIZE)], cells[end]
        # Of two occurrences in succession, the first one has added (new, new).
        if before != BOUNDARY and before != new:
            at = natural(place - lengths[natural(before)])
            pairs.counts[natural(cells[at + PAIR])] -= weight
            _add(2 * before, before << 32 | new, at, weight, known, by_id, corpus, pairs)
        cells[place + PAIR] = NO_PAIR
        if after != BOUNDARY:
            pairs.counts[natural(cells[middle + PAIR])] -= weight
            if cells[end + PAIR] == best:
                after = new
            _add(2 * after + 1, new << 32 | after, place, weight, known, by_id, corpus, pairs)
        cells[middle + PAIR] = NO_PAIR
        cells[place], cells[natural(end - CELL_SIZE)] = new, new
    pairs.counts[best] = 0
    return times


# --- which pair is next -----------------------------------------------------------------------------------------------


@shared
def _precedes(x: int, y: int, pairs: Pairs) -> bool:
    """Tell whether pair x is merged before pair y."""
    if pairs.pushed[x] != pairs.pushed[y]:
        return pairs.pushed[x] > pairs.pushed[y]
    return pairs.order[x] < pairs.order[y]


_push, _pop = heap_of(_precedes)


@shared
def _enter(pair: int, least: int, heap: Array, size: int, pairs: Pairs) -> int:
    """Put a pair into the heap if its count is at least `least`; return the heap's size."""
    count = pairs.counts[pair]
    if count < least:
        return size
    pairs.pushed[pair] = count
    return _push(heap, size, pair, pairs)


@shared
def _is_outdated(pair: int, by_id: int, corpus: Occurrences, pairs: Pairs) -> bool:
    """Tell whether a pair from the heap has lost occurrences since; the first place, which breaks ties, is updated."""
    if pairs.counts[pair] != pairs.pushed[pair]:
        return True
    if by_id:
        return False
    while corpus.cells[corpus.places[pairs.first[pair]] + PAIR] != pair:
        pairs.first[pair] = corpus.following[pairs.first[pair]]
    before, first = pairs.order[pair], corpus.places[pairs.first[pair]]
    pairs.order[pair] = first
    return before != first


@entry
def _learn(
    state: Stage, until: int, by_id: int, corpus: Occurrences, pairs: Pairs, heap: Int64, learned: Learned
) -> tuple[int, ...]:
    """Learn merges until the next symbol is `until`, or no pair or room for pairs is left. Returns Stage's fields."""
    new, tokens, in_heap, least = state
    if corpus.used[PAIRS] == 1:
        _add_pairs_of_bytes(by_id, corpus, pairs)
    while new < until:
        while in_heap == 0 and least > 1:
            least >>= 1
            for pair in range(1, corpus.used[PAIRS]):
                in_heap = _enter(pair, least, heap, in_heap, pairs)
        known = corpus.used[PAIRS]
        # A merge adds at most two pairs for each token.
        if in_heap == 0 or known + 2 * new + 2 > len(heap):
            break
        best = natural(heap[0])
        in_heap = _pop(heap, in_heap, pairs)
        if _is_outdated(best, by_id, corpus, pairs):
            in_heap = _enter(best, least, heap, in_heap, pairs)
            continue
        left, right = pairs.keys[best] >> 32, pairs.keys[best] & 0xFFFFFFFF
        learned.left[new], learned.right[new], learned.counts[new] = left, right, pairs.counts[best]
        corpus.lengths[new] = corpus.lengths[left] + corpus.lengths[right]
        tokens -= _replace(best, new, by_id, corpus, pairs)
        for pair in range(known, corpus.used[PAIRS]):
            in_heap = _enter(pair, least, heap, in_heap, pairs)
        learned.tokens[new] = tokens
        new += 1
    return new, tokens, in_heap, least


# --- around the loops -------------------------------------------------------------------------------------------------


def _corpus_of(words: WordCounts, symbols: int) -> Occurrences:
    """Return the corpus before training, with room for so many symbols. Raises ValueError if it is too long."""
    lengths = words.lengths + 1
    size = int(lengths.sum()) + 1
    if size > MAX_CORPUS:
        raise ValueError(
            f"The distinct words are too long for training: {len(words.lengths):,} words with {len(words.data):,} "
            f"bytes. Together, these two numbers must be below {MAX_CORPUS:,}."
        )
    cells = np.full((size, CELL_SIZE), (BOUNDARY, NO_PAIR), np.int32)
    is_byte = np.ones(size, bool)
    is_byte[np.append(0, np.cumsum(lengths))] = False
    cells[is_byte, 0] = np.frombuffer(words.data, np.uint8)
    weights = np.append(0, np.repeat(words.counts, lengths)) if (words.counts > 1).any() else NO_NUMBERS
    # One for each pair of bytes; after that, a merge adds at most two for each token that it removes.
    places, following = np.empty((2, 3 * size), np.int32)
    places[0] = following[0] = 0
    used, gained = np.ones(2, np.int64), np.zeros(max(1 << 16, 2 * symbols), np.int32)
    lengths_of_tokens = np.full(symbols, CELL_SIZE, np.int64)
    return Occurrences(cells.reshape(-1), weights, places, following, used, lengths_of_tokens, gained)


def _learned(corpus: Occurrences, symbols: int, ties: Ties, tokens: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield each merge, up to so many symbols: left symbol, right symbol, count, tokens left in the corpus."""
    learned = Learned(*np.zeros((4, symbols), np.int64))
    room = min(1 << 16, len(corpus.cells)) + 2 * symbols
    pairs = Pairs(*np.zeros((4, room), np.int64), *np.zeros((2, room), np.int32))
    heap = np.empty(room, np.int64)
    # A byte takes three times as long as in encoding.
    expect(3 * len(corpus.cells) // CELL_SIZE)
    state = Stage(256, tokens, 0, 1 << tokens.bit_length())
    while state.new < symbols:
        begin, until = state.new, min(symbols, state.new + STEPS)
        state = Stage(*_learn(state, until, ties == "lowest-id", corpus, pairs, heap, learned))
        yield from zip(*(column[begin : state.new].tolist() for column in learned))
        if state.new < until:
            if not state.in_heap:
                break
            heap = np.append(heap, np.zeros_like(heap))
            pairs = Pairs(*(np.append(column, np.zeros_like(column)) for column in pairs))
