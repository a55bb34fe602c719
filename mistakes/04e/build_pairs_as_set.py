"""The frequency tells how often the word occurs, so each pair of it counts that often.

Mistake: a pair counts once a word
Why: Each of its places in the word counts: do not make a set of the pairs.
Pitfall: frequency
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    for number, word in enumerate(tables.words):
        for pair in set(zip(word, word[1:])):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number]
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
