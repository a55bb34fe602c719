"""Plain recounting with another rule for ties than the answer key's."""

from typing import Any

from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.base import BOUNDARY, Pair


class Recounting(BPETokenizer):
    def train_step(self, ids: list[int], new_id: int) -> tuple[list[int], Pair, int] | None:
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        pair = max(counts, key=lambda pair: (counts[pair], self.order(pair)))
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]

    def order(self, pair: Pair) -> Any:
        """Of the most frequent pairs, the one that is greatest by this is merged."""
        raise NotImplementedError
