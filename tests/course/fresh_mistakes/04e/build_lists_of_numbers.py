"""For every pair, a list of the words that it is in.

Mistake: pair_words holds lists, in which a number stands twice when the pair is in the word twice; sets were asked for.
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables()
    for number, (word, n) in enumerate(word_counts.items()):
        tables.words.append(list(word))
        tables.frequencies.append(n)
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + n
            tables.pair_words.setdefault(pair, []).append(number)
    return tables
