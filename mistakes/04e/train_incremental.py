"""Wrong solutions of train_incremental."""

from g2c.course.diagnosis.bank import mistake
from g2c.solutions.incremental import apply_merge, build_tables
from g2c.solutions.incremental import train_incremental as answer_key
from g2c.tokenizer.incremental import first_place


@mistake(
    "first_place is asked for pairs that cannot win",
    why="Collect the pairs with the highest count first.",
    pitfall="ties",
    group="TestWork",
)
def train_asks_for_all_places(word_counts, num_merges, *, first_id=256):
    """Sorted by count and place, the best pair comes first."""
    tables = build_tables(word_counts)
    merges = {}
    while len(merges) < num_merges and tables.pair_counts:
        counts = tables.pair_counts
        pair = min(counts, key=lambda candidate: (-counts[candidate], first_place(tables, candidate)))
        merges[pair] = first_id + len(merges)
        apply_merge(tables, pair, merges[pair])
    return merges


@mistake(
    "the tables are built again for each merge",
    why="Rebuilding counts everything anew: apply_merge keeps the tables up to date.",
    pitfall="only-touched",
    group="TestWork",
)
def train_builds_again(word_counts, num_merges, *, first_id=256):
    """After each merge I build the tables anew, so that they are right for sure."""
    merges = {}
    while True:
        tables = build_tables(word_counts)
        for pair, new_id in merges.items():
            apply_merge(tables, pair, new_id)
        if len(merges) >= num_merges or not tables.pair_counts:
            return merges
        highest = max(tables.pair_counts.values())
        tied = [pair for pair, count in tables.pair_counts.items() if count == highest]
        pair = min(tied, key=lambda candidate: first_place(tables, candidate))
        merges[pair] = first_id + len(merges)


@mistake(
    "apply_merge is not called",
    why="train_incremental is the loop around build_tables and apply_merge: each merge has to be applied.",
    pitfall="only-touched",
)
def train_forgets_to_merge(word_counts, num_merges, *, first_id=256):
    """The loop takes the best pair, again and again."""
    tables = build_tables(word_counts)
    ranked = sorted(tables.pair_counts, key=lambda pair: (-tables.pair_counts[pair], first_place(tables, pair)))
    return {pair: first_id + number for number, pair in enumerate(ranked[:num_merges])}


@mistake(
    "a tie is decided in another way",
    why="Among the pairs with the highest count, the one with the lowest first_place wins.",
    pitfall="ties",
    change={"min(tied, key=lambda candidate: first_place(tables, candidate))": "max(tied)"},
)
def train_highest_pair():
    """Of equal counts, max takes the larger pair."""


@mistake(
    "keys and values of the merges are swapped",
    why="The pair is the key, the new ID the value.",
    pitfall="first-id",
    change={
        "merges[pair] = first_id + len(merges)": "merges[first_id + len(merges)] = pair",
        "apply_merge(tables, pair, merges[pair])": "apply_merge(tables, pair, first_id + len(merges) - 1)",
    },
)
def train_ids_as_keys():
    """A dictionary from the new ID to its pair reads well."""


@mistake(
    "the first merge is 256 whatever first_id says",
    why="IDs begin with first_id.",
    pitfall="first-id",
    change={"merges[pair] = first_id + len(merges)": "merges[pair] = 256 + len(merges)"},
)
def train_ids_from_256():
    """The first merge is 256."""


@mistake(
    "a tie is decided in another way",
    why="Among the pairs with the highest count, the one with the lowest first_place wins.",
    pitfall="ties",
    change={"min(tied, key=lambda candidate: first_place(tables, candidate))": "tied[-1]"},
)
def train_last_of_equals():
    """Of equal counts the last one wins, because >= is true for it."""


@mistake(
    "the maximum of no counts is taken",
    why="max of an empty dictionary raises an error: check first whether a pair is left.",
    pitfall="no-pair-left",
    change={"while len(merges) < num_merges and tables.pair_counts:": "while len(merges) < num_merges:"},
)
def train_max_of_nothing():
    """The loop runs num_merges times."""


@mistake(
    "a tie goes to the older key of pair_counts",
    why="A new pair may come before it in the corpus: compare by first_place.",
    pitfall="ties",
    change={"min(tied, key=lambda candidate: first_place(tables, candidate))": "tied[0]"},
)
def train_max_with_get():
    """max over the dictionary takes the first of equals, as in module 04."""


@mistake(
    "one merge is learned although none is wanted",
    why="num_merges may be 0: ask before the first merge.",
    pitfall="no-pair-left",
)
def train_one_at_least(word_counts, num_merges, *, first_id=256):
    """I merge, and then ask whether there are enough merges."""
    tables = build_tables(word_counts)
    merges = {}
    while tables.pair_counts:
        highest = max(tables.pair_counts.values())
        tied = [pair for pair, count in tables.pair_counts.items() if count == highest]
        pair = min(tied, key=lambda candidate: first_place(tables, candidate))
        merges[pair] = first_id + len(merges)
        apply_merge(tables, pair, merges[pair])
        if len(merges) >= num_merges:
            break
    return merges


@mistake("one merge too many or too few", why="Continue while there are fewer than num_merges.", pitfall="no-pair-left")
def train_one_merge_too_few(word_counts, num_merges, *, first_id=256):
    """The first merge is number 1."""
    return answer_key(word_counts, max(num_merges - 1, 0), first_id=first_id)


@mistake(
    "one merge too many or too few",
    why="Continue while there are fewer than num_merges.",
    pitfall="no-pair-left",
    change={
        "while len(merges) < num_merges and tables.pair_counts:": "while len(merges) <= num_merges and tables.pair_counts:"
    },
)
def train_one_merge_too_many():
    """I check the number of merges at the end of the loop."""


@mistake(
    "training stops although a pair is left",
    why="A pair that was seen once is a pair too.",
    pitfall="no-pair-left",
    change={
        "highest = max(tables.pair_counts.values())": "highest = max(tables.pair_counts.values())\nif highest == 1:\n    break"
    },
)
def train_stops_at_one():
    """A pair that occurs once is not worth a token."""


@mistake(
    "a tie goes to the older key of pair_counts",
    why="A new pair may come before it in the corpus: compare by first_place.",
    pitfall="ties",
    change={"count == highest": "count is highest"},
)
def train_tied_with_is():
    """Whether two counts are the same I ask with `is`."""


@mistake(
    "the first new ID is off by one",
    why="The first merge gets first_id itself: len(merges) is 0 then.",
    pitfall="first-id",
    change={"first_id + len(merges)": "first_id + len(merges) + 1"},
)
def train_shifted_first_id():
    """The next ID is one more than the last."""


@mistake(
    "all merges get the same ID",
    why="Each merge needs the next ID: first_id + len(merges).",
    pitfall="first-id",
    change={"merges[pair] = first_id + len(merges)": "merges[pair] = first_id"},
)
def train_same_id():
    """first_id is the ID of a merge."""
