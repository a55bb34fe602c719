"""The pair is learned; joining comes later.

Mistake: the words come back unmerged
Why: Join the pair in every word, and return those.
Pitfall: words-back
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        self.merges.append(pair)
        return dict(words), pair, counts[pair]
