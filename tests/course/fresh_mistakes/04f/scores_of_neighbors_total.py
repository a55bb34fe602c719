"""The score is the share of the pair among all pairs.

Mistake: the count is divided by the number of all pairs, not by the product of the symbols' counts.
"""

from collections import Counter

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def pair_scores(self, words):
        pairs = Counter()
        for symbols, n in words.items():
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] += n
        total = sum(pairs.values())
        return {pair: n / total for pair, n in pairs.items()}
