"""In l l l the middle l can only be used once.

Mistake: overlapping pairs are skipped while counting
Why: Every two neighbors count; only joining uses a symbol up.
Pitfall: overlap
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            last = None
            for place, pair in enumerate(zip(symbols, symbols[1:])):
                if pair[0] == pair[1] and last == (pair, place - 1):
                    last = None
                    continue
                last = pair, place
                counts[pair] = counts.get(pair, 0) + frequency
        return counts
