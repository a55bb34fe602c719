"""I work from the end to the front, so that the places before it stay valid.

Mistake: the pair is replaced from right to left
Why: In l l l the left two become one.
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
        new, position = list(old), len(old) - 2
        while position >= 0:
            if (new[position], new[position + 1]) == pair:
                new[position : position + 2] = [new_id]
                position -= 1
            position -= 1
        tables.words[number] = new
        for neighbors in zip(new, new[1:]):
            tables.pair_counts[neighbors] = tables.pair_counts.get(neighbors, 0) + frequency
            tables.pair_words.setdefault(neighbors, set()).add(number)
