"""A word that occurs 5 times has each of its pairs 5 times, so I take each different pair of the word times the frequency.

Mistake: a pair that stands twice in one word is counted once, because the pairs already seen in the word are skipped.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            seen = []
            for pair in zip(symbols, symbols[1:]):
                if pair in seen:
                    continue
                seen.append(pair)
                counts[pair] = counts.get(pair, 0) + frequency
        return counts
