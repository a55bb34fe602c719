"""Wrong solutions of train_incremental."""

from coach.diagnosis.bank import mistake

WHILE = "while len(merges) < num_merges and tables.pair_counts:"
PLACE = "first_place(tables, candidate)"
BEST = f"min(tied, key=lambda candidate: {PLACE})"
APPLY = "apply_merge(tables, pair, merges[pair])"


@mistake(
    "first_place is asked for pairs that cannot win",
    why="Collect the pairs with the highest count first.",
    pitfall="ties",
    group="TestWork",
    change={BEST: "min(tables.pair_counts, key=lambda one: (-tables.pair_counts[one], first_place(tables, one)))"},
)
def train_asks_for_all_places():
    """If I sort by count and place, the best pair comes first."""


@mistake(
    "the tables are built again for each merge",
    why="Rebuilding counts everything anew: apply_merge keeps the tables up to date.",
    pitfall="only-touched",
    group="TestWork",
    has="in a loop: build_tables(...)",
    change={APPLY: "tables = build_tables(word_counts)\nfor merge in merges.items():\n    apply_merge(tables, *merge)"},
)
def train_builds_again():
    """After each merge I build the tables anew, to be sure that they are right."""


@mistake(
    "apply_merge is not called",
    why="train_incremental is the loop around build_tables and apply_merge: each merge has to be applied.",
    pitfall="only-touched",
    change=[
        {APPLY: "del tables.pair_counts[pair]"},
        {
            WHILE: "for new_id in range(first_id, first_id + num_merges) if tables.pair_counts else ():",
            "first_id + len(merges)": "new_id",
            APPLY: "",
        },
    ],
)
def train_forgets_to_merge():
    """The loop takes the best pair, again and again."""


@mistake(
    "a tie is not decided by the lowest first_place",
    why="Among the pairs with the highest count, the one with the lowest first_place wins.",
    pitfall="ties",
    has="nowhere: min(X.pair_words[Y])",
    change=[{BEST: "max(tied)"}, {BEST: "tied[-1]"}],
)
def train_highest_pair():
    """Among equal counts, any pair will do."""


@mistake(
    "keys and values of the merges are swapped",
    why="The pair is the key, the new ID the value.",
    pitfall="first-id",
    change={
        "merges[pair] = first_id + len(merges)": "merges[first_id + len(merges)] = pair",
        APPLY: "apply_merge(tables, pair, first_id + len(merges) - 1)",
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
    "the maximum of no counts is taken",
    why="max of an empty dictionary raises an error: check first whether a pair is left.",
    pitfall="no-pair-left",
    change={WHILE: "while len(merges) < num_merges:"},
)
def train_max_of_nothing():
    """The loop runs num_merges times."""


@mistake(
    "a tie goes to the older key of pair_counts",
    why="A new pair may come before it in the corpus: compare by first_place.",
    pitfall="ties",
    change=[{BEST: "tied[0]"}, {"count == highest": "count is highest"}],
)
def train_max_with_get():
    """max over the dictionary takes the first of equals, as in module 04."""


@mistake(
    "a tie within a word goes to the older key",
    why="first_place gives the word and the position in it: compare both.",
    pitfall="ties",
    change=[{PLACE: f"{PLACE}[0]"}, {PLACE: "min(tables.pair_words[candidate])"}],
)
def train_compares_words_only():
    """The pair in the first word wins."""


@mistake(
    "one merge is learned although none is wanted",
    why="num_merges may be 0: ask before the first merge.",
    pitfall="no-pair-left",
    change={"len(merges) < num_merges and ": "", APPLY: f"{APPLY}\nif len(merges) >= num_merges:\n    break"},
)
def train_one_at_least():
    """I merge, and then ask whether there are enough merges."""


@mistake(
    "one merge too many or too few",
    why="Continue while there are fewer than num_merges.",
    pitfall="no-pair-left",
    change=[{"< num_merges": "< num_merges - 1"}, {"< num_merges": "<= num_merges"}],
)
def train_one_merge_too_few():
    """The first merge is number 1."""


@mistake(
    "num_merges is taken for the size of the vocabulary",
    why="num_merges counts merges alone: 1 means one merge, whatever the first ID is.",
    pitfall="no-pair-left",
    has="first_id + len(X) < num_merges or 256 + len(X) < num_merges or num_merges - first_id or num_merges - 256 or "
    "range(first_id, num_merges) or range(256, num_merges)",
    change={"len(merges) < num_merges": "first_id + len(merges) < num_merges"},
)
def train_to_the_size():
    """Training goes on until the vocabulary has its size, as in module 04."""


@mistake(
    "training stops although a pair is left",
    why="A pair that was seen once is a pair too.",
    pitfall="no-pair-left",
    change={"tied =": "if highest == 1:\n    break\ntied ="},
)
def train_stops_at_one():
    """A pair that occurs once is not worth a token."""


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
