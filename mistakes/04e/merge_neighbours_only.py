"""Each replaced pair takes away the pairs to its left and right, and brings two new ones.

Mistake: the counts are wrong where pairs overlap
Why: Count out the whole old word and count in the whole new one.
Pitfall: overlap
Caught by: TestApplyMerge
"""


def apply_merge(tables, pair, new_id):
    counts = tables.pair_counts

    def add(left, right, change):
        counts[left, right] = counts.get((left, right), 0) + change

    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        old, frequency = tables.words[number], tables.frequencies[number]
        new, place = [], 0
        while place < len(old):
            if tuple(old[place : place + 2]) == pair:
                add(*pair, -frequency)
                if place > 0:
                    add(old[place - 1], pair[0], -frequency)
                    add(old[place - 1], new_id, frequency)
                if place + 2 < len(old):
                    add(pair[1], old[place + 2], -frequency)
                    add(new_id, old[place + 2], frequency)
                new.append(new_id)
                place += 2
            else:
                new.append(old[place])
                place += 1
        tables.words[number] = new
        for neighbors in zip(new, new[1:]):
            tables.pair_words.setdefault(neighbors, set()).add(number)
    for key in [key for key, count in counts.items() if count == 0]:
        del counts[key]
