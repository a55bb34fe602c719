"""A word of one byte has no pair, so I leave it out.

Mistake: words without a pair have no number
Why: All words keep their numbers, whether they have pairs or not.
Pitfall: words
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    word_counts = {word: count for word, count in word_counts.items() if len(word) > 1}
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number]
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
