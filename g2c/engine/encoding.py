"""Encoding text in one pass: split off a piece, look it up, merge it if it is new, write its IDs.

    text     "the cat, the bat"
    pieces   "the"  " cat"  ","  " the"  " bat"      splitting.py
    words      hit    hit   hit    hit    new        a table of the pieces so far, with their IDs
    IDs        260    311    44    264   98 300      from `merge_short` or `merge_long` for the new one

Like `encode` of g2c/tokenizer/bpe.py, merging replaces the pair that was learned first, until no known pair is left.

    symbols  t h e r e      merges    th: 256          ranks     256  -   258  -
             256 e r e                re: 258                     -  258   -
             256 258 e                                            -   -

The rank of a pair is the symbol that replaces it: symbols number the merges in the order learned (see `Table`). A
replacement changes only the pairs on either side of it, so only their ranks are looked up again.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.engine.blocks import GIVEN
from g2c.engine.compiled import Array, Int32, Int64, UInt8, entry, expect, inner, natural
from g2c.engine.parts import NO_TOKEN, Parts
from g2c.engine.splitting import (
    MAX_PIECES,
    NEEDED,
    NO_NUMBERS,
    PADDING,
    PART,
    PLACE,
    Source,
    classes_for,
    padded,
    split_off,
)  # fmt: skip
from g2c.engine.words import (
    BYTES_AT,
    MAX_WORD,
    PIECE_SIZE,
    SEVEN_BYTES,
    SLOT_SIZE,
    Piece,
    empty_table,
    find,
    first_slot,
    move,
    piece_at,
)  # fmt: skip
from g2c.formats.table import Table
from g2c.tokenizer.patterns import Pattern

# --- merging a piece --------------------------------------------------------------------------------------------------

NEVER = 0x7FFFFFFF  # The rank of a pair that is not merged.
NO_ITEM = NEVER << 32  # The rank and place of a symbol that is no longer in the list.
FREE = -1  # An empty slot.
SHORT = 96  # The length in bytes up to which `merge_short` is faster than `merge_long`.

BITS = 21
"""The bits of a symbol: a pair and its merged symbol fit into 63 bits, which one access to memory finds."""
MAX_SYMBOLS = 1 << BITS

BYTE_PAIRS = 1 << 16
"""The number of pairs of bytes. Half of all look-ups are for one, so the table begins with their ranks, for (a, b) at
256 * a + b. A hash table of all pairs follows."""


def pair_table(table: Table) -> NDArray[np.int64]:
    """Make the table for `rank_of`. Raises ValueError if there are more than `MAX_SYMBOLS` symbols."""
    count = len(table.left)
    if 256 + count > MAX_SYMBOLS:
        raise ValueError(f"The engine has room for {MAX_SYMBOLS - 256:,} merges, not for {count:,}.")
    slots = np.full(BYTE_PAIRS + (1 << (2 * count).bit_length()), FREE, np.int64)
    slots[:BYTE_PAIRS] = NEVER
    expect(count // 2)
    _fill(slots, np.array(table.left, np.int64), np.array(table.right, np.int64))
    return slots


@inner
def pair_hash(left: int, right: int) -> int:
    """Return a hash of a pair of symbols, whose last bits are a slot."""
    return (left * 0x2545F491 + right * 0x4F6CDD1D) >> 12


@inner
def rank_of(table: Array, left: int, right: int) -> int:
    """Return the symbol that two symbols are merged into, or `NEVER`."""
    last = len(table) - BYTE_PAIRS - 1 & 0x7FFFFFFF
    slot, pair = pair_hash(left, right) & last, left << BITS | right
    while table[BYTE_PAIRS + slot] != FREE:
        if table[BYTE_PAIRS + slot] >> BITS == pair:
            return table[BYTE_PAIRS + slot] & MAX_SYMBOLS - 1
        slot = slot + 1 & last
    return NEVER


@entry
def _fill(table: Int64, left: Int64, right: Int64) -> None:
    """Enter all merges into an empty table."""
    last = len(table) - BYTE_PAIRS - 1
    for k in range(len(left)):
        if left[k] < 256 and right[k] < 256:
            table[left[k] << 8 | right[k]] = 256 + k
        slot = pair_hash(left[k], right[k]) & last
        while table[BYTE_PAIRS + slot] != FREE:
            slot = slot + 1 & last
        table[BYTE_PAIRS + slot] = (left[k] << BITS | right[k]) << BITS | 256 + k


@inner
def merge_short(table: Array, symbols: Array, ranks: Array, count: int) -> int:
    """Merge symbols[:count], which are bytes, in place; return how many are left. `ranks` is scratch memory."""
    for i in range(count - 1):
        ranks[i] = table[symbols[i] << 8 | symbols[i + 1]]
    while count > 1:
        best, at = NEVER, 0
        for i in range(count - 1):
            if ranks[i] < best:
                best, at = ranks[i], i
        if best == NEVER:
            break
        count -= 1
        symbols[at] = best
        for i in range(at + 1, count):
            symbols[i] = symbols[i + 1]
            ranks[i - 1] = ranks[i]
        if at > 0:
            ranks[at - 1] = rank_of(table, symbols[at - 1], best)
        if at < count - 1:
            ranks[at] = rank_of(table, best, symbols[at + 1])
    return count


def heap_of(precedes: Callable[..., bool]) -> tuple[Callable[..., int], Callable[..., int]]:
    """Return the functions `push` and `pop` of a heap, whose first item precedes all others.

    They take and return the number of items. More arguments are for `precedes`, which compares two items.
    """

    @inner
    def push(heap: Array, size: int, item: int, *more: Array) -> int:
        i = size
        while i > 0 and precedes(item, heap[i - 1 >> 1], *more):
            heap[i] = heap[i - 1 >> 1]
            i = i - 1 >> 1
        heap[i] = item
        return size + 1

    @inner
    def pop(heap: Array, size: int, *more: Array) -> int:
        size -= 1
        item, i = heap[size], 0
        while 2 * i + 1 < size:
            child = 2 * i + 1
            if child + 1 < size and precedes(heap[child + 1], heap[child], *more):
                child += 1
            if not precedes(heap[child], item, *more):
                break
            heap[i] = heap[child]
            i = child
        heap[i] = item
        return size

    return push, pop


@inner
def _is_lower(x: int, y: int) -> bool:
    """Compare two items."""
    return x < y


_push, _pop = heap_of(_is_lower)


@inner
def _look_up(
    table: Array, symbols: Array, items: Array, heap: Array, size: int, at: int, following: int, count: int
) -> int:
    """Put the pair of symbols at `at` and `following` into the heap if it has a rank; return the heap's size."""
    rank = rank_of(table, symbols[at], symbols[following]) if following < count else NEVER
    items[at] = rank << 32 | at
    return size if rank == NEVER else _push(heap, size, items[at])


@inner
def merge_long(table: Array, symbols: Array, items: Array, before: Array, after: Array, heap: Array, count: int) -> int:
    """Merge symbols[:count] as `merge_short` does, but in n log n steps; return how many are left.

    The symbols are a linked list: a merged pair stays at the place of its first symbol, and `before` and `after` skip
    the second. An item is a pair's rank and place in one number, so the lowest item in the heap is the leftmost pair to
    merge. It is skipped if its place has another item by now. The heap has room for 2 * `count` items: a merge removes
    at least one, and adds at most two.
    """
    size = 0
    for i in range(count):
        before[i], after[i] = i - 1, i + 1
        size = _look_up(table, symbols, items, heap, size, i, i + 1, count)
    while size > 0:
        lowest = heap[0]
        size = _pop(heap, size)
        at = lowest & 0xFFFFFFFF
        if items[at] != lowest:
            continue
        second = after[at]
        following, previous = after[second], before[at]
        symbols[at], after[at], items[second] = lowest >> 32, following, NO_ITEM
        size = _look_up(table, symbols, items, heap, size, at, following, count)
        if following < count:
            before[following] = at
        if previous >= 0:
            size = _look_up(table, symbols, items, heap, size, previous, at, count)
    kept, i = 0, 0
    while i < count:
        symbols[kept] = symbols[i]
        kept += 1
        i = after[i]
    return kept


# --- looking pieces up ------------------------------------------------------------------------------------------------

# In a slot of the table of words, the highest byte of number 1 is the count of the piece's IDs, and numbers 2 and 3
# contain two IDs each: the four are always written, however many there are. The IDs of the few pieces with more than
# four IDs or 14 bytes are in another array, `store`, from number 2 of the slot on, and after them the bytes of a long
# piece.
#
# Before a text, the table grows if half of its slots are taken. If three quarters are, a new piece replaces another
# one; if `store` is full, the whole table is emptied. So it never fills up, and it adapts to the text. The IDs do not
# depend on it.

MAX_SLOTS = 1 << 21  # Unless the caller chooses: 64 MB, for gigabytes of text.
MAX_SLOTS_AT_FIRST = 1 << 20  # Before a text whose number of different words is unknown.
MIN_SLOTS = 1 << 12  # For short texts.
BYTES_FOR_A_SLOT = 24  # Real text has a new word every 45 to 200 bytes, so at most half of the slots are used.
IDS, FEW = 2, 4  # A slot has room for four IDs, from this index on.
STORE_SIZE = 4  # The count of numbers in `store` for each slot.
IN_STORE = 64  # Added to the number of IDs if they are in `store`, whose pieces have fewer IDs than this.
USED, TAKEN, STORE = 0, 1, 2  # In `store`: the count of its numbers in use, the count of slots taken; the rest.
WORD_BITS = SEVEN_BYTES | IN_STORE << 56  # The bits of a slot's number 1 to compare for a piece with few IDs.

OUTPUT = 1 << 22  # About how many IDs are computed at a time: enough that most of their memory is in large pages.
SHORT_TEXT = 1 << 12  # There is always room for a text or piece of so many bytes. At least `MAX_WORD`.
BYTES_OF_A_CALL = 200  # As ordinary Python, a call takes as long as so many bytes of text.
ROOM = MAX_WORD * MAX_PIECES + FEW  # How many IDs can be written without checking for room.


class Words(NamedTuple):
    """A table of words: its slots; `store` for what does not fit into a slot; and the bytes of `store`."""

    slots: Int64
    store: Int64
    data: UInt8


class Merging(NamedTuple):
    """What merging needs of a tokenizer, for any number of threads.

    pairs: see `pair_table`. ids: the ID of each symbol. whole, whole_ends, whole_ids: the tokens that no merge makes,
    sorted and joined, the offsets between them, and their IDs.
    """

    pairs: Int64
    ids: Int32
    whole: UInt8
    whole_ends: Int64
    whole_ids: Int32


class Scratch(NamedTuple):
    """Memory for merging a piece: see `merge_long`."""

    symbols: Int32
    items: Int64
    before: Int32
    after: Int32
    heap: Int64


@inner
def _write_few(slots: Array, slot: int, out: Array, size: int) -> None:
    """Write the four IDs of a slot."""
    first, second = slots[slot + IDS], slots[slot + IDS + 1]
    out[size], out[size + 1] = first & 0xFFFFFFFF, first >> 32
    out[size + 2], out[size + 3] = second & 0xFFFFFFFF, second >> 32


@inner
def _write_known(words: Words, slot: int, out: Array, size: int) -> int:
    """Write the IDs of a slot; return their number."""
    count, at = words.slots[slot + 1] >> 56, words.slots[slot + IDS]
    if count <= FEW:
        _write_few(words.slots, slot, out, size)
        return count
    count -= IN_STORE
    for i in range(count):
        out[size + i] = words.store[at + i]
    return count


@inner
def _find_whole(text: Array, begin: int, length: int, merging: Merging) -> int:
    """Return the index of the piece among the tokens that no merge makes; -1 if it is none."""
    whole, ends = merging.whole, merging.whole_ends
    low, high = 0, len(ends) - 1
    while low < high:
        middle = low + high >> 1
        at, size, i = ends[middle], ends[middle + 1] - ends[middle], 0
        while i < min(length, size) and text[begin + i] == whole[at + i]:
            i += 1
        if i == length and i == size:
            return middle
        if i == size or i < length and whole[at + i] < text[begin + i]:
            low = middle + 1
        else:
            high = middle
    return -1


@inner
def _merge(text: Array, begin: int, stop: int, merging: Merging, scratch: Scratch, out: Array, size: int) -> int:
    """Merge a piece and write its IDs; return their number."""
    symbols, length = scratch.symbols, stop - begin
    found = _find_whole(text, begin, length, merging)
    if found >= 0:
        out[size] = merging.whole_ids[found]
        return 1
    for i in range(length):
        symbols[i] = text[begin + i]
    if length <= SHORT:
        count = merge_short(merging.pairs, symbols, scratch.items, length)
    else:
        count = merge_long(
            merging.pairs, symbols, scratch.items, scratch.before, scratch.after, scratch.heap, length
        )  # fmt: skip
    for i in range(count):
        out[size + i] = merging.ids[symbols[i]]
    return count


@inner
def _remember(
    text: Array, begin: int, stop: int, slot: int, a: int, b: int, words: Words, out: Array, size: int, count: int
) -> None:
    """Enter a new piece, with its IDs out[size : size + count], into the empty slot."""
    slots, store, length = words.slots, words.store, stop - begin
    at = store[USED]
    if length > 255 or count >= IN_STORE:
        return
    if at + count + 32 > len(store):
        for i in range(len(slots)):
            slots[i] = 0
        store[USED], store[TAKEN] = STORE, 0
        return
    if 4 * SLOT_SIZE * store[TAKEN] < 3 * len(slots):
        store[TAKEN] += 1
    else:
        slot = first_slot(slots, a, b)
    if length <= MAX_WORD and count <= FEW:
        for i in range(size + count, size + FEW):
            out[i] = 0
        slots[slot], slots[slot + 1] = a, b | count << 56
        slots[slot + IDS], slots[slot + IDS + 1] = out[size] | out[size + 1] << 32, out[size + 2] | out[size + 3] << 32
        return
    slots[slot], slots[slot + 1], slots[slot + IDS] = a, b | count + IN_STORE << 56, at
    for i in range(count):
        store[at + i] = out[size + i]
    at += count
    if length > MAX_WORD:
        slots[slot + BYTES_AT] = 8 * at
        for i in range(length):
            words.data[8 * at + i] = text[begin + i]
        at += length + 7 >> 3
    store[USED] = at


@inner
def _look_up_slowly(
    text: Array, begin: int, piece: Piece, words: Words, merging: Merging, scratch: Scratch, out: Array, size: int
) -> int:
    """Write the IDs of a piece that is not in its first two slots with few IDs; return their number."""
    slot, a, b = find(text, begin, piece, words.slots, words.data)
    if words.slots[slot + 1] != 0:
        return _write_known(words, slot, out, size)
    stop = piece[0]
    count = _merge(text, begin, stop, merging, scratch, out, size)
    _remember(text, begin, stop, slot, a, b, words, out, size, count)
    return count


@entry
def _encode(
    source: Source, position: Int64, pieces: Int64, words: Words, merging: Merging, scratch: Scratch, out: Int32
) -> int:
    """Encode from `position` on until the text ends, `out` is full, or a piece is longer than there is `scratch` for.

    `position` is updated; at the end of the text, its part is the number of parts. Returns the number of IDs in `out`:
    0 if nothing is left, or if the next piece is too long.
    """
    source, words, merging, scratch = Source(*source), Words(*words), Merging(*merging), Scratch(*scratch)
    slots = words.slots
    part, p = position[PART], position[PLACE]
    size, room = 0, len(out) - ROOM
    while part < len(source.ends) and size <= room:
        p, end = max(p, source.begins[part]), source.ends[part]
        while p < end and size <= room:
            ahead = split_off(source, p, end, position, pieces, slots)
            for i in range(ahead):
                piece = piece_at(pieces, i)
                stop, a, b, slot = piece
                size = natural(size)
                if slots[slot + SLOT_SIZE] == a:
                    slot += SLOT_SIZE
                if slots[slot] == a and slots[slot + 1] & WORD_BITS == b:
                    _write_few(slots, slot, out, size)
                    size += slots[slot + 1] >> 56
                else:
                    length = stop - p
                    if length > MAX_WORD and (size + length > room or length > len(scratch.symbols)):
                        position[PART], position[PLACE], position[NEEDED] = part, p, length
                        return size
                    size += _look_up_slowly(source.text, p, piece, words, merging, scratch, out, size)
                p = stop
        if p == end:
            if source.ids_after[part] != NO_TOKEN:
                out[size] = source.ids_after[part]
                size += 1
            part += 1
    position[PART], position[PLACE] = part, p
    return size


# --- texts ------------------------------------------------------------------------------------------------------------


class Tables(NamedTuple):
    """What encoding needs of a tokenizer, for any number of threads: see `tables_of` in fast.py.

    adjacency: see `cuts_between_tokens`; None if there is a pattern, or a token that no merge makes.
    """

    pattern: Pattern | None
    merging: Merging
    adjacency: NDArray[np.bool_] | None

    @classmethod
    def of(cls, table: Table) -> "Tables":
        """Make the arrays from a tokenizer's table, for text that has been normalized."""
        whole = sorted(table.whole)
        ends = np.cumsum([0, *map(len, whole)], dtype=np.int64)
        whole_ids = np.array([table.whole[token] for token in whole], np.int32)
        merging = Merging(pair_table(table), table.ids.astype(np.int32), padded(b"".join(whole)), ends, whole_ids)
        return cls(table.pattern, merging, None if table.pattern or whole else byte_adjacency(table.tokens))


def byte_adjacency(tokens: Iterable[bytes]) -> NDArray[np.bool_]:
    """Find the bytes that are adjacent inside some token: entry [a, b] is True if byte b directly follows byte a."""
    adjacency = np.zeros((256, 256), bool)
    for left, right in {pair for token in tokens for pair in pairwise(token)}:
        adjacency[left, right] = True
    return adjacency


def cuts_between_tokens(text: bytes, adjacency: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Find offsets at which a text without a pattern can be cut, so that short pieces are merged.

    If no token contains byte a directly followed by byte b, no merge ever joins the two sides of a place between them.
    English text has such a place every ten to a hundred bytes, even with thousands of merges.

    >>> cuts_between_tokens(b"the then", byte_adjacency([b"th", b"he"])).tolist()
    [3, 4, 7]
    """
    data = np.frombuffer(text, np.uint8)
    return np.flatnonzero(~adjacency.reshape(-1).take(data[:-1].astype(np.uint16) << 8 | data[1:])) + 1


class Encoder:
    """Encodes texts, giving the IDs of `encode`. Each thread needs an encoder of its own.

    `slots` is the size of the table of words, a power of two. Without it, the table grows with the texts.
    """

    def __init__(self, tables: Tables, slots: int | None = None) -> None:
        self._tables = tables
        self._max_slots = slots or MAX_SLOTS
        self._pieces = np.empty(PIECE_SIZE * MAX_PIECES, np.int64)
        no_store = np.array([STORE, 0], np.int64)
        self._words = Words(np.zeros(0, np.int64), no_store, no_store.view(np.uint8))
        self._make_words(slots or MIN_SLOTS)
        self._make_room(SHORT_TEXT)
        # For short texts: finding a piece by itself needs neither other arrays nor a search for unknown characters.
        self._short = Source.of(bytes(SHORT_TEXT), Parts.whole(b""), tables.pattern, self._given_bounds(b""))
        self._short_out, self._start = np.empty(SHORT_TEXT + ROOM, np.int32), np.zeros(4, np.int64)

    def encode(self, text: bytes, parts: Parts | None = None) -> Iterator[NDArray[np.uint32]]:
        """Yield the IDs of a text, which is valid UTF-8, in arrays of about `OUTPUT` at most.

        Without `parts`, the text is one document without special tokens.
        """
        parts = parts or Parts.whole(text)
        expect(len(text))
        self._fit_words(len(text))
        source = Source.of(text, parts, self._tables.pattern, self._given_bounds(text))
        position = np.zeros(4, np.int64)
        room = min(len(text) + len(parts.ends), OUTPUT) + ROOM
        while position[PART] < len(parts.ends):
            out = np.empty(room, np.int32)
            size = self._run(source, position, out)
            if size:
                yield out[:size].view(np.uint32)
            elif position[PART] < len(parts.ends):
                length = int(position[NEEDED])
                self._make_room(length)
                room = max(room, length + ROOM)

    def encode_short(self, text: bytes) -> list[int]:
        """Return the IDs of a text of at most `SHORT_TEXT` bytes without special tokens, in a few microseconds."""
        # Without a pattern, a very short text is a single piece, which ends with it. Normalization can lengthen a text.
        longest = SHORT_TEXT if self._short.way != GIVEN else SHORT if self._tables.pattern is None else -1
        if len(text) > longest:
            return [token_id for ids in self.encode(text) for token_id in ids.tolist()]
        expect(len(text) + BYTES_OF_A_CALL)
        self._fit_words(len(text))
        self._short.text.data[: len(text) + PADDING] = text + bytes(PADDING)
        if not text.isascii():
            classes_for(self._short.text[: len(text) + PADDING], self._short.way)
        self._short.ends[:] = self._short.bounds[:] = len(text)
        self._start[:] = 0
        ids: list[int] = self._short_out[: self._run(self._short, self._start, self._short_out)].tolist()
        return ids

    def _run(self, source: Source, position: NDArray[np.int64], out: NDArray[np.int32]) -> int:
        size: int = _encode(source, position, self._pieces, self._words, self._tables.merging, self._scratch, out)
        return size

    def _fit_words(self, length: int) -> None:
        """Enlarge the table of words for a text of `length` bytes, or if half of its slots are in use."""
        wanted = min(MAX_SLOTS_AT_FIRST, 1 << (length // BYTES_FOR_A_SLOT).bit_length())
        if 2 * self._in_use[TAKEN] > self._slots:
            wanted = max(wanted, 2 * self._slots)
        if wanted > self._slots < self._max_slots:
            self._make_words(min(self._max_slots, wanted))

    def _make_words(self, count: int) -> None:
        """Make a table of words, and move the words of the present one into it."""
        slots, store = empty_table(count), np.empty(STORE_SIZE * count + 128, np.int64)
        used = self._words.store[USED]
        store[:used] = self._words.store[:used]
        move(self._words.slots, slots)
        self._slots, self._words, self._in_use = count, Words(slots, store, store.view(np.uint8)), store.data

    def _make_room(self, length: int) -> None:
        """Make room for merging a piece of `length` bytes: 40 bytes for each."""
        symbols, before, after = (np.empty(length, np.int32) for _ in range(3))
        self._scratch = Scratch(symbols, np.empty(length, np.int64), before, after, np.empty(2 * length, np.int64))

    def _given_bounds(self, text: bytes) -> NDArray[np.int64] | None:
        """Without a pattern, pieces end where no token crosses. Return these offsets; None if a pattern decides."""
        if self._tables.pattern is not None:
            return None
        adjacency = self._tables.adjacency
        return np.append(NO_NUMBERS if adjacency is None else cuts_between_tokens(text, adjacency), len(text))
