"""The best segmentation is the most probable one.

Mistake: always the best segmentation
Why: Draw each segmentation with its probability.
Pitfall: sampling
Caught by: TestSamplePath
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def sample_path(self, text, seed, alpha=1.0):
        return self.best_path(text)
