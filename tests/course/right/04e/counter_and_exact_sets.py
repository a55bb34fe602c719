"""Counters of each word's pairs, and sets that lose a number as soon as the pair has gone from the word."""

from collections import Counter, defaultdict

from g2c.tokenizer.incremental import PairTables, first_place


def pairs_of(word):
    return Counter(zip(word, word[1:]))


def build_tables(word_counts):
    tables = PairTables(pair_counts=Counter(), pair_words=defaultdict(set))
    for word, frequency in word_counts.items():
        tables.words.append(list(word))
        tables.frequencies.append(frequency)
        for pair, places in pairs_of(word).items():
            tables.pair_counts[pair] += places * frequency
            tables.pair_words[pair].add(len(tables.words) - 1)
    return tables


def apply_merge(tables, pair, new_id):
    for number in sorted(tables.pair_words[pair]):
        tables.words_touched += 1
        old, new = tables.words[number], []
        position = 0
        while position < len(old):
            matches = (old[position], *old[position + 1 : position + 2]) == pair
            new.append(new_id if matches else old[position])
            position += 2 if matches else 1
        tables.words[number] = new
        before, after = pairs_of(old), pairs_of(new)
        for changed in before.keys() | after.keys():
            count = tables.pair_counts.get(changed, 0)
            count += (after[changed] - before[changed]) * tables.frequencies[number]
            if count:
                tables.pair_counts[changed] = count
            else:
                tables.pair_counts.pop(changed, None)
            if changed in after:
                tables.pair_words.setdefault(changed, set()).add(number)
            elif changed in tables.pair_words:
                tables.pair_words[changed].discard(number)
    tables.pair_words.pop(pair, None)


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    for new_id in range(first_id, first_id + num_merges):
        if not tables.pair_counts:
            return merges
        highest = max(tables.pair_counts.values())
        places = {first_place(tables, pair): pair for pair, count in tables.pair_counts.items() if count == highest}
        pair = places[min(places)]
        merges[pair] = new_id
        apply_merge(tables, pair, new_id)
    return merges
