"""The same text gives the same IDs, so I keep them in a dictionary.

Mistake: the stored list itself is returned
Why: The caller may change its list, and with it what is stored: return a copy.
Pitfall: mutated-argument
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        answers = self.__dict__.setdefault("answers", {})
        key = text, len(self.merges), len(self.special_tokens)
        if key not in answers:
            answers[key] = super().encode(text)
        return answers[key]
