"""Counter and pairwise for the counts, an iterator for the merge, merges applied one after the other."""

from collections import Counter
from itertools import pairwise

from g2c.tokenizer.base import BOUNDARY
from g2c.tokenizer.bpe import BPETokenizer as Exercise


class BPETokenizer(Exercise):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = set(barrier_ids or [])
        return Counter(pair for pair in pairwise(ids) if not barriers.intersection(pair))

    def _merge(self, ids, pair, new_id):
        out = []
        for token_id in ids:
            out.append(token_id)
            # A new ID is never a half of the pair that it stands for, so two at the end are the pair itself.
            if len(out) >= 2 and (out[-2], out[-1]) == pair:
                out[-2:] = [new_id]
        return out

    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=[BOUNDARY, *self.special_token_ids])
        for pair, count in counts.most_common(1):
            self.merges.update({pair: new_id})
            self.vocab.update({new_id: b"".join(self.vocab[half] for half in pair)})
            return self._merge(ids, pair, new_id), pair, count
        return None

    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, bytes):
                part = [*piece]
                # No merge makes a pair that was learned before it, so once through the table is enough.
                for pair, new_id in sorted(self.merges.items(), key=lambda merge: merge[1]):
                    part = self._merge(part, pair, new_id)
                ids += part
            else:
                ids += [piece]
        return ids

    def decode(self, ids):
        try:
            return bytes().join(self.vocab[int(token_id)] for token_id in ids).decode(errors="replace")
        except KeyError as error:
            raise ValueError(f"unknown token ID {error.args[0]}") from error
