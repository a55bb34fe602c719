"""Per word: its different pairs, each with the word's frequency.

Mistake: a pair that occurs twice in a word counts only once.
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables()
    for number, (word, n) in enumerate(word_counts.items()):
        tables.words.append(list(word))
        tables.frequencies.append(n)
        for pair in dict.fromkeys(zip(word, word[1:])):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + n
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables
