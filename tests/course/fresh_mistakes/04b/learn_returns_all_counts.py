"""Return the words, the pair and the counts.

Mistake: the whole dictionary of counts is returned where the count of the pair belongs.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        best = max(counts, key=counts.get)
        self.merges.append(best)
        return {self._merge(w, best): n for w, n in words.items()}, best, counts
