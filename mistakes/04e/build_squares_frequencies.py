"""The word occurs so often, and each of its pairs as well.

Mistake: a frequency is counted twice over
Why: Add the frequency once for each place of the pair in the word.
Pitfall: frequency
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number] ** 2
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
