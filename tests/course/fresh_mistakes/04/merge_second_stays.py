"""When I find the pair I append the new ID and otherwise the old one.

Mistake: after a match the loop goes on with the pair's second ID, which stays in the result.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        out = []
        for i in range(len(ids)):
            if tuple(ids[i : i + 2]) == tuple(pair):
                out.append(new_id)
            else:
                out.append(ids[i])
        return out
