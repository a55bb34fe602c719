"""The change of each count added up before it is made, most_common for the highest count."""

from collections import Counter, defaultdict
from itertools import pairwise

from g2c.tokenizer.incremental import PairTables, first_place


def build_tables(word_counts):
    words, counts, places = [], Counter(), defaultdict(set)
    for number, (word, frequency) in enumerate(word_counts.items()):
        words.append([*word])
        for pair in pairwise(word):
            counts[pair] += frequency
            places[pair].add(number)
    return PairTables(words, [*word_counts.values()], dict(counts), dict(places))


def apply_merge(tables, pair, new_id):
    for number in sorted(tables.pair_words[pair]):
        tables.words_touched += 1
        word, frequency = tables.words[number], tables.frequencies[number]
        change = Counter()
        for neighbors in pairwise(word):
            change[neighbors] -= frequency
        place = 0
        while place < len(word) - 1:
            if (word[place], word[place + 1]) == pair:
                word[place : place + 2] = [new_id]
            place += 1
        for neighbors in pairwise(word):
            change[neighbors] += frequency
            tables.pair_words.setdefault(neighbors, set()).add(number)
        for neighbors, difference in change.items():
            count = tables.pair_counts.pop(neighbors, 0) + difference
            if count:
                tables.pair_counts[neighbors] = count
    del tables.pair_words[pair]


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables, merges = build_tables(word_counts), {}
    for new_id in range(first_id, first_id + num_merges):
        if not tables.pair_counts:
            break
        (_, count), *_ = Counter(tables.pair_counts).most_common(1)
        tied = {pair for pair in tables.pair_counts if tables.pair_counts[pair] == count}
        pair = min(tied, key=lambda candidate: first_place(tables, candidate)) if len(tied) > 1 else tied.pop()
        merges |= {pair: new_id}
        apply_merge(tables, pair, new_id)
    return merges
