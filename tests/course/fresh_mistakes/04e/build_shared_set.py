"""I filled both dictionaries with fromkeys first and then counted.

Mistake: dict.fromkeys gives every pair one and the same set object, so each pair lists all words.
"""

from g2c.tokenizer.incremental import PairTables


def build_tables(word_counts):
    words = [list(word) for word in word_counts]
    frequencies = list(word_counts.values())
    pairs = [pair for word in words for pair in zip(word, word[1:])]
    pair_counts = dict.fromkeys(pairs, 0)
    pair_words = dict.fromkeys(pairs, set())
    for number, word in enumerate(words):
        for pair in zip(word, word[1:]):
            pair_counts[pair] += frequencies[number]
            pair_words[pair].add(number)
    return PairTables(words, frequencies, pair_counts, pair_words)
