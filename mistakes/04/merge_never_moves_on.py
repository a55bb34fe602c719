"""At a match I move on by two. Otherwise I append the ID and look at the next one.

Mistake: _merge never returns
Why: Each iteration must bring the loop closer to its end, and the loop must end when nothing is left to do.
Pitfall: endless-encode
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        position = 0
        while position < len(ids):
            if tuple(ids[position : position + 2]) == pair:
                merged.append(new_id)
                position += 2
            else:
                merged.append(ids[position])
        return merged
