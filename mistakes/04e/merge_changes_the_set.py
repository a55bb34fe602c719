"""When a word is done I take its number out of the set.

Mistake: a set is changed while it is gone through
Why: pair_words.pop(pair) takes it out, and nobody changes it.
Pitfall: pair-words
Caught by: TestApplyMerge
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words[pair]:
        tables.words_touched += 1
        tables.pair_words[pair].discard(number)
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
