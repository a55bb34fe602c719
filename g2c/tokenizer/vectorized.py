"""Encoding whole blocks of text in numpy, for the gpt2 and gpt4 patterns: faster than the Rust libraries, same IDs.

    block    "the cat, the bat"                                     bytes, UTF-8
      |   piece_starts (splitting.py)
    pieces   "the"  " cat"  ","  " the"  " bat"                     offsets
      |   find (word_table.py)
    words      7      12     3      9     -1  <- new: merge it and give it a number
      |
    IDs      260    311     44    264     98 300                    uint32

Text repeats itself: of the pieces of a block nearly all are words that were seen before, and their IDs are looked up.
Those that are new, a few hundred a block after the first megabyte, are merged all together, as the rows of a matrix.
So Python runs through a few hundred numpy calls for each block, not through millions of steps.

What is remembered is bounded: when the table is full, all of it is forgotten and it fills again from the next block.
The IDs do not depend on what is remembered, so any number of processes can share the blocks of a corpus.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from g2c.tokenizer.splitting import PADDING, piece_starts, run_begins
from g2c.tokenizer.word_table import LONGEST, WordTable, distinct, word_keys

Pair = tuple[int, int]

MOST_WORDS = 1 << 18
"""When more words than this are remembered, all are forgotten before the next block."""

MOST_LONG_WORDS = 1 << 16
"""The same for words above `LONGEST` bytes, which cost more memory."""

LONGEST_KEPT = 256
"""Pieces longer than this, in bytes, are merged one by one and not remembered."""

NONE = 0xFFFFFFFF
"""In place of a rank: these two neighbours are never merged. Higher than every rank."""

PAD = -1
"""Fills the rows of a matrix of words behind their ends."""


class Merger:
    """The merges of a tokenizer, applied to many words at once.

    Inside, tokens are symbols: byte b is symbol b, and the token of the merge with rank k, the k-th learned, is symbol
    256 + k. So this works too where the IDs of bytes are in another order, as they are in GPT-2's own tokenizer.
    """

    def __init__(self, merges: Mapping[Pair, int], byte_ids: Sequence[int] | None = None) -> None:
        """Args: merges: pair of IDs -> ID, in the order learned. byte_ids: the ID of each byte; None: byte b has ID b."""
        byte_ids = range(256) if byte_ids is None else byte_ids
        symbol_of = {int(token_id): byte for byte, token_id in enumerate(byte_ids)}
        left, right = np.empty(len(merges), np.int64), np.empty(len(merges), np.int64)
        for rank, ((left_id, right_id), new_id) in enumerate(merges.items()):
            left[rank], right[rank] = symbol_of[left_id], symbol_of[right_id]
            symbol_of[new_id] = 256 + rank
        self.id_of_symbol = np.array(list(symbol_of), np.uint32)
        self._ranks = WordTable()
        self._ranks.add(left.astype(np.uint64), right.astype(np.uint64), np.arange(len(merges), dtype=np.int32))
        self._byte_pair_rank = np.full((256, 256), NONE, np.uint32)
        of_bytes = np.flatnonzero((left < 256) & (right < 256))
        self._byte_pair_rank[left[of_bytes], right[of_bytes]] = of_bytes

    def _rank(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The rank (uint32) of each pair of symbols. Not found is -1, which read without a sign is NONE."""
        return self._ranks.find(left.astype(np.uint64), right.astype(np.uint64)).view(np.uint32)

    def merge_words(self, matrix: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Encode many words at once: in each round, every word does its best merge.

            symbols              ranks                     best merge
            t   h   e   r   e    th 0   he 4   er 2  re 1  th, at 0
            n   o   n   e   .    no 9   on 7   ne -  -  -  on, at 1

            256 e   r   e   .    256,e 3   er 2   re 1  -  re, at 2         all that is right of the merge moves left;
            n   257 e   .   .    -         -      -     -  done             the ranks on both sides are looked up

        One merge at a time is right, although `encode` replaces all occurrences of a pair together: whatever contains
        the new token was learned after it, so the next best merge of the word is the next occurrence of the same pair,
        as long as there is one.

        Args:
            matrix: a word in each row, as bytes (uint8); what stands behind its end does not matter.
            lengths: of the words, in bytes.

        Returns:
            (IDs of all words one after the other (uint32), number of IDs of each word).
        """
        rows, width = matrix.shape
        columns = np.arange(width)
        symbols = np.where(columns < lengths[:, None], matrix.astype(np.int32), PAD)
        ranks = np.full((rows, width), NONE, np.uint32)
        ranks[:, :-1] = self._byte_pair_rank[matrix[:, :-1], matrix[:, 1:]]
        ranks[columns >= lengths[:, None] - 1] = NONE
        merged = np.empty_like(symbols)
        unfinished = np.arange(rows)
        while len(unfinished):
            here = np.arange(len(unfinished))
            place = ranks.argmin(axis=1)
            rank = ranks[here, place]
            done = rank == NONE
            if done.any():
                merged[unfinished[done]] = symbols[done]
                going_on = ~done
                unfinished, symbols, ranks = unfinished[going_on], symbols[going_on], ranks[going_on]
                place, rank, here = place[going_on], rank[going_on], here[: len(unfinished)]
            behind = columns[:-1] > place[:, None]
            symbols[:, :-1] = np.where(behind, symbols[:, 1:], symbols[:, :-1])
            ranks[:, :-1] = np.where(behind, ranks[:, 1:], ranks[:, :-1])
            symbols[:, -1] = PAD
            ranks[:, -1] = NONE
            symbols[here, place] = rank + 256
            # The new token has new pairs with the neighbours on both sides, where there are any.
            right = np.minimum(place + 1, width - 1)
            ranks[here, place] = self._rank(symbols[here, place], np.where(right > place, symbols[here, right], PAD))
            inner = np.flatnonzero(place > 0)
            left = place[inner] - 1
            ranks[inner, left] = self._rank(symbols[inner, left], symbols[inner, left + 1])
        is_token = merged != PAD
        return self.id_of_symbol[merged[is_token]], is_token.sum(axis=1)

    def merge_piece(self, piece: bytes) -> np.ndarray:
        """Encode one long piece: in each round, the best pair is replaced everywhere, as `encode` does it.

        Returns:
            the IDs (uint32).
        """
        symbols = np.frombuffer(piece, np.uint8).astype(np.int32)
        ranks = np.full(len(symbols), NONE, np.uint32)
        ranks[:-1] = self._byte_pair_rank[symbols[:-1], symbols[1:]]
        while (best := ranks.min()) != NONE:
            places = np.flatnonzero(ranks == best)
            # In a, a, a the pair a, a has two places that overlap; of each run of places every second one is left out.
            places = places[(places - run_begins(places)) % 2 == 0]
            symbols = np.delete(symbols, places + 1)
            ranks = np.delete(ranks, places + 1)
            places -= np.arange(len(places))
            symbols[places] = best + 256
            ranks[places] = NONE
            changed = np.union1d(places, places - 1)
            changed = changed[(changed >= 0) & (changed < len(symbols) - 1)]
            ranks[changed] = self._rank(symbols[changed], symbols[changed + 1])
        return self.id_of_symbol[symbols]


class IdLists:
    """Lists of IDs of any length, numbered in the order in which they are added, in one flat array.

        number      0    1        2
        offsets     0    1        4              where the list begins
        counts      1    3        2              how long it is
        ids        260  311 44 98 264 300
    """

    def __init__(self) -> None:
        self._offsets, self._counts = _Column(np.int64), _Column(np.int64)
        self._ids = _Column(np.uint32)

    def __len__(self) -> int:
        return self._counts.size

    @property
    def total(self) -> int:
        """How many IDs there are in all lists."""
        return self._ids.size

    def add(self, ids: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Add lists, given one after the other with the length of each; return their numbers (int32)."""
        numbers = np.arange(len(self), len(self) + len(counts), dtype=np.int32)
        self._offsets.append(self._ids.size + np.cumsum(counts) - counts)
        self._counts.append(counts)
        self._ids.append(ids)
        return numbers

    def of(self, numbers: np.ndarray) -> np.ndarray:
        """The lists with these numbers, one after the other.

        The k-th ID of the output belongs to a list that begins at `ends - counts` in the output and at `offsets` in
        the flat array; so adding the difference of the two to k gives its place there.
        """
        counts = self._counts.values[numbers]
        ends = np.cumsum(counts)
        shifts = np.repeat(self._offsets.values[numbers] - (ends - counts), counts)
        shifts += np.arange(len(shifts))
        return self._ids.values[shifts]


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
    """Encodes block after block with a tokenizer's merges. See the drawing at the top."""

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
            merges: pair of IDs -> ID, in the order learned.
            pattern: the regex of "gpt2" or "gpt4".
            byte_ids: the ID of each of the 256 bytes; None: byte b has ID b.
            special_ids: IDs of the special tokens that blocks may contain.
            most_words: how many words are remembered at most, give or take those of one block.
        """
        self._merger = Merger(merges, byte_ids)
        self._pattern = pattern
        self._special_ids = np.array(sorted(special_ids), np.uint32)
        self._most_words = most_words
        self._forget()

    def _forget(self) -> None:
        self._table = WordTable()
        self._long_words: dict[bytes, int] = {}
        self._lists = IdLists()
        # Special tokens have the first numbers, in ascending order of their IDs.
        self._lists.add(self._special_ids, np.ones(len(self._special_ids), np.int64))

    def encode(
        self, block: bytes, stand_ins: np.ndarray | None = None, stand_in_ids: np.ndarray | None = None
    ) -> np.ndarray:
        """The IDs of a block of text.

        Args:
            block: valid UTF-8; half a megabyte is a good size.
            stand_ins: ascending offsets of `STAND_IN` in the block, where special tokens stand.
            stand_in_ids: the ID of each of these special tokens.

        Returns:
            uint32 array.
        """
        full = self._most_words, MOST_LONG_WORDS, 4 * self._most_words
        if any(size > most for size, most in zip((len(self._lists), len(self._long_words), self._lists.total), full)):
            self._forget()
        starts = piece_starts(block, self._pattern, stand_ins)
        lengths = np.diff(starts, append=len(block))
        padded = block + PADDING
        first, second = word_keys(padded, starts, lengths)
        numbers = self._table.find(first, second)
        if stand_ins is not None and len(stand_ins):
            numbers[np.searchsorted(starts, stand_ins)] = np.searchsorted(self._special_ids, stand_in_ids)
        missing = np.flatnonzero(numbers < 0)
        is_long = lengths[missing] > LONGEST
        long, short = missing[is_long], missing[~is_long]
        if len(short):
            positions, which = distinct(first[short], second[short])
            new = short[positions]
            new_numbers = self._merge_short(padded, starts[new], lengths[new])
            self._table.add(first[new], second[new], new_numbers)
            numbers[short] = new_numbers[which]
        if len(long):
            numbers[long] = self._look_up_long(block, starts[long], lengths[long])
        return self._lists.of(numbers)

    def _merge_short(self, padded: bytes, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Merge new words, in two matrices so that short ones are not padded to the length of long ones."""
        numbers = np.empty(len(starts), np.int32)
        data = np.frombuffer(padded, np.uint8)
        for shortest, longest in ((1, 7), (8, LONGEST)):
            chosen = np.flatnonzero((lengths >= shortest) & (lengths <= longest))
            if len(chosen):
                matrix = data[starts[chosen, None] + np.arange(longest)]
                numbers[chosen] = self._lists.add(*self._merger.merge_words(matrix, lengths[chosen]))
        return numbers

    def _look_up_long(self, block: bytes, starts: np.ndarray, lengths: np.ndarray) -> list[int]:
        """The numbers of words too long for the table, which are few: from a dictionary, merging those that are new."""
        words = [block[start : start + length] for start, length in zip(starts.tolist(), lengths.tolist())]
        new = [word for word in dict.fromkeys(words) if word not in self._long_words]
        by_width: dict[int, list[bytes]] = {}
        for word in new:
            # To the next power of two.
            by_width.setdefault(1 << (len(word) - 1).bit_length(), []).append(word)
        numbers: dict[bytes, int] = {}
        for width, group in by_width.items():
            if width > LONGEST_KEPT:
                for word in group:
                    ids = self._merger.merge_piece(word)
                    numbers[word] = int(self._lists.add(ids, np.array([len(ids)]))[0])
            else:
                matrix = np.frombuffer(b"".join(word.ljust(width, b"\0") for word in group), np.uint8)
                lists = self._merger.merge_words(matrix.reshape(-1, width), np.array([len(word) for word in group]))
                self._long_words.update(zip(group, self._lists.add(*lists).tolist()))
        return [numbers[word] if word in numbers else self._long_words[word] for word in words]
