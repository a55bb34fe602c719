"""The pairs of the old word have lost this word.

Mistake: a word is missing from a pair that it holds
Why: Take out a number only when the pair has gone from the word.
Pitfall: pair-words
Caught by: TestApplyMerge
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
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
        for neighbours in zip(old, old[1:]):
            tables.pair_words.get(neighbours, set()).discard(number)
