"""One walk for the counts, an iterator for merging, sorting in place of max, text decoded in segments."""

from collections import defaultdict

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        counts = defaultdict(int)
        left = None
        for token_id in ids:
            right = None if barrier_ids is not None and token_id in barrier_ids else token_id
            if left is not None and right is not None:
                counts[left, right] += 1
            left = right
        return counts

    def _merge(self, ids, pair, new_id):
        ids = iter(ids)
        merged = []
        held = next(ids, None)
        while held is not None:
            after = next(ids, None)
            if (held, after) == tuple(pair):
                merged.append(new_id)
                after = next(ids, None)
            else:
                merged.append(held)
            held = after
        return merged

    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=[*self.special_token_ids, BOUNDARY])
        ranked = sorted(counts.items(), key=lambda entry: -entry[1])
        if not ranked:
            return None
        pair, count = ranked[0]
        self.merges |= {pair: new_id}
        self.vocab |= {new_id: bytes([*self.vocab[pair[0]], *self.vocab[pair[1]]])}
        return self._merge(ids, pair, new_id), pair, count

    def decode(self, ids):
        text, waiting = "", bytearray()
        for token_id in ids:
            if (token := self.vocab.get(token_id)) is None:
                raise ValueError(f"unknown ID {token_id}")
            if token_id in self.special_token_ids:
                # ASCII: what was cut short before it is not completed by it.
                text += waiting.decode(errors="replace") + self.id_to_special[token_id]
                waiting.clear()
            else:
                waiting += token
        return text + waiting.decode("utf8", "replace")
