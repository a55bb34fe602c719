"""When a word is counted I return the counts.

Mistake: the function returns inside the loop
Why: The return statement belongs after the loop: indented one level deeper, it ends the function in the first round.
Pitfall: frequency
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for pair in zip(symbols, symbols[1:]):
                counts[pair] = counts.get(pair, 0) + frequency
            return counts
        return counts
