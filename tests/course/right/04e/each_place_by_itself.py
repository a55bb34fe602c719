"""Updates only the counts around each replaced place, with the neighbors as they are at that moment."""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        old, f = tables.words[number], tables.frequencies[number]

        def change(p, by):
            tables.pair_counts[p] = tables.pair_counts.get(p, 0) + by
            if tables.pair_counts[p] <= 0:
                del tables.pair_counts[p]
            if by > 0:
                tables.pair_words.setdefault(p, set()).add(number)

        new, i = [], 0
        while i < len(old):
            if i + 1 < len(old) and (old[i], old[i + 1]) == pair:
                change(pair, -f)
                if new:
                    change((new[-1], old[i]), -f)
                    change((new[-1], new_id), f)
                if i + 2 < len(old):
                    change((old[i + 1], old[i + 2]), -f)
                    change((new_id, old[i + 2]), f)
                new.append(new_id)
                i += 2
            else:
                new.append(old[i])
                i += 1
        tables.words[number] = new
