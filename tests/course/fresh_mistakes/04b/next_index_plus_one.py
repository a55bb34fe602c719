"""index finds the left symbol, and the right one must be the next.

Mistake: index finds the first place only.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        symbols = list(symbols)
        for a, b in self.merges:
            if a in symbols:
                i = symbols.index(a)
                if i + 1 < len(symbols) and symbols[i + 1] == b:
                    return (a, b)
        return None
