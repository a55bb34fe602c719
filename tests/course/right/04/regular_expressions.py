"""IDs as text for a regular expression, one merge at one place at a time, an incremental decoder."""

import codecs
import re

from g2c.tokenizer.base import BOUNDARY
from g2c.tokenizer.bpe import BPETokenizer as Exercise


class BPETokenizer(Exercise):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barrier_ids = barrier_ids or ()
        counts = {}
        for index in range(1, len(ids)):
            pair = ids[index - 1], ids[index]
            if pair[0] in barrier_ids or pair[1] in barrier_ids:
                continue
            try:
                counts[pair] += 1
            except KeyError:
                counts[pair] = 1
        return counts

    def _merge(self, ids, pair, new_id):
        row = "".join(f"{token_id};" for token_id in ids)
        row = re.sub(rf"(?<![\d-]){pair[0]};{pair[1]};", f"{new_id};", row)
        return [int(number) for number in row.split(";")[:-1]]

    def train_step(self, ids, new_id):
        barriers = set(self.special_token_ids)
        barriers.add(BOUNDARY)
        best, highest = None, 0
        for pair, count in self._get_pair_counts(ids, barrier_ids=barriers).items():
            if count > highest:
                best, highest = pair, count
        if best is None:
            return
        left, right = best
        self.merges[best] = new_id
        self.vocab[new_id] = b"%b%b" % (self.vocab[left], self.vocab[right])
        return self._merge(ids, best, new_id), best, highest

    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            row = [piece] if isinstance(piece, int) else [*piece]
            while isinstance(piece, bytes):
                ranks = [self.merges.get(pair, float("inf")) for pair in zip(row, row[1:])]
                if not ranks or min(ranks) == float("inf"):
                    break
                place = ranks.index(min(ranks))
                row[place : place + 2] = [ranks[place]]
            ids.extend(row)
        return ids

    def decode(self, ids):
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        text = ""
        for token_id in ids:
            try:
                token = self.vocab[token_id]
            except KeyError:
                raise ValueError(f"ID {token_id} is in no vocabulary of {self.vocab_size}") from None
            text += decoder.decode(token)
        return text + decoder.decode(b"", final=True)
