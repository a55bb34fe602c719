"""Count out, replace, count in, remove the merged pair.

Mistake: the word's number is not put into the sets of the new pairs, so pair_words lacks them and first_place does not find them later.
"""


def apply_merge(tables, pair, new_id):
    for number in sorted(tables.pair_words.pop(pair)):
        tables.words_touched += 1
        old = tables.words[number]
        n = tables.frequencies[number]
        for key in zip(old, old[1:]):
            tables.pair_counts[key] -= n
            if tables.pair_counts[key] <= 0:
                del tables.pair_counts[key]
        new, i = [], 0
        while i < len(old):
            if tuple(old[i : i + 2]) == pair:
                new.append(new_id)
                i += 2
            else:
                new.append(old[i])
                i += 1
        tables.words[number] = new
        for key in zip(new, new[1:]):
            tables.pair_counts[key] = tables.pair_counts.get(key, 0) + n
