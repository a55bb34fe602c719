"""A new token gets the ID of the length of the vocabulary.

Mistake: only token_to_id gets the new token; id_to_token does not.
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        scores = self.pair_scores(words)
        if not scores:
            return None
        best = max(scores, key=lambda p: scores[p])
        self.token_to_id[best[0] + best[1][2:]] = len(self.token_to_id)
        return {self.join_symbols(w, best): n for w, n in words.items()}, best, scores[best]
