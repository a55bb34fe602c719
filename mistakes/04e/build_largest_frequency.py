"""The pair is as frequent as the word it stands in.

Mistake: only the most frequent of the words counts
Why: Add up the frequencies of all words with the pair.
Pitfall: frequency
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = max(tables.pair_counts.get(pair, 0), tables.frequencies[number])
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
