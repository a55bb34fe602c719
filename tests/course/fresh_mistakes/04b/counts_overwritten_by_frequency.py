"""The count of a pair is the frequency of the word in which it stands.

Mistake: the frequency is assigned and not added, so the last word with the pair wins and repeats are lost.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, freq in words.items():
            for a, b in zip(symbols, symbols[1:]):
                counts[(a, b)] = freq
        return counts
