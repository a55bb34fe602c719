"""Running maximum with >=, as I always write it.

Mistake: with >= a later pair with the same count replaces the earlier one, so the last among equals is taken.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        best, best_count = None, 0
        for pair, count in counts.items():
            if count >= best_count:
                best, best_count = pair, count
        if best is None:
            return None
        self.merges.append(best)
        merged = {}
        for word, freq in words.items():
            merged[self._merge(word, best)] = freq
        return merged, best, best_count
