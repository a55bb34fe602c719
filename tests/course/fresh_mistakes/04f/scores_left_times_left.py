"""freq / (count of a * count of b), typed too fast.

Mistake: the left symbol's count is used twice.
"""

from collections import Counter

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def pair_scores(self, words):
        single, double = Counter(), Counter()
        for w, n in words.items():
            for s in w:
                single[s] += n
            for a, b in zip(w, w[1:]):
                double[a, b] += n
        return {(a, b): n / (single[a] * single[a]) for (a, b), n in double.items()}
