"""Later merges give longer tokens, so I look from the end of the list.

Mistake: merges is searched backwards, the pair learned last is returned.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        pairs = {(symbols[i], symbols[i + 1]) for i in range(len(symbols) - 1)}
        for merge in reversed(self.merges):
            if merge in pairs:
                return merge
