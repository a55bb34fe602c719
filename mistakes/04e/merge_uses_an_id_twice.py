"""For each position I look whether the pair begins there.

Mistake: an ID is used in two pairs
Why: What went into one pair is used up.
Pitfall: overlap
Caught by: TestApplyMerge
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        old, frequency = tables.words[number], tables.frequencies[number]
        for neighbors in zip(old, old[1:]):
            tables.pair_counts[neighbors] -= frequency
            if tables.pair_counts[neighbors] == 0:
                del tables.pair_counts[neighbors]
        places = [place for place in range(len(old) - 1) if (old[place], old[place + 1]) == pair]
        new = [new_id if i in places else old[i] for i in range(len(old)) if i in places or i - 1 not in places]
        tables.words[number] = new
        for neighbors in zip(new, new[1:]):
            tables.pair_counts[neighbors] = tables.pair_counts.get(neighbors, 0) + frequency
            tables.pair_words.setdefault(neighbors, set()).add(number)
