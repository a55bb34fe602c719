"""What was learned is the new symbol.

Mistake: the joined symbol is entered, not the pair
Why: merges holds pairs: (left, right).
Pitfall: append
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        step = super().learn_merge(words)
        if step:
            self.merges[-1] = "".join(step[1])
        return step
