"""Put the merged word in the dictionary and take the old one out.

Mistake: the dictionary that was passed is changed
Why: Build a new dictionary and return that.
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
        for symbols in list(words):
            words[self._merge(symbols, pair)] = words.pop(symbols)
        return words, pair, counts[pair]
