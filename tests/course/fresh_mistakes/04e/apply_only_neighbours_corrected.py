"""Only the pairs left and right of each replacement change, so I correct just those, which is faster.

Mistake: where two replacements stand next to each other, as in "aaaa" or "abab", the pair between them is counted out twice, and (new_id, a) and (a, new_id) are left in the counts in place of (new_id, new_id).
"""


def apply_merge(tables, pair, new_id):
    def add(key, amount, number):
        tables.pair_counts[key] = tables.pair_counts.get(key, 0) + amount
        if tables.pair_counts[key] <= 0:
            del tables.pair_counts[key]
        elif amount > 0:
            tables.pair_words.setdefault(key, set()).add(number)

    for number in tables.pair_words[pair]:
        tables.words_touched += 1
        word, freq = tables.words[number], tables.frequencies[number]
        new, i = [], 0
        while i < len(word):
            if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
                if i > 0:
                    add((word[i - 1], word[i]), -freq, number)
                    add((word[i - 1], new_id), freq, number)
                if i + 2 < len(word):
                    add((word[i + 1], word[i + 2]), -freq, number)
                    add((new_id, word[i + 2]), freq, number)
                new.append(new_id)
                i += 2
            else:
                new.append(word[i])
                i += 1
        tables.words[number] = new
    tables.pair_counts.pop(pair, None)
    del tables.pair_words[pair]
