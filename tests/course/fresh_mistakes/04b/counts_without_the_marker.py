"""The end-of-word marker is not a letter, so I leave it out of the pairs.

Mistake: pairs with the marker are not counted, so it can never be merged.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, n in words.items():
            for a, b in zip(symbols, symbols[1:]):
                if b != self.end_of_word:
                    counts[a, b] = counts.get((a, b), 0) + n
        return counts
