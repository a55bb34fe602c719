"""Encoding whole blocks of text in numpy, for the gpt2 and gpt4 patterns: faster than the Rust libraries, same IDs.

    block    "the cat, the bat"                                     bytes, UTF-8
      |   piece_bounds (splitting.py)
    pieces   "the"  " cat"  ","  " the"  " bat"                     offsets
      |   WordNumbers (word_numbers.py)
    words      7      12     3      9     40  <- new: it gets the next number, and is merged
      |
    IDs      260    311     44    264     98 300                    uint32

Text repeats itself: of the pieces of a block nearly all are words that were seen before, and their IDs are looked up.
Those that are new, about one in a hundred after the first megabytes, are merged all together, side by side in one
array. So Python runs through about a hundred numpy calls for each block, not through millions of steps.

What is remembered is bounded: when the table is full, all of it is forgotten and it fills again from the next block.
The IDs do not depend on what is remembered, so any number of processes can share the blocks of a corpus.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter

import numpy as np

from g2c.tokenizer.splitting import piece_bounds, run_begins
from g2c.tokenizer.word_numbers import WordNumbers
from g2c.tokenizer.word_table import Pieces, WordTable

Pair = tuple[int, int]

MOST_WORDS = 1 << 19
"""When more words than this are remembered, all are forgotten before the next block."""

MOST_LONG_WORDS = 1 << 16
"""The same for words that are too long for the table, which cost more memory."""

LONGEST_KEPT = 256
"""Pieces longer than this, in bytes, are not remembered."""

WINDOW = 1 << 20
"""Bytes that are merged in one go, when they can be parted there."""

BLOCKS_TOGETHER = 8
"""How many blocks wait until the new words of all of them are merged."""

NO_TOKEN = -1
"""In place of a special token's ID: two texts meet here, with no token between them."""

NONE = 0xFFFFFFFF
"""In place of a rank: these two neighbours are never merged. Higher than every rank."""


class Merger:
    """The merges of a tokenizer, applied to many words at once.

    Inside, tokens are symbols: byte b is symbol b, and the token of the merge with rank k, in the order of the new IDs,
    is symbol 256 + k. So this works too where the IDs of bytes are in another order, as in GPT-2's own tokenizer.
    """

    def __init__(self, merges: Mapping[Pair, int], byte_ids: Sequence[int] | None = None) -> None:
        """
        Args:
            merges: pair of IDs -> ID; no two make the same ID.
            byte_ids: the ID of each of the 256 bytes; None: byte b has ID b.
        """
        byte_ids = range(256) if byte_ids is None else byte_ids
        ordered = sorted(merges.items(), key=itemgetter(1))
        self.id_of_symbol = np.array([*byte_ids, *(new_id for _, new_id in ordered)], np.uint32)
        symbol_of = {token_id: symbol for symbol, token_id in enumerate(self.id_of_symbol.tolist())}
        pairs = np.array([(symbol_of[left], symbol_of[right]) for (left, right), _ in ordered], np.int64)
        left, right = pairs.reshape(-1, 2).T
        # Pairs are looked up far more often than there are pairs, and most of them are not merged: many empty slots.
        self._ranks = WordTable(slots=1 << (16 * len(merges)).bit_length())
        self._ranks.add(left.astype(np.uint64), right.astype(np.uint64), np.arange(len(merges), dtype=np.int32))
        self._byte_pair_rank = np.full((256, 256), NONE, np.uint32)
        of_bytes = np.flatnonzero((left < 256) & (right < 256))
        self._byte_pair_rank[left[of_bytes], right[of_bytes]] = of_bytes
        self._together = self._bytes_side_by_side(left, right)

    @staticmethod
    def _bytes_side_by_side(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """(256, 256) bool: whether two bytes stand next to each other inside any token, given the parts of each."""
        first, last = list(range(256)), list(range(256))
        together = np.zeros((256, 256), bool)
        for left_symbol, right_symbol in zip(left.tolist(), right.tolist()):
            together[last[left_symbol], first[right_symbol]] = True
            first.append(first[left_symbol])
            last.append(last[right_symbol])
        return together

    def _rank(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The rank (uint32) of each pair of symbols. Not found is -1, which read without a sign is NONE."""
        return self._ranks.search(left.astype(np.uint64), right.astype(np.uint64)).view(np.uint32)

    def merge_words(self, data: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Encode many words at once: in each round, every word replaces its best pair wherever it has it.

            word        0   0   0   0   0 | 1   1   1   1 | 2   2
            symbols     t   h   e   r   e | n   o   n   e | h   m      merges  th: rank 0, symbol 256
            ranks       0   -   -   2   - | -   1   -   - | -   -              on: rank 1, symbol 257
            best                        0 |             1 |     -              re: rank 2, symbol 258

            word        0   0   0   0 | 1   1   1
            symbols     256 e   r   e | n   257 e                      word 2 has no pair to merge: it is done
            ranks       -   -   2   - | -   -   -                      ranks are looked up again around 256 and 257

        A rank stands at the first symbol of its pair. The last symbol of a word has none, so no pair reaches from one
        word into the next.

        Args:
            data: the bytes (uint8) of the words, one after the other.
            lengths: of the words, in bytes, each 1 or more.

        Returns:
            (IDs of all words one after the other (uint32), number of IDs of each word).
        """
        begins = self._part_begins(data, lengths)
        owners = np.repeat(np.arange(len(lengths)), lengths)[begins]
        first = np.flatnonzero(begins)
        # The first part of each window, so that memory is needed for one window at a time.
        of_window = np.flatnonzero(np.diff(first // WINDOW, prepend=-1))
        all_symbols, counts = [], np.zeros(len(lengths), np.int64)
        for window, next_window in zip(of_window, [*of_window[1:], len(first)]):
            end = first[next_window] if next_window < len(first) else len(data)
            symbols, parts = self._merge_parts(data[first[window] : end], begins[first[window] : end])
            all_symbols.append(symbols)
            counts += np.bincount(owners[window:next_window][parts], minlength=len(lengths))
        return self.id_of_symbol[np.concatenate(all_symbols or [np.zeros(0, np.int32)])], counts

    def _part_begins(self, data: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """At which bytes a word begins, or a part of one that shares no token with what stands before it.

        When no token has two bytes side by side, no merge reaches across the place between them. Words without end,
        such as a file without spaces, are many short parts this way, and fewer rounds are enough.
        """
        begins = np.ones(len(data), bool)
        for place in range(1, len(data), WINDOW):
            left, right = data[place - 1 : place - 1 + WINDOW], data[place : place + WINDOW]
            begins[place : place + WINDOW] = ~self._together[left[: len(right)], right]
        begins[np.cumsum(lengths)[:-1]] = True
        return begins

    def _merge_parts(self, data: np.ndarray, begins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rounds. Returns the symbols of all parts in order, and for each of them the part that it belongs to."""
        symbols = data.astype(np.int32)
        ranks = np.full(len(symbols), NONE, np.uint32)
        ranks[:-1] = self._byte_pair_rank[data[:-1], data[1:]]
        ranks[:-1][begins[1:]] = NONE
        # The numbers of the parts that are not done.
        parts = np.arange(np.count_nonzero(begins))
        done: list[tuple[np.ndarray, np.ndarray]] = []
        while len(parts):
            first = np.flatnonzero(begins)
            lengths = np.diff(first, append=len(symbols))
            best_of_part = np.minimum.reduceat(ranks, first)
            best = np.repeat(best_of_part, lengths)
            stays = best != NONE
            is_done = best_of_part == NONE
            if is_done.any():
                done.append((np.repeat(parts[is_done], lengths[is_done]), symbols[~stays]))
                parts = parts[~is_done]
            places = np.flatnonzero((ranks == best) & stays)
            # In a, a, a the pair a, a has two places that overlap; of each run of places every second one is left out.
            places = places[(places - run_begins(places)) % 2 == 0]
            symbols[places] = ranks[places] + 256
            stays[places + 1] = False
            kept = np.flatnonzero(stays)
            begins, symbols, ranks = (array.take(kept) for array in (begins, symbols, ranks))
            places = (np.cumsum(stays) - 1).take(places)
            self._rank_again(ranks, symbols, begins, np.concatenate([places[places > 0] - 1, places]))
        owners = np.concatenate([owners for owners, _ in done])
        in_order = np.argsort(owners, kind="stable")
        return np.concatenate([symbols for _, symbols in done])[in_order], owners[in_order]

    def _rank_again(self, ranks: np.ndarray, symbols: np.ndarray, begins: np.ndarray, places: np.ndarray) -> None:
        """Look up the ranks of the pairs that start at `places`."""
        ranks[places] = NONE
        places = places[places < len(symbols) - 1]
        places = places[~begins.take(places + 1)]
        ranks[places] = self._rank(symbols.take(places), symbols.take(places + 1))


def spread(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The indices start, start + 1, … start + length - 1 for each start, one after the other.

    >>> spread(np.array([20, 50]), np.array([3, 2])).tolist()
    [20, 21, 22, 50, 51]
    """
    # Counting 0, 1, 2, … through all stretches, what is to be added to each number is the same within a stretch.
    begins = np.cumsum(lengths, dtype=lengths.dtype) - lengths
    return np.arange(lengths.sum(), dtype=lengths.dtype) + np.repeat(starts - begins, lengths)


class IdLists:
    """Lists of IDs of any length, numbered in the order in which they are added, in one flat array.

    Three lists:

        number      0    1        2
        ids        260  311 44 98 264 300
        offsets     0    1        4       6      where a list begins, and the one before it ends
    """

    def __init__(self) -> None:
        self._ids, self._offsets = _Column(np.uint32), _Column(np.int32)
        self._offsets.append(np.zeros(1, np.int32))

    def __len__(self) -> int:
        return self._offsets.size - 1

    @property
    def total(self) -> int:
        """How many IDs there are in all lists."""
        return self._ids.size

    def add(self, ids: np.ndarray, counts: np.ndarray) -> None:
        """Add lists, given one after the other with the length of each. They get the next numbers."""
        self._offsets.append(self._ids.size + np.cumsum(counts))
        self._ids.append(ids)

    def of(self, numbers: np.ndarray) -> np.ndarray:
        """The lists with these numbers, one after the other."""
        # Twice as fast as the same look-ups in brackets.
        begins, ends = self._offsets.values[:-1].take(numbers), self._offsets.values[1:].take(numbers)
        return self._ids.values.take(spread(begins, ends - begins))


class _Column:
    """An array that grows at its end: twice the memory whenever it is full."""

    def __init__(self, dtype: type) -> None:
        self._memory = np.empty(1 << 12, dtype)
        self.size = 0

    @property
    def values(self) -> np.ndarray:
        return self._memory[: self.size]

    def append(self, values: np.ndarray) -> None:
        size = self.size + len(values)
        if size > len(self._memory):
            memory = np.empty(2 * size, self._memory.dtype)
            memory[: self.size] = self.values
            self._memory = memory
        self._memory[self.size : size] = values
        self.size = size


class VectorizedEncoder:
    """Encodes block after block with a tokenizer's merges. See the drawing at the top.

    Every word that is met gets the next number at once. What its IDs are is found out later, for all that are new in
    several blocks together: few and large numpy calls. Until then the bytes of the new words wait.
    """

    def __init__(
        self,
        merges: Mapping[Pair, int],
        pattern: str,
        *,
        byte_ids: Sequence[int] | None = None,
        special_ids: Sequence[int] = (),
        most_words: int = MOST_WORDS,
    ) -> None:
        """
        Args:
            merges: pair of IDs -> ID; no two make the same ID.
            pattern: the regex of "gpt2" or "gpt4".
            byte_ids: the ID of each of the 256 bytes; None: byte b has ID b.
            special_ids: IDs of the special tokens that blocks may contain.
            most_words: how many words are remembered at most, give or take those of one block.
        """
        self._merger = Merger(merges, byte_ids)
        self._pattern = pattern
        self._special_ids = np.array([NO_TOKEN, *sorted(special_ids)], np.int64)
        self._most_words = most_words
        self._forget()

    def _forget(self) -> None:
        self._lists = IdLists()
        # The first lists are those of NO_TOKEN, which is empty, and of the special tokens.
        self._lists.add(self._special_ids[1:], self._special_ids != NO_TOKEN)
        self._words = WordNumbers(len(self._lists), LONGEST_KEPT)
        # The bytes and lengths of words that have a number, but no list yet.
        self._unmerged: list[tuple[np.ndarray, np.ndarray]] = []

    def _is_full(self) -> bool:
        return (
            self._words.next > self._most_words
            or self._lists.total > 4 * self._most_words
            or self._words.long_count > MOST_LONG_WORDS
        )

    def encode(
        self, block: bytes, stand_ins: np.ndarray | None = None, stand_in_ids: np.ndarray | None = None
    ) -> np.ndarray:
        """The IDs of a block of text.

        Args:
            block: valid UTF-8; half a megabyte is a good size.
            stand_ins: ascending offsets of `STAND_IN` in the block, where special tokens stand.
            stand_in_ids: the ID of each of these special tokens, or `NO_TOKEN`.

        Returns:
            uint32 array.
        """
        return next(self.encode_all([(block, stand_ins, stand_in_ids)]))

    def encode_all(self, blocks: Iterable[tuple[bytes, np.ndarray | None, np.ndarray | None]]) -> Iterator[np.ndarray]:
        """The IDs of each block of a text of any length, given as the arguments of `encode`: the same, and faster."""
        waiting: list[np.ndarray] = []
        for block in blocks:
            if len(waiting) == BLOCKS_TOGETHER or self._is_full():
                yield from self._ids(waiting)
                waiting = []
                if self._is_full():
                    self._forget()
            with self._all_or_nothing():
                waiting.append(self._numbers(*block))
                if sum(len(data) for data, _ in self._unmerged) >= WINDOW:
                    self._merge()
        yield from self._ids(waiting)

    def _ids(self, numbers_of_blocks: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        with self._all_or_nothing():
            self._merge()
        return map(self._lists.of, numbers_of_blocks)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Forget everything when the work is stopped in the middle: numbers and lists might not fit together."""
        try:
            yield
        except BaseException:
            self._forget()
            raise

    def _numbers(self, block: bytes, stand_ins: np.ndarray | None, stand_in_ids: np.ndarray | None) -> np.ndarray:
        """The number (int32) of the list with the IDs of each piece."""
        pieces = Pieces.between(piece_bounds(block, self._pattern, stand_ins), block)
        special = np.searchsorted(pieces.starts, () if stand_ins is None else stand_ins)
        is_word = np.ones(len(pieces.starts), bool)
        is_word[special] = False
        numbers, new = self._words.of(pieces, is_word)
        if len(special):
            numbers[special] = np.searchsorted(self._special_ids, stand_in_ids)
        if len(new):
            lengths = pieces.lengths[new]
            data = np.frombuffer(pieces.padded, np.uint8)[spread(pieces.starts[new], lengths)]
            self._unmerged.append((data, lengths))
        return numbers

    def _merge(self) -> None:
        """Find the IDs of the words that have no list yet."""
        if self._unmerged:
            data, lengths = map(np.concatenate, zip(*self._unmerged))
            self._lists.add(*self._merger.merge_words(data, lengths))
            self._unmerged = []
