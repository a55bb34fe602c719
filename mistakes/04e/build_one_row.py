"""I put all words one after the other and count the pairs of the whole.

Mistake: pairs reach from one word into the next
Why: Each word is counted by itself.
Pitfall: words
Caught by: TestBuildTables
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    before = None
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number]
            tables.pair_words.setdefault(pair, set()).add(number)
        if before is not None and len(word) == len(tables.words[number - 1]) == 2:
            pair = before, word[0]
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number]
        before = word[-1] if word else None
    return tables
