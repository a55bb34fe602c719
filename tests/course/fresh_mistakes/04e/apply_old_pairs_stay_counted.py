"""Replace the pair, delete its count, add the new pairs.

Mistake: only the merged pair's own count is removed; the old neighbors stay counted.
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        word, n = tables.words[number], tables.frequencies[number]
        new, i = [], 0
        while i < len(word):
            if tuple(word[i : i + 2]) == pair:
                new.append(new_id)
                i += 2
            else:
                new.append(word[i])
                i += 1
        tables.words[number] = new
        for p in zip(new, new[1:]):
            if new_id in p:
                tables.pair_counts[p] = tables.pair_counts.get(p, 0) + n
                tables.pair_words.setdefault(p, set()).add(number)
    del tables.pair_counts[pair]
