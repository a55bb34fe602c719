"""What is used least is missed least.

Mistake: only the count decides
Why: Multiply the count by what it costs to write the token's text without it.
Pitfall: removal
Caught by: TestRemovalLosses
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def removal_losses(self, words):
        counts = {}
        for word, frequency in words.items():
            for token in self.best_path(word):
                counts[token] = counts.get(token, 0) + frequency
        losses = {}
        for token in self.scores:
            if token != self.unk_token and len(token) > 1:
                losses[token] = float(counts.get(token, 0))
        return losses
