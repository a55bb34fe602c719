"""Merging many words at once in numpy: from their bytes to the IDs of their tokens.

Python does not loop over words but over rounds. In each round every word replaces its best pair, the one that was
learned first:

    word          t h e r e     n o n e     h m        merges    th: rank 0, symbol 256
    round 1       256 e r e     n 257 e     h m                  on: rank 1, symbol 257
    round 2       256 e 258     n 257 e     h m                  re: rank 2, symbol 258

Short words, nearly all of them, are the columns of a matrix: a round replaces one pair in each and touches few cells.
Long words are concatenated: a round scans all their symbols and replaces the best pair at every occurrence in its word.
Both give the same result, because a replacement never creates a pair that was learned earlier.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from g2c.engine.adjacency import byte_adjacency
from g2c.engine.splitting import run_begins
from g2c.engine.word_table import WordTable
from g2c.tokenizer.base import Pair

ROWS = 24
"""Cells of a column, one symbol each. The last one stays empty: a short word has fewer than this many bytes."""

ROW_BITS = (ROWS - 1).bit_length()
"""Number of bits of a row number."""

COLUMNS = 1 << 14
"""Number of short words merged at once: their arrays fit into the processor's cache."""

WINDOW = 1 << 20
"""Bytes of long words merged at once, if they can be split there."""

NOTHING = -1
"""In place of a symbol: the cell is empty."""

NONE = 0xFFFFFFFF
"""In place of a rank: these two neighbors are never merged. Higher than every rank."""

NO_PAIR = NONE >> ROW_BITS << ROW_BITS
"""In place of a key, the same: this value, or slightly more when a row number is in the last bits."""


class Merger:
    """The merges of a tokenizer, applied to many words at once.

    Internally tokens are symbols: byte b is symbol b, and the merge of rank k (in the order of the new IDs) makes
    symbol 256 + k. So this also works where the bytes have other IDs, as in GPT-2's own tokenizer.
    """

    def __init__(self, merges: Mapping[Pair, int], byte_ids: Sequence[int] | None = None) -> None:
        """
        Args:
            merges: pair of IDs -> ID. No two make the same ID, and each pair consists of lower IDs.
            byte_ids: the ID of each of the 256 bytes; None: byte b has ID b.
        """
        byte_ids = range(256) if byte_ids is None else byte_ids
        ordered = sorted(merges.items(), key=itemgetter(1))
        self.id_of_symbol = np.array([*byte_ids, *(new_id for _, new_id in ordered)], np.uint32)
        symbol_of = {token_id: symbol for symbol, token_id in enumerate(self.id_of_symbol.tolist())}
        pairs = np.array([(symbol_of[left], symbol_of[right]) for (left, right), _ in ordered], np.int64)
        left, right = pairs.reshape(-1, 2).T
        # Most pairs that are looked up have no merge, so many empty slots pay off.
        self._ranks = WordTable(slots=1 << (16 * len(merges)).bit_length())
        self._ranks.add(left.astype(np.uint64), right.astype(np.uint64), np.arange(len(merges), dtype=np.int32))
        self._byte_pair_rank = np.full((256, 256), NONE, np.uint32)
        of_bytes = np.flatnonzero((left < 256) & (right < 256))
        self._byte_pair_rank[left[of_bytes], right[of_bytes]] = of_bytes
        tokens = [bytes([byte]) for byte in range(256)]
        for left_symbol, right_symbol in zip(left.tolist(), right.tolist()):
            tokens.append(tokens[left_symbol] + tokens[right_symbol])
        self._adjacency = byte_adjacency(tokens)

    def _rank(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.uint32]:
        """The rank of each pair of symbols. A pair not found is -1, which is NONE when read as unsigned."""
        return self._ranks.search(left.astype(np.uint64), right.astype(np.uint64)).view(np.uint32)

    def merge_words(
        self, data: NDArray[np.uint8], lengths: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Encode many words at once.

        Args:
            data: the bytes of the words, concatenated.
            lengths: length of each word in bytes, at least 1.

        Returns:
            (IDs of all words, concatenated; number of IDs of each word).
        """
        is_short = lengths < ROWS
        counts = np.empty(len(lengths), np.int64)
        of_short, counts[is_short] = self._merge_short(data[np.repeat(is_short, lengths)], lengths[is_short])
        of_long, counts[~is_short] = self._merge_long(data[np.repeat(~is_short, lengths)], lengths[~is_short])
        symbols = np.empty(counts.sum(), np.int32)
        belongs_to_short = np.repeat(is_short, counts)
        symbols[belongs_to_short], symbols[~belongs_to_short] = of_short, of_long
        return self.id_of_symbol[symbols], counts

    # --- short words --------------------------------------------------------------------------------------------------

    def _merge_short(
        self, data: NDArray[np.uint8], lengths: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The symbols of words of fewer than `ROWS` bytes, concatenated, and the number of symbols of each word."""
        padded = np.append(data, np.zeros(ROWS, np.uint8))
        rows = np.arange(ROWS)[:, np.newaxis]
        begins = np.cumsum(lengths) - lengths
        symbols, counts = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        for first in range(0, len(lengths), COLUMNS):
            words = slice(first, first + COLUMNS)
            merged = self._merge_columns(padded[begins[words] + rows], lengths[words])
            is_symbol = merged != NOTHING
            symbols.append(merged.T[is_symbol.T])
            counts.append(np.count_nonzero(is_symbol, axis=0))
        return np.concatenate(symbols), np.concatenate(counts)

    def _merge_columns(self, data: NDArray[np.uint8], lengths: NDArray[np.int64]) -> NDArray[np.int32]:
        """The rounds for short words, one in each column.

            symbols                 keys                            symbols after a round
            row 0   t   n   h       0 | 0     -         -           256  n    h
                1   h   o   m       -         1 | 1     -           -    257  m
                2   e   n   -       -         -         -           e    -    -
                3   r   e   -       2 | 3     -         -           r    e    -
                4   e   -   -       -         -         -           e    -    -
            lowest key              0 | 0     1 | 1     none

        The key of a pair is in the cell of its first symbol: its rank and, in the last bits, its row. So the lowest key
        of a word is the pair to replace, at its first occurrence. The cell of the pair's second symbol becomes empty.
        `after` and `before` skip empty cells: for each symbol they hold the row of the next and of the previous one. At
        the ends of a word that is an empty cell, which is in no pair.

        Args:
            data: (ROWS, words): in each column the bytes of a word, followed by arbitrary values.
            lengths: length of each word in bytes.

        Returns:
            (ROWS, words): in each column the symbols of the word, with empty cells among and below them.
        """
        rows = np.arange(ROWS, dtype=np.uint32)[:, np.newaxis]
        is_empty = rows >= lengths
        symbols = data.astype(np.int32)
        ranks = self._byte_pair_rank.ravel().take(symbols[:-1] << 8 | symbols[1:])
        keys: NDArray[np.uint32] = np.full(data.shape, NO_PAIR, np.uint32)
        keys[:-1] = np.where(is_empty[1:], NONE, ranks) << ROW_BITS | rows[:-1]
        symbols = np.where(is_empty, np.int32(NOTHING), symbols)
        after: NDArray[np.uint32] = np.tile((rows + 1) % ROWS, data.shape[1])
        before: NDArray[np.uint32] = np.tile((rows + ROWS - 1) % ROWS, data.shape[1])

        # From here on a cell is identified by its index in the flat array: its row times `count`, plus its column.
        count = data.shape[1]
        symbols, after, before = symbols.ravel(), after.ravel(), before.ravel()
        keys = keys.ravel()
        while True:
            lowest = keys.reshape(data.shape).min(axis=0)
            words = np.flatnonzero(lowest < NO_PAIR)
            if not len(words):
                return symbols.reshape(data.shape)
            lowest = lowest.take(words)
            row, symbol = lowest & ((1 << ROW_BITS) - 1), (lowest >> ROW_BITS) + 256
            left = row * count + words
            right = after.take(left) * count + words
            row_before, row_after = before.take(left), after.take(right)
            previous, following = row_before * count + words, row_after * count + words
            symbols[left], symbols[right] = symbol, NOTHING
            after[left], before[following] = row_after, row
            keys[right] = NO_PAIR
            keys[left] = self._rank(symbol, symbols.take(following)) << ROW_BITS | row
            keys[previous] = self._rank(symbols.take(previous), symbol) << ROW_BITS | row_before

    # --- long words ---------------------------------------------------------------------------------------------------

    def _merge_long(
        self, data: NDArray[np.uint8], lengths: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The symbols of words of any length, concatenated, and the number of symbols of each word.

            word        0   0   0   0   0 | 1   1   1   1 | 2   2
            symbols     t   h   e   r   e | n   o   n   e | h   m      merges  th: rank 0, symbol 256
            ranks       0   -   -   2   - | -   1   -   - | -   -              on: rank 1, symbol 257
            best                        0 |             1 |     -              re: rank 2, symbol 258

            word        0   0   0   0 | 1   1   1
            symbols     256 e   r   e | n   257 e                      word 2 has no pair to merge: it is done
            ranks       -   -   2   - | -   -   -                      ranks are looked up again around 256 and 257

        The rank of a pair is at the index of its first symbol. The last symbol of a word has none, so no pair reaches
        into the next word.
        """
        begins = self._part_begins(data, lengths)
        owners = np.repeat(np.arange(len(lengths)), lengths)[begins]
        first = np.flatnonzero(begins)
        # The first part of each window: memory is needed for one window at a time.
        of_window = np.flatnonzero(np.diff(first // WINDOW, prepend=-1))
        all_symbols, counts = [np.zeros(0, np.int32)], np.zeros(len(lengths), np.int64)
        for window, next_window in zip(of_window, [*of_window[1:], len(first)]):
            end = first[next_window] if next_window < len(first) else len(data)
            symbols, parts = self._merge_parts(data[first[window] : end], begins[first[window] : end])
            all_symbols.append(symbols)
            counts += np.bincount(owners[window:next_window][parts], minlength=len(lengths))
        return np.concatenate(all_symbols), counts

    def _part_begins(self, data: NDArray[np.uint8], lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mask of the bytes at which a word begins, or a part of a word that no merge joins with the part before it.

        No merge joins two bytes that are not adjacent in any token (see adjacency.py). Very long words, such as a file
        without spaces, become many short parts this way, which take fewer rounds.
        """
        begins = np.ones(len(data), bool)
        for offset in range(1, len(data), WINDOW):
            left, right = data[offset - 1 : offset - 1 + WINDOW], data[offset : offset + WINDOW]
            begins[offset : offset + WINDOW] = ~self._adjacency[left[: len(right)], right]
        begins[np.cumsum(lengths)[:-1]] = True
        return begins

    def _merge_parts(
        self, data: NDArray[np.uint8], begins: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The rounds. Returns the symbols of all parts in order, and for each symbol the index of its part."""
        symbols = data.astype(np.int32)
        ranks = np.full(len(symbols), NONE, np.uint32)
        ranks[:-1] = self._byte_pair_rank[data[:-1], data[1:]]
        ranks[:-1][begins[1:]] = NONE
        # Indices of the parts that are not done.
        parts = np.arange(np.count_nonzero(begins))
        done: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
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
            positions = np.flatnonzero((ranks == best) & stays)
            # In a, a, a the pair a, a has two occurrences that overlap; in each run every second one is left out.
            positions = positions[(positions - run_begins(positions)) % 2 == 0]
            symbols[positions] = ranks[positions] + 256
            stays[positions + 1] = False
            kept = np.flatnonzero(stays)
            begins, symbols, ranks = begins.take(kept), symbols.take(kept), ranks.take(kept)
            positions = (np.cumsum(stays) - 1).take(positions)
            self._update_ranks(ranks, symbols, begins, np.concatenate([positions[positions > 0] - 1, positions]))
        owners = np.concatenate([owners for owners, _ in done])
        in_order = np.argsort(owners, kind="stable")
        return np.concatenate([symbols for _, symbols in done])[in_order], owners[in_order]

    def _update_ranks(
        self,
        ranks: NDArray[np.uint32],
        symbols: NDArray[np.int32],
        begins: NDArray[np.bool_],
        positions: NDArray[np.int64],
    ) -> None:
        """Look up the ranks of the pairs that start at `positions`."""
        ranks[positions] = NONE
        positions = positions[positions < len(symbols) - 1]
        positions = positions[~begins.take(positions + 1)]
        ranks[positions] = self._rank(symbols.take(positions), symbols.take(positions + 1))
