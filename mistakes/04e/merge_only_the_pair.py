"""Only the merged pair is gone, so I delete its count.

Mistake: only the merged pair loses its count
Why: Its neighbors change too: (o, w) is gone when lo is one token.
Pitfall: count-in-and-out
Caught by: TestApplyMerge
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        old, frequency = tables.words[number], tables.frequencies[number]
        tables.pair_counts.pop(pair, None)
        new = []
        for token_id in old:
            if new and (new[-1], token_id) == pair:
                new[-1] = new_id
            else:
                new.append(token_id)
        tables.words[number] = new
        for neighbors in zip(new, new[1:]):
            tables.pair_words.setdefault(neighbors, set()).add(number)
