"""bytes behave like a list of ints: word[0] is an int and zip works too.

Mistake: words holds bytes objects and not lists; they do not compare equal to lists and cannot take IDs above 255.
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables()
    tables.words = list(word_counts.keys())
    tables.frequencies = list(word_counts.values())
    for i, word in enumerate(tables.words):
        for j in range(len(word) - 1):
            pair = (word[j], word[j + 1])
            if pair not in tables.pair_counts:
                tables.pair_counts[pair] = 0
                tables.pair_words[pair] = set()
            tables.pair_counts[pair] += tables.frequencies[i]
            tables.pair_words[pair].add(i)
    return tables
