"""The same text has the same tokens, so I keep the answer.

Mistake: an earlier answer is given again
Why: A remembered answer holds only for the merges of that moment: encode anew.
Pitfall: merge-order
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        cache = self.__dict__.setdefault("_seen", {})
        if text not in cache:
            cache[text] = super().encode(text)
        return cache[text]
