"""Merging many words at once in numpy: from their bytes to the IDs of their tokens.

Python does not run through the words but through rounds. In each round every word replaces its best pair, the one that
was learned first:

    word          t h e r e     n o n e     h m        merges    th: rank 0, symbol 256
    round 1       256 e r e     n 257 e     h m                  on: rank 1, symbol 257
    round 2       256 e 258     n 257 e     h m                  re: rank 2, symbol 258

Short words, which nearly all are, stand in columns: a round replaces one pair in each and touches few cells. Long words
stand one after the other: a round goes through all their symbols, and replaces the pair wherever a word has it. Both
come to the same, since what is replaced makes no pair that was learned before.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter

import numpy as np

from g2c.engine.splitting import run_begins
from g2c.engine.word_table import WordTable
from g2c.tokenizer.base import Pair

ROWS = 24
"""The cells of a column, a symbol in each. The last one stays empty: a short word has less than this many bytes."""

ROW_BITS = (ROWS - 1).bit_length()
"""How many bits the number of a row has."""

COLUMNS = 1 << 14
"""How many short words are merged in one go: what is known about them fits into the processor's cache."""

WINDOW = 1 << 20
"""How many bytes of long words are merged in one go, when they can be parted there."""

NOTHING = -1
"""In place of a symbol: the cell is empty."""

NONE = 0xFFFFFFFF
"""In place of a rank: these two neighbours are never merged. Higher than every rank."""

NO_PAIR = NONE >> ROW_BITS << ROW_BITS
"""In place of a key, the same: this, or a little more when the number of a row is in the last bits."""


class Merger:
    """The merges of a tokenizer, applied to many words at once.

    Inside, tokens are symbols: byte b is symbol b, and the token of the merge with rank k, in the order of the new IDs,
    is symbol 256 + k. So this works too where the IDs of bytes are in another order, as in GPT-2's own tokenizer.
    """

    def __init__(self, merges: Mapping[Pair, int], byte_ids: Sequence[int] | None = None) -> None:
        """
        Args:
            merges: pair of IDs -> ID; no two make the same ID, and each is made of lower ones.
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
        """Encode many words at once.

        Args:
            data: the bytes (uint8) of the words, one after the other.
            lengths: of the words, in bytes, each 1 or more.

        Returns:
            (IDs of all words one after the other (uint32), number of IDs of each word).
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

    def _merge_short(self, data: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The symbols of words of less than `ROWS` bytes, one after the other, and how many each word has."""
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

    def _merge_columns(self, data: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """The rounds for words in columns.

            symbols                 keys                            symbols after a round
            row 0   t   n   h       0 | 0     -         -           256  n    h
                1   h   o   m       -         1 | 1     -           -    257  m
                2   e   n   -       -         -         -           e    -    -
                3   r   e   -       2 | 3     -         -           r    e    -
                4   e   -   -       -         -         -           e    -    -
            lowest key              0 | 0     1 | 1     none

        At the first symbol of a pair stands its key: its rank and, in the last bits, its row. So the lowest key of a
        word says which pair it replaces, and where, the first place if there are several. The second symbol of the pair
        leaves its cell empty. `after` and `before` lead past it: for each symbol they hold the row of the next one and
        of the one before. At the ends of a word that is an empty cell, which is in no pair.

        Args:
            data: (ROWS, words) uint8: in each column the bytes of a word, and anything below them.
            lengths: of the words, in bytes.

        Returns:
            (ROWS, words) int32: in each column the symbols of the word, with empty cells among them and below.
        """
        rows = np.arange(ROWS, dtype=np.uint32)[:, np.newaxis]
        is_empty = rows >= lengths
        symbols = data.astype(np.int32)
        ranks = self._byte_pair_rank.ravel().take(symbols[:-1] << 8 | symbols[1:])
        keys = np.full(data.shape, NO_PAIR, np.uint32)
        keys[:-1] = np.where(is_empty[1:], NONE, ranks) << ROW_BITS | rows[:-1]
        symbols = np.where(is_empty, NOTHING, symbols)
        after, before = (np.tile((rows + step) % ROWS, data.shape[1]) for step in (1, ROWS - 1))

        # From here on a cell is known by its place in the flat array: its row times `count`, plus its column.
        count = data.shape[1]
        symbols, keys, after, before = (array.ravel() for array in (symbols, keys, after, before))
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

    def _merge_long(self, data: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The symbols of words of any length, one after the other, and how many each word has.

            word        0   0   0   0   0 | 1   1   1   1 | 2   2
            symbols     t   h   e   r   e | n   o   n   e | h   m      merges  th: rank 0, symbol 256
            ranks       0   -   -   2   - | -   1   -   - | -   -              on: rank 1, symbol 257
            best                        0 |             1 |     -              re: rank 2, symbol 258

            word        0   0   0   0 | 1   1   1
            symbols     256 e   r   e | n   257 e                      word 2 has no pair to merge: it is done
            ranks       -   -   2   - | -   -   -                      ranks are looked up again around 256 and 257

        A rank stands at the first symbol of its pair. The last symbol of a word has none, so no pair reaches from one
        word into the next.
        """
        begins = self._part_begins(data, lengths)
        owners = np.repeat(np.arange(len(lengths)), lengths)[begins]
        first = np.flatnonzero(begins)
        # The first part of each window, so that memory is needed for one window at a time.
        of_window = np.flatnonzero(np.diff(first // WINDOW, prepend=-1))
        all_symbols, counts = [np.zeros(0, np.int32)], np.zeros(len(lengths), np.int64)
        for window, next_window in zip(of_window, [*of_window[1:], len(first)]):
            end = first[next_window] if next_window < len(first) else len(data)
            symbols, parts = self._merge_parts(data[first[window] : end], begins[first[window] : end])
            all_symbols.append(symbols)
            counts += np.bincount(owners[window:next_window][parts], minlength=len(lengths))
        return np.concatenate(all_symbols), counts

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
