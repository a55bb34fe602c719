"""A word of one symbol has no pair, so nobody needs it any more.

Mistake: words of one symbol are left out
Why: All words come back, in their order and with their frequencies.
Pitfall: words-back
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        return super().learn_merge({symbols: frequency for symbols, frequency in words.items() if len(symbols) > 1})
