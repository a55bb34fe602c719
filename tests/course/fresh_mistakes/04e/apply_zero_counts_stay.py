"""Subtract the frequency for each pair of the old word, add it for each of the new.

Mistake: counts that fall to 0 are not removed from pair_counts.
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words[pair]:
        tables.words_touched += 1
        word = tables.words[number]
        frequency = tables.frequencies[number]
        for i in range(len(word) - 1):
            tables.pair_counts[(word[i], word[i + 1])] -= frequency
        new_word = []
        i = 0
        while i < len(word):
            if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
                new_word.append(new_id)
                i += 2
            else:
                new_word.append(word[i])
                i += 1
        tables.words[number] = new_word
        for p in zip(new_word, new_word[1:]):
            tables.pair_counts[p] = tables.pair_counts.get(p, 0) + frequency
            tables.pair_words.setdefault(p, set()).add(number)
    del tables.pair_words[pair]
