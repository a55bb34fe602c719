"""Sorted by score, the best one is easy to find.

Mistake: the pairs are not in order of first appearance
Why: In a tie the pair seen first wins, and only the order of the dictionary tells which one that is.
Pitfall: ties
Caught by: TestPairScores
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def pair_scores(self, words):
        scores = AnswerKey.pair_scores(self, words)
        return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
