"""Each word is in the dictionary once, so each of its pairs counts once.

Mistake: each word counts once
Why: A pair's count goes up by the word's frequency for each of its places.
Pitfall: frequency
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + 1
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
