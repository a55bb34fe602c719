"""Join it in every word that contains it.

Mistake: words in which the pair does not stand are missing from the returned dictionary.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        self.merges.append(pair)
        new_words = {}
        for symbols, frequency in words.items():
            merged = self._merge(symbols, pair)
            if merged != symbols:
                new_words[merged] = frequency
        return new_words, pair, counts[pair]
