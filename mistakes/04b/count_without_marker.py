"""The marker is no part of the word.

Mistake: the marker is left out
Why: It is a symbol like any other: low_ and lower_ differ by it.
Pitfall: across-words
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for w, f in words.items():
            for p in zip(w, w[1:]):
                if self.end_of_word not in p:
                    counts[p] = counts.get(p, 0) + f
        return counts
