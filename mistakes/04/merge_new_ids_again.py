"""After a match I look back, because the new ID may fit as well.

Mistake: new IDs side by side are merged as well
Why: One call replaces one pair; [99, 99] stays two IDs.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        for token_id in super()._merge(ids, pair, new_id):
            if merged and merged[-1] == token_id == new_id:
                continue
            merged.append(token_id)
        return merged
