"""Tables that are made once can be filled again and again.

Mistake: something from an earlier call is still there
Why: Make new PairTables inside the function, in every call.
Pitfall: words
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables

TABLES = PairTables()


def build_tables(word_counts):
    for word, frequency in word_counts.items():
        number = len(TABLES.words)
        TABLES.words.append(list(word))
        TABLES.frequencies.append(frequency)
        for pair in zip(word, word[1:]):
            TABLES.pair_counts[pair] = TABLES.pair_counts.get(pair, 0) + frequency
            TABLES.pair_words.setdefault(pair, set()).add(number)
    return TABLES
