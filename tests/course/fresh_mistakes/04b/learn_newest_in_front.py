"""The newest merge is the most specific, so it goes to the front.

Mistake: merges is in reverse order of learning.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        best = max(counts, key=counts.get)
        self.merges.insert(0, best)
        return {self._merge(w, best): n for w, n in words.items()}, best, counts[best]
