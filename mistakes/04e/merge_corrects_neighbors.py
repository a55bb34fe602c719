"""At each place of the pair, its neighbors lose a count and the new ID gains one.

Mistake: the counts are wrong where pairs overlap
Why: In a run such as l l l l, neighboring places share a pair: count out the whole old word, and count in the whole new one.
Pitfall: overlap
Caught by: TestApplyMerge
"""

def apply_merge(tables, pair, new_id):
    def change(neighbors, number):
        tables.pair_counts[neighbors] = tables.pair_counts.get(neighbors, 0) + number
        if tables.pair_counts[neighbors] == 0:
            del tables.pair_counts[neighbors]

    for number in sorted(tables.pair_words.pop(pair)):
        tables.words_touched += 1
        old, new, frequency = tables.words[number], [], tables.frequencies[number]
        position = 0
        while position < len(old):
            if tuple(old[position : position + 2]) != pair:
                new.append(old[position])
                position += 1
                continue
            change(pair, -frequency)
            if new:
                change((old[position - 1], pair[0]), -frequency)
                change((new[-1], new_id), frequency)
                tables.pair_words.setdefault((new[-1], new_id), set()).add(number)
            if position + 2 < len(old):
                change((pair[1], old[position + 2]), -frequency)
                change((new_id, old[position + 2]), frequency)
                tables.pair_words.setdefault((new_id, old[position + 2]), set()).add(number)
            new.append(new_id)
            position += 2
        tables.words[number] = new
