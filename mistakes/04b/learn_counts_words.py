"""The count says in how many words the pair stands.

Mistake: the count is not the pair's
Why: Return what _get_pair_counts counted for it.
Pitfall: frequency
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        step = super().learn_merge(words)
        return step and (step[0], step[1], sum(step[1] in zip(word, word[1:]) for word in words))
