"""What is replaced is taken out of the counts.

Mistake: the new pairs are not counted in
Why: Add the frequency for each pair of the new word.
Pitfall: count-in-and-out
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
        new = []
        for token_id in old:
            if new and (new[-1], token_id) == pair:
                new[-1] = new_id
            else:
                new.append(token_id)
        tables.words[number] = new
        for neighbors in zip(new, new[1:]):
            tables.pair_words.setdefault(neighbors, set()).add(number)
