"""Places in a heap for encoding, one walk for the counts, sorting in place of max, text decoded in segments."""

import heapq
from collections import defaultdict

from g2c.tokenizer.base import BOUNDARY
from g2c.tokenizer.bpe import BPETokenizer as Exercise


class BPETokenizer(Exercise):
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

    def encode(self, text):
        return [token_id for piece in self._pieces(text) for token_id in self._encode_piece(piece)]

    def _encode_piece(self, piece):
        if not isinstance(piece, bytes):
            return [piece]
        # Each place of the piece knows its neighbors; None marks a place that was merged away.
        ids = [*piece]
        before, after = (
            [i - 1 for i in range(len(ids))],
            [i + 1 for i in range(len(ids))],
        )
        heap = []

        def offer(place):
            right = after[place] if 0 <= place < len(ids) else len(ids)
            if right < len(ids) and (ids[place], ids[right]) in self.merges:
                heapq.heappush(
                    heap,
                    (
                        self.merges[ids[place], ids[right]],
                        place,
                        ids[place],
                        ids[right],
                    ),
                )

        for place in range(len(ids)):
            offer(place)
        while heap:
            new_id, place, left_id, right_id = heapq.heappop(heap)
            right = after[place]
            if ids[place] != left_id or right >= len(ids) or ids[right] != right_id:
                continue
            ids[place], ids[right] = new_id, None
            after[place] = after[right]
            if after[place] < len(ids):
                before[after[place]] = place
            offer(before[place])
            offer(place)
        return [token_id for token_id in ids if token_id is not None]

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
