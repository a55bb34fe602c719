"""How often is each token used? I count in the best segmentation.

Mistake: only the best segmentation is counted
Why: Every segmentation counts, weighted by its probability.
Pitfall: expected
Caught by: TestExpectedCounts
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def expected_counts(self, text):
        counts = {}
        for token in self.best_path(text):
            counts[token] = counts.get(token, 0.0) + 1.0
        return counts
