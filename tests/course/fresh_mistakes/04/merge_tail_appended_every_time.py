"""The last ID has no neighbour, so my loop stops before it and I append it after the loop.

Mistake: the last ID is appended even when it went into the pair just before, so it appears twice; an empty list raises IndexError.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        result = []
        i = 0
        while i < len(ids) - 1:
            if ids[i] == pair[0] and ids[i + 1] == pair[1]:
                result.append(new_id)
                i += 2
            else:
                result.append(ids[i])
                i += 1
        result.append(ids[-1])
        return result
