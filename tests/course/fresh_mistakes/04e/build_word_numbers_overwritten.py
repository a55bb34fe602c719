"""Each pair points to a set with the number of its word.

Mistake: a new set is assigned at each word, so only the last word that contains the pair is listed.
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables()
    for word, freq in word_counts.items():
        number = len(tables.words)
        tables.words.append(list(word))
        tables.frequencies.append(freq)
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + freq
            tables.pair_words[pair] = {number}
    return tables
