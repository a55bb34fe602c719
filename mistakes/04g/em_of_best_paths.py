"""The tokens of the best segmentations are counted.

Mistake: only the best segmentations are counted
Why: Use expected_counts: every segmentation counts, weighted by its probability.
Pitfall: em
Caught by: TestEmStep
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey
from g2c.tokenizer.unigram import LEAST_COUNT


class UnigramTokenizer(AnswerKey):
    def em_step(self, words):
        counts = {}
        for word, frequency in words.items():
            for token in self.best_path(word):
                counts[token] = counts.get(token, 0.0) + frequency
        kept = {}
        for token in self.scores:
            count = counts.get(token, 0.0)
            if token != self.unk_token and (len(token) == 1 or count >= LEAST_COUNT):
                kept[token] = max(count, LEAST_COUNT)
        total = sum(kept.values())
        scores = {}
        for token, old in self.scores.items():
            if token == self.unk_token:
                scores[token] = old
            elif token in kept:
                scores[token] = math.log(kept[token] / total)
        return scores
