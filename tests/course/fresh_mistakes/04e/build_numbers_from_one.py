"""Word number 1 is the first.

Mistake: the words are numbered from 1 in pair_words.
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables()
    for number, (word, n) in enumerate(word_counts.items(), start=1):
        tables.words.append(list(word))
        tables.frequencies.append(n)
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + n
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
