"""Only words with the pair have to be changed.

Mistake: words without the pair are lost
Why: They stay as they are, and stay in the dictionary.
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
        return (
            {
                self._merge(symbols, pair): frequency
                for symbols, frequency in words.items()
                if self._merge(symbols, pair) != symbols
            },
            pair,
            counts[pair],
        )
