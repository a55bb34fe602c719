"""The new scores replace the old ones.

Mistake: em_step changes the tokenizer.
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey
from g2c.tokenizer.unigram import LEAST_COUNT


class UnigramTokenizer(AnswerKey):
    def em_step(self, words):
        counts = {}
        for word, frequency in words.items():
            for token, count in self.expected_counts(word).items():
                counts[token] = counts.get(token, 0.0) + count * frequency
        kept = {}
        for token in self.scores:
            count = counts.get(token, 0.0)
            if token != self.unk_token and (len(token) == 1 or count >= LEAST_COUNT):
                kept[token] = max(count, LEAST_COUNT)
        # The sum is taken over what stays, so that the new probabilities add up to 1.
        total = sum(kept.values())
        scores = {}
        for token, old in self.scores.items():
            if token == self.unk_token:
                scores[token] = old
            elif token in kept:
                scores[token] = math.log(kept[token] / total)
        self.scores = scores
        return scores
