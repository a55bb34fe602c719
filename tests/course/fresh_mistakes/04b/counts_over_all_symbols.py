"""All symbols in one list, then zip.

Mistake: the last symbol of a word and the first of the next are counted as a pair.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        line = []
        for symbols, n in words.items():
            for _ in range(n):
                line.extend(symbols)
        counts = {}
        for pair in zip(line, line[1:]):
            counts[pair] = counts.get(pair, 0) + 1
        return counts
