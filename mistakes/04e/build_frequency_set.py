"""Pairs are counted where they begin.

Mistake: the frequency is set and not added
Why: The same pair comes again, in this word or another: add to the count it has.
Pitfall: frequency
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.frequencies[number]
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
