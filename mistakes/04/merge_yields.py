"""yield is shorter than building a list.

Mistake: an iterator where a list belongs
Why: yield, map, zip and (... for ...) make an iterator, which can be read only once: collect the values first.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        i = 0
        while i < len(ids):
            if tuple(ids[i : i + 2]) == pair:
                yield new_id
                i += 2
            else:
                yield ids[i]
                i += 1
