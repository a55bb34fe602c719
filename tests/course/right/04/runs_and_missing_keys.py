"""A dictionary with 0 for what is missing, runs between barriers, list.index, answers kept for one call only."""

from functools import cache
from itertools import chain, groupby

from g2c.tokenizer.base import BOUNDARY
from g2c.tokenizer.bpe import BPETokenizer as Exercise


class Counts(dict):
    def __missing__(self, pair):
        return 0


class BPETokenizer(Exercise):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers, counts = tuple(barrier_ids or ()), Counts()
        for is_barrier, run in groupby(ids, key=lambda token_id: token_id in barriers):
            run = list(run)
            if not is_barrier:
                for pair in zip(run, run[1:]):
                    counts[pair] += 1
        return counts

    def _merge(self, ids, pair, new_id):
        merged = list(ids)
        place = 0
        while True:
            try:
                place = merged.index(pair[0], place)
            except ValueError:
                return merged
            if merged[place + 1 : place + 2] == [pair[1]]:
                merged[place : place + 2] = [new_id]
            place += 1

    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids={BOUNDARY}.union(self.special_token_ids))
        if len(counts) == 0:
            return None
        most = max(counts.values())
        pair = next(pair for pair, count in counts.items() if count == most)
        self.merges[pair], self.vocab[new_id] = (
            new_id,
            b"".join(map(self.vocab.get, pair)),
        )
        return self._merge(ids, pair, new_id), pair, most

    def encode(self, text):
        @cache
        def tokens(piece):
            row = list(piece)
            for pair, new_id in sorted(self.merges.items(), key=lambda entry: entry[1]):
                row = self._merge(row, pair, new_id)
            return row

        return list(chain.from_iterable([p] if isinstance(p, int) else tokens(p) for p in self._pieces(text)))

    def decode(self, ids):
        ids = [int(token_id) for token_id in ids]
        if missing := [token_id for token_id in ids if token_id not in self.vocab]:
            raise ValueError(f"no tokens: {missing}")
        data = bytearray()
        for token_id in ids:
            data.extend(self.vocab[token_id])
        return str(data, "utf-8", "replace")
