"""What counts is the text that a merge makes.

Mistake: lo + w counts as learned because l + ow was.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        joined = {a + b: (a, b) for a, b in zip(symbols, symbols[1:])}
        for a, b in self.merges:
            if a + b in joined:
                return joined[a + b]
        return None
