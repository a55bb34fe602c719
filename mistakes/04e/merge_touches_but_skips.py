"""I look into each word, and count only those that have the pair.

Mistake: all words are looked at
Why: pair_words[pair] says which ones can hold the pair.
Pitfall: only-touched
Caught by: TestApplyMerge
"""


def apply_merge(tables, pair, new_id):
    del tables.pair_words[pair]
    for number, word in enumerate(tables.words):
        if pair not in zip(word, word[1:]):
            continue
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
            tables.pair_counts[neighbors] = tables.pair_counts.get(neighbors, 0) + frequency
            tables.pair_words.setdefault(neighbors, set()).add(number)
