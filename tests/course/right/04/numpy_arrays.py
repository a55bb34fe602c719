"""numpy where it can be used: IDs come back as numpy integers, in lists."""

import numpy as np

from g2c.tokenizer.base import BOUNDARY
from g2c.tokenizer.bpe import BPETokenizer as Exercise


class BPETokenizer(Exercise):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        ids = np.asarray(ids, dtype=np.int64)
        if len(ids) < 2:
            return {}
        pairs = np.stack([ids[:-1], ids[1:]], axis=1)
        pairs = pairs[~np.isin(pairs, list(barrier_ids or [])).any(axis=1)]
        if not len(pairs):
            return {}
        unique, first, counts = np.unique(pairs, axis=0, return_index=True, return_counts=True)
        return {(unique[i, 0], unique[i, 1]): counts[i] for i in np.argsort(first)}

    def _merge(self, ids, pair, new_id):
        array = np.asarray(ids, dtype=np.int64)
        keep = np.ones(len(array), dtype=bool)
        blocked = -1
        for place in np.flatnonzero((array[:-1] == pair[0]) & (array[1:] == pair[1])):
            if place > blocked:
                array[place] = new_id
                keep[place + 1] = False
                blocked = place + 1
        return list(array[keep])

    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        pairs = list(counts)
        pair = pairs[np.argmax(list(counts.values()))]
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]

    def encode(self, text):
        out = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                out.append(piece)
                continue
            ids = list(np.frombuffer(piece, dtype=np.uint8).astype(np.int64))
            while len(ids) > 1:
                ranks = [self.merges.get(pair, np.inf) for pair in zip(ids, ids[1:])]
                best = int(np.argmin(ranks))
                if np.isinf(ranks[best]):
                    break
                ids[best : best + 2] = [ranks[best]]
            out.extend(ids)
        return out

    def decode(self, ids):
        unknown = [token_id for token_id in ids if token_id not in self.vocab]
        if unknown:
            raise ValueError(f"{unknown} are not in the vocabulary")
        return b"".join([self.vocab[token_id] for token_id in ids]).decode("utf-8", "replace")
