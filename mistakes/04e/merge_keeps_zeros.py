"""A count of 0 is as good as none.

Mistake: pairs with the count 0 stay
Why: Delete a count when it has come to 0, or the end is never reached.
Pitfall: zero-counts
Caught by: TestApplyMerge
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        old, frequency = tables.words[number], tables.frequencies[number]
        for neighbours in zip(old, old[1:]):
            tables.pair_counts[neighbours] -= frequency
        new = []
        for token_id in old:
            if new and (new[-1], token_id) == pair:
                new[-1] = new_id
            else:
                new.append(token_id)
        tables.words[number] = new
        for neighbours in zip(new, new[1:]):
            tables.pair_counts[neighbours] = tables.pair_counts.get(neighbours, 0) + frequency
            tables.pair_words.setdefault(neighbours, set()).add(number)
