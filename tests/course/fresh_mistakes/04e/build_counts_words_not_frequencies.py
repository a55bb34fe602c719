"""For each pair in a word add one. The frequencies are kept in their own list anyway.

Mistake: pair_counts gets 1 for each place and not the word's frequency.
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables()
    for number, (word, frequency) in enumerate(word_counts.items()):
        ids = list(word)
        tables.words.append(ids)
        tables.frequencies.append(frequency)
        for pair in zip(ids, ids[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + 1
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
