"""merges += pair appends the pair to the list.

Mistake: += with a tuple extends the list by the two strings, not by the pair; the setter then refuses them with a ValueError.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if len(counts) == 0:
            return None
        best = max(counts, key=counts.get)
        self.merges += best
        return {self._merge(w, best): n for w, n in words.items()}, best, counts[best]
