"""Wrong solutions of merges_from_ranks."""

from coach.diagnosis.bank import mistake

IN_ORDER = "sorted(ranks.items(), key=lambda item: item[1])"
PARTS = "[bytes([byte]) for byte in token]"
RANK = "ranks.get(left + right, rank)"
RAISE = 'raise ValueError(f"No merge makes the token {token!r}: tokens of lower rank leave the parts {parts}.")'
ANY_RANK = {"default=rank": "default=10**9", "lowest >= rank": "lowest == 10**9"}
MERGE = "merges[ranks[parts[0]], ranks[parts[1]]] = rank"


TABLE = "{X: Y for Z in A} or {X: Y for Z in A if B}"
"""Keeps one place for each rank: the last."""


def splits(token, ranks):
    halves = [[token[:cut], token[cut:]] for cut in range(1, len(token))]
    return [both for both in halves if all(ranks.get(half, ranks[token]) < ranks[token] for half in both)] or [[]]


@mistake(
    "tokens of higher rank are used",
    why="They did not exist yet when this token was learned: only lower ranks count.",
    pitfall="own-rank",
    change=ANY_RANK | {RANK: "10**9 if left + right == token else ranks.get(left + right, 10**9)"},
)
def merges_all_but_itself():
    """Only the token itself must not be joined; every other token may."""


@mistake(
    "the merges are not in the order of the ranks",
    why="Sort the tokens by their rank first.",
    pitfall="lowest-rank",
    change=[{IN_ORDER: "sorted(ranks.items())"}, {IN_ORDER: "ranks.items()"}],
)
def merges_alphabetical():
    """The order of the tokens does not matter."""


@mistake(
    "the tokens are sorted by their length",
    why="A long token may have been learned before a short one: sort by rank alone.",
    pitfall="lowest-rank",
    change={IN_ORDER: "sorted(ranks.items(), key=lambda item: (len(item[0]), item[1]))"},
)
def merges_by_length():
    """Long tokens are made of short ones, so I take the short ones first."""


@mistake(
    "new IDs are counted up from 256",
    why="The ID that a merge makes is the rank of its token.",
    pitfall="byte-ids",
    change={MERGE: "merges[ranks[parts[0]], ranks[parts[1]]] = 256 + len(merges)"},
)
def merges_counted():
    """The first merge is 256, the next one 257."""


@mistake(
    "the first split into two tokens is taken",
    why="Several splits can be tokens; the right one is where joining from single bytes ends.",
    pitfall="lowest-rank",
    change={PARTS: "splits(token, ranks)[0]"},
)
def merges_first_split():
    """A token is two tokens put together, so I find a place to cut it."""


@mistake(
    "the leftmost pair is joined first",
    why="Look at all pairs, and join the one whose token has the lowest rank.",
    pitfall="lowest-rank",
    has="nowhere: min(...) or X is None or X < best",
    change={"min(joined, default=rank)": "next((one for one in joined if one < rank), rank)"},
)
def merges_leftmost():
    """From left to right, I join every pair that fits."""


@mistake(
    "the longest beginning is taken",
    why="Several splits can be tokens; the right one is where joining from single bytes ends.",
    pitfall="lowest-rank",
    change={PARTS: "splits(token, ranks)[-1]"},
)
def merges_longest_beginning():
    """A token is the longest token that it begins with, and the rest."""


@mistake(
    "the error does not name the token",
    why="Put the token into the message.",
    pitfall="two-parts",
    change={RAISE: 'raise ValueError("There are too many parts.")'},
)
def merges_no_name():
    """I raise an error, and everybody will see what is wrong."""


@mistake(
    "bytes where IDs belong",
    why="The ID of a byte is its rank, ranks[part].",
    pitfall="byte-ids",
    change={MERGE: "merges[tuple(part[0] if len(part) == 1 else ranks[part] for part in parts)] = rank"},
)
def merges_of_bytes():
    """A byte is its own ID."""


@mistake(
    "bytes where IDs belong",
    why="The ID of a part is its rank, ranks[part].",
    pitfall="byte-ids",
    change={"merges[ranks[parts[0]], ranks[parts[1]]]": "merges[parts[0], parts[1]]"},
)
def merges_of_parts():
    """The two parts that are left are the pair."""


@mistake(
    "the token itself is one of its parts",
    why="Its own rank does not count: stop when two parts are left.",
    pitfall="own-rank",
    change=ANY_RANK | {RANK: "ranks.get(left + right, 10**9)", "len(parts) != 2": "False"},
)
def merges_own_rank():
    """I join every pair in the table, until no pair is left."""


@mistake(
    "the token's own rank counts too",
    why="Only lower ranks count; otherwise one part is left, and no pair.",
    pitfall="own-rank",
    change={
        RANK: "ranks.get(left + right, rank + 1)",
        "default=rank": "default=rank + 1",
        "lowest >= rank": "lowest > rank",
    },
)
def merges_rank_counts_too():
    """All ranks up to this one exist."""


@mistake(
    "bytes are recognized by their rank",
    why="A table may begin with other tokens or number the bytes in any way: ask whether the token has one byte.",
    pitfall="single-bytes",
    change={"if len(token) == 1:": "if rank < 256:"},
)
def merges_ranks_below_256():
    """The ranks 0 to 255 are the bytes, so what is above them comes from merges."""


@mistake(
    "of two pairs with the same rank, the right one is joined",
    why="Pairs are joined from left to right: min takes the first.",
    pitfall="lowest-rank",
    has=f"X <= Y or X >= Y or X[::-1] or reversed(...) or {TABLE}",
    change={"place = joined.index(lowest)": "place = len(joined) - 1 - joined[::-1].index(lowest)"},
)
def merges_right_of_equals():
    """Among equal ranks, any place will do."""


@mistake(
    "single bytes are treated as merges",
    why="No merge makes a token of one byte: skip it.",
    pitfall="single-bytes",
    change={"merges = {}": "merges = {(rank, rank): rank for token, rank in ranks.items() if len(token) == 1}"},
)
def merges_single_bytes():
    """Every token of the table is a merge."""


@mistake(
    "a token that no merge makes is ignored",
    why="If more than two parts are left, raise an error that names the token.",
    pitfall="two-parts",
    change={RAISE: "continue"},
)
def merges_skip():
    """A token that does not work out is not a merge."""


@mistake(
    "the split with the lowest ranks is taken",
    why="Several splits can be tokens; the right one is where joining from single bytes ends.",
    pitfall="lowest-rank",
    has=f"nowhere: {TABLE}",
    change={PARTS: "min(splits(token, ranks), key=lambda both: max(map(ranks.get, both), default=0))"},
)
def merges_lowest_split():
    """Both parts of a token were learned before it, so I take the two whose later one has the lowest rank."""


@mistake(
    "the pair with the highest rank is joined first",
    why="A lower rank was learned earlier: join the pair whose token has the lowest rank.",
    pitfall="lowest-rank",
    has="max(...) or X > best or X > highest",
    change={"min(joined, default=rank)": "max((one for one in joined if one < rank), default=rank)"},
)
def merges_highest_rank_first():
    """The best pair is the one with the highest rank below the token's own."""


@mistake(
    "the longest pair is joined first",
    why="Its length does not matter: join the pair whose token has the lowest rank.",
    pitfall="lowest-rank",
    has="max(...); len(X)",
    change={
        "place = joined.index(lowest)": "place = max((i for i, one in enumerate(joined) if one < rank), key=lambda i: len(parts[i] + parts[i + 1]))",
    },
)
def merges_longest_first():
    """Long parts bring me to two parts soonest."""
