"""A new token needs an ID, so I give it the next one.

Mistake: the new token gets an ID here
Why: train, which is given, numbers the tokens: append the pair to merges, and nothing else.
Pitfall: append
Caught by: TestTrain
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        learned = super().learn_merge(words)
        if learned is not None:
            token = "".join(learned[1])
            self.id_to_token[len(self.token_to_id)] = token
            self.token_to_id[token] = len(self.token_to_id)
        return learned
