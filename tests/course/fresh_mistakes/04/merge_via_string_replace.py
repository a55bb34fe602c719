"""Python strings can already replace from left to right, so I make a string with spaces, replace, and split again.

Mistake: text replacement also matches inside longer numbers: the pair 1 2 is found in "11 2" and in "1 25".
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        line = " ".join(str(i) for i in ids)
        line = line.replace(f"{pair[0]} {pair[1]}", str(new_id))
        return [int(part) for part in line.split()]
