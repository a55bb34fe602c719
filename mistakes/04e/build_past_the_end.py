"""I go through all positions and look at the ID there and the one after it.

Mistake: a neighbor is looked for after the last ID
Why: n IDs have n - 1 pairs: zip(word, word[1:]) stops in time.
Pitfall: words
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    for number, word in enumerate(tables.words):
        for position in range(len(word)):
            pair = word[position], word[position + 1]
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number]
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
