"""Remove the word's pairs from the counts.

Mistake: 1 is subtracted for each pair and not the word's frequency.
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        word, n = tables.words[number], tables.frequencies[number]
        for p in zip(word, word[1:]):
            tables.pair_counts[p] -= 1
            if tables.pair_counts[p] == 0:
                del tables.pair_counts[p]
        new, i = [], 0
        while i < len(word):
            if tuple(word[i : i + 2]) == pair:
                new.append(new_id)
                i += 2
            else:
                new.append(word[i])
                i += 1
        tables.words[number] = new
        for p in zip(new, new[1:]):
            tables.pair_counts[p] = tables.pair_counts.get(p, 0) + n
            tables.pair_words.setdefault(p, set()).add(number)
