"""The old pairs lose the word, and the pairs with the new ID get it.

Mistake: pairs of the word that did not change lose its number.
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        old, frequency = tables.words[number], tables.frequencies[number]
        for neighbors in zip(old, old[1:]):
            tables.pair_counts[neighbors] -= frequency
            tables.pair_words.get(neighbors, set()).discard(number)
            if tables.pair_counts[neighbors] == 0:
                del tables.pair_counts[neighbors]
        new = []
        for token_id in old:
            # A merged token is new_id, which is not part of the pair: it cannot be merged again.
            if new and (new[-1], token_id) == pair:
                new[-1] = new_id
            else:
                new.append(token_id)
        tables.words[number] = new
        # Recounting the whole word is correct for overlapping pairs too.
        for neighbors in zip(new, new[1:]):
            tables.pair_counts[neighbors] = tables.pair_counts.get(neighbors, 0) + frequency
            if new_id in neighbors:
                tables.pair_words.setdefault(neighbors, set()).add(number)
