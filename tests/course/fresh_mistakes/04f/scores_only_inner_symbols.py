"""A symbol can only be counted where it has a right neighbor; the last one I count as a right one.

Mistake: symbols are counted as left or right of a pair, so words of one symbol are missing and inner ones count twice.
"""

from collections import Counter

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def pair_scores(self, words):
        left, right, double = Counter(), Counter(), Counter()
        for w, n in words.items():
            for a, b in zip(w, w[1:]):
                double[a, b] += n
                left[a] += n
                right[b] += n
        return {(a, b): n / (left[a] * right[b]) for (a, b), n in double.items()}
