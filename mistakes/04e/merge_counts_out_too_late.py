"""First the new word, then its old pairs out and its new pairs in.

Mistake: the new word is counted out
Why: Count the old word out before tables.words holds the new one.
Pitfall: count-in-and-out
Caught by: TestApplyMerge
"""

def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        word, n = tables.words[number], tables.frequencies[number]
        new, i = [], 0
        while i < len(word):
            if tuple(word[i : i + 2]) == pair:
                new.append(new_id)
                i += 2
            else:
                new.append(word[i])
                i += 1
        tables.words[number] = new
        for p in zip(tables.words[number], tables.words[number][1:]):
            tables.pair_counts[p] = tables.pair_counts.get(p, 0) - n
            if tables.pair_counts[p] == 0:
                del tables.pair_counts[p]
        for p in zip(new, new[1:]):
            tables.pair_counts[p] = tables.pair_counts.get(p, 0) + n
            tables.pair_words.setdefault(p, set()).add(number)
