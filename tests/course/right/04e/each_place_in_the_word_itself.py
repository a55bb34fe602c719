"""Shortens each word in place, updates the counts around each place, and deletes the merged pair's count at the end."""


def apply_merge(tables, pair, new_id):
    counts = tables.pair_counts

    def change(left, right, by, number):
        counts[left, right] = counts.get((left, right), 0) + by
        tables.pair_words.setdefault((left, right), set()).add(number)

    for number in sorted(tables.pair_words[pair]):
        tables.words_touched += 1
        word, f = tables.words[number], tables.frequencies[number]
        i = 0
        while i < len(word) - 1:
            if (word[i], word[i + 1]) == pair:
                if i > 0:
                    change(word[i - 1], word[i], -f, number)
                    change(word[i - 1], new_id, f, number)
                if i + 2 < len(word):
                    change(word[i + 1], word[i + 2], -f, number)
                    change(new_id, word[i + 2], f, number)
                word[i : i + 2] = [new_id]
            i += 1
    del counts[pair], tables.pair_words[pair]
    tables.pair_counts = {key: count for key, count in counts.items() if count > 0}
