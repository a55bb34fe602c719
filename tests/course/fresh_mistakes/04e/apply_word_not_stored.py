"""I take the word out of the table, replace the pair in it, and count its new pairs.

Mistake: the new word is bound to a local name only, tables.words keeps the old one.
"""


def apply_merge(tables, pair, new_id):
    numbers = tables.pair_words.pop(pair)
    for number in numbers:
        tables.words_touched += 1
        word = tables.words[number]
        freq = tables.frequencies[number]
        for p in zip(word, word[1:]):
            tables.pair_counts[p] -= freq
            if tables.pair_counts[p] == 0:
                tables.pair_counts.pop(p)
        merged = []
        i = 0
        while i < len(word):
            if i < len(word) - 1 and word[i] == pair[0] and word[i + 1] == pair[1]:
                merged.append(new_id)
                i += 2
            else:
                merged.append(word[i])
                i += 1
        word = merged
        for p in zip(word, word[1:]):
            tables.pair_counts[p] = tables.pair_counts.get(p, 0) + freq
            tables.pair_words.setdefault(p, set()).add(number)
