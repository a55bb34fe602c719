"""Without the token the word has another best path, and the difference between the two is the loss.

Mistake: the words are split anew, not the token
Why: Step 2 asks what it costs to write the text of the token itself in other tokens.
Pitfall: removal
Caught by: TestRemovalLosses
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def removal_losses(self, words):
        losses = {}
        for token in self.scores:
            if token == self.unk_token or len(token) == 1:
                continue
            losses[token] = 0.0
            for word, frequency in words.items():
                loss = self.segmentation_loss(self.best_path(word))
                losses[token] += frequency * (self.segmentation_loss(self.best_path(word, without=token)) - loss)
        return losses
