"""The set belongs to the pair, and nobody asks for it again.

Mistake: the merged pair still has words
Why: It stands nowhere any more: pop it.
Pitfall: pair-words
Caught by: TestApplyMerge
"""


def apply_merge(tables, pair, new_id):
    for number in list(tables.pair_words[pair]):
        tables.words_touched += 1
        old, frequency = tables.words[number], tables.frequencies[number]
        for neighbours in zip(old, old[1:]):
            tables.pair_counts[neighbours] -= frequency
            if tables.pair_counts[neighbours] == 0:
                del tables.pair_counts[neighbours]
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
