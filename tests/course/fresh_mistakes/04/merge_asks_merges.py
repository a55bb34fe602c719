"""The ID of a pair is in self.merges, so I take it from there.

Mistake: new_id is ignored; a pair that is not in merges raises KeyError.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        result, i = [], 0
        while i < len(ids):
            if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
                result.append(self.merges[pair])
                i += 2
            else:
                result.append(ids[i])
                i += 1
        return result
