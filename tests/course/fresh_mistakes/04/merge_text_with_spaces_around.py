"""With a space on both sides the text of the pair cannot be found inside a longer number.

Mistake: neighboring matches share a space, and only every second one is replaced.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        text = " " + " ".join(str(i) for i in ids) + " "
        text = text.replace(f" {pair[0]} {pair[1]} ", f" {new_id} ")
        return [int(i) for i in text.split()]
