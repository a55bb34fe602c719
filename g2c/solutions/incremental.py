"""Answer key of module 04e. What each function takes and returns is documented in g2c/tokenizer/incremental.py."""

from g2c.tokenizer.incremental import PairTables, first_place


def build_tables(word_counts):
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    for number, word in enumerate(tables.words):
        for pair in zip(word, word[1:]):
            tables.pair_counts[pair] = tables.pair_counts.get(pair, 0) + tables.frequencies[number]
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        old, frequency = tables.words[number], tables.frequencies[number]
        for neighbors in zip(old, old[1:]):
            tables.pair_counts[neighbors] -= frequency
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
            tables.pair_words.setdefault(neighbors, set()).add(number)


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while len(merges) < num_merges and tables.pair_counts:
        highest = max(tables.pair_counts.values())
        # Only the pairs with the highest count are searched for in the words.
        tied = [pair for pair, count in tables.pair_counts.items() if count == highest]
        pair = min(tied, key=lambda candidate: first_place(tables, candidate))
        merges[pair] = first_id + len(merges)
        apply_merge(tables, pair, merges[pair])
    return merges
