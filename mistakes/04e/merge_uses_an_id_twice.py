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
        for neighbours in zip(old, old[1:]):
            tables.pair_counts[neighbours] -= frequency
            if tables.pair_counts[neighbours] == 0:
                del tables.pair_counts[neighbours]
        places = [place for place in range(len(old) - 1) if (old[place], old[place + 1]) == pair]
        new = [new_id if i in places else old[i] for i in range(len(old)) if i in places or i - 1 not in places]
        tables.words[number] = new
        for neighbours in zip(new, new[1:]):
            tables.pair_counts[neighbours] = tables.pair_counts.get(neighbours, 0) + frequency
            tables.pair_words.setdefault(neighbours, set()).add(number)
