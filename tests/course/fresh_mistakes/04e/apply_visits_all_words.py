"""I go over the words and do the work in each one; where the pair isn't in there nothing changes.

Mistake: all words are looked at and counted in words_touched, not only those in pair_words[pair].
"""


def apply_merge(tables, pair, new_id):
    for number, word in enumerate(tables.words):
        tables.words_touched += 1
        freq = tables.frequencies[number]
        for p in zip(word, word[1:]):
            tables.pair_counts[p] -= freq
            if tables.pair_counts[p] == 0:
                del tables.pair_counts[p]
        merged, i = [], 0
        while i < len(word):
            if tuple(word[i : i + 2]) == pair:
                merged.append(new_id)
                i += 2
            else:
                merged.append(word[i])
                i += 1
        tables.words[number] = merged
        for p in zip(merged, merged[1:]):
            tables.pair_counts[p] = tables.pair_counts.get(p, 0) + freq
            tables.pair_words.setdefault(p, set()).add(number)
    del tables.pair_words[pair]
