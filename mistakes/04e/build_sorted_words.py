"""Frequent words first.

Mistake: the words are in another order
Why: Number them in the order of the dictionary: ties are decided by it.
Pitfall: words
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in sorted(word_counts, key=word_counts.get, reverse=True)], frequencies=sorted(word_counts.values(), reverse=True))
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number]
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
