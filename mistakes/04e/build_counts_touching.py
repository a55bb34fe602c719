"""Building looks at each word, too.

Mistake: words_touched counts the building
Why: It counts what apply_merge does.
Pitfall: only-touched
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number]
            tables.pair_words.setdefault(pair, set()).add(number)
            tables.words_touched = len(tables.words)
    return tables
