"""The first word has the number 1.

Mistake: the words are numbered from 1
Why: The first word has the number 0: it is its place in tables.words.
Pitfall: pair-words
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number]
            tables.pair_words.setdefault(pair, set()).add(number + 1)
    return tables
