"""Answer key of module 04. What each method takes and returns is documented in g2c/tokenizer/bpe.py."""

from g2c.tokenizer import bpe
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(bpe.BPETokenizer):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = frozenset(barrier_ids or ())
        counts = {}
        # zip stops at the end of the shorter list: n - 1 pairs.
        for pair in zip(ids, ids[1:]):
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts

    def _merge(self, ids, pair, new_id):
        merged = []
        position = 0
        while position < len(ids):
            # The slice at the last ID has only one element and never equals the pair, so it needs no special case.
            if tuple(ids[position : position + 2]) == pair:
                merged.append(new_id)
                position += 2
            else:
                merged.append(ids[position])
                position += 1
        return merged

    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        # max returns the first of several maxima, and the counts are in order of first appearance.
        pair = max(counts, key=counts.get)
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]

    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            piece_ids = list(piece)
            # A later merge may build on an earlier one, so the pair learned first is merged first, wherever it occurs.
            while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]:
                pair = min(known, key=self.merges.get)
                piece_ids = self._merge(piece_ids, pair, self.merges[pair])
            ids.extend(piece_ids)
        return ids

    def decode(self, ids):
        tokens = []
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"There is no token with ID {token_id} in this vocabulary of {self.vocab_size}.")
            tokens.append(self.vocab[token_id])
        # Join first: the bytes of a character may be spread over several tokens.
        return b"".join(tokens).decode("utf-8", errors="replace")
