"""I take each word out and put the merged one in.

Mistake: the caller's dictionary is changed.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        # max returns the first of several maxima, and the counts are in order of first appearance.
        pair = max(counts, key=counts.get)
        self.merges.append(pair)
        for symbols in list(words):
            words[self._merge(symbols, pair)] = words.pop(symbols)
        return words, pair, counts[pair]
