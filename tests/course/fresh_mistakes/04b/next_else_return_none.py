"""For each merge I look whether it is in the word, otherwise I return None.

Mistake: the return None stands in the loop, so only the very first merge is ever tried.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        pairs = list(zip(symbols, symbols[1:]))
        for merge in self.merges:
            if merge in pairs:
                return merge
            else:
                return None
