"""The words are what the next step needs.

Mistake: only one of the three results is returned
Why: Return all three: the words, the pair, and its count.
Pitfall: words-back
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        step = super().learn_merge(words)
        return step and step[0]
