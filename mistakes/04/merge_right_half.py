"""Where I find the second half of the pair, the first one stands before it.

Mistake: one half of the pair is enough
Why: Both IDs have to match: the left one and the right one.
Pitfall: byte-order
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        for token_id in ids:
            if merged and token_id == pair[1]:
                merged[-1] = new_id
            else:
                merged.append(token_id)
        return merged
