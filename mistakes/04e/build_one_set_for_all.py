"""dict.fromkeys makes an entry for each pair at once.

Mistake: all pairs share one set
Why: dict.fromkeys(pairs, set()) uses the same set as every value: create one set for each pair.
Pitfall: pair-words
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    tables.pair_words = dict.fromkeys((pair for word in tables.words for pair in zip(word, word[1:])), set())
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number]
            tables.pair_words[pair].add(number)
    return tables
