"""A set of the word's pairs, so that I visit each pair once.

Mistake: a pair that occurs twice in a word is counted once
Why: Subtract and add the frequency once for each occurrence, so go through all pairs of neighbors.
Pitfall: overlap
Caught by: TestApplyMerge
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        old, frequency = tables.words[number], tables.frequencies[number]
        for neighbors in set(zip(old, old[1:])):
            tables.pair_counts[neighbors] -= frequency
            if tables.pair_counts[neighbors] <= 0:
                del tables.pair_counts[neighbors]
        new = []
        for token_id in old:
            if new and (new[-1], token_id) == pair:
                new[-1] = new_id
            else:
                new.append(token_id)
        tables.words[number] = new
        for neighbors in set(zip(new, new[1:])):
            tables.pair_counts[neighbors] = tables.pair_counts.get(neighbors, 0) + frequency
            tables.pair_words.setdefault(neighbors, set()).add(number)
