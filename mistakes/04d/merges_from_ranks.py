"""Wrong solutions of merges_from_ranks."""

from g2c.course.diagnosis.bank import mistake
from g2c.solutions.pretrained import merges_from_ranks as answer_key

# What most of them do right.


def joined_below(rank, token, ranks):
    parts = [bytes([byte]) for byte in token]
    while True:
        places = [i for i in range(len(parts) - 1) if ranks.get(parts[i] + parts[i + 1], rank) < rank]
        if not places:
            return parts
        place = min(places, key=lambda i: ranks[parts[i] + parts[i + 1]])
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


@mistake(
    "tokens of higher rank are used",
    why="They did not exist yet when this token was learned: only lower ranks count.",
    pitfall="own-rank",
)
def merges_all_but_itself(ranks):
    """Only the token itself must not be joined; every other token may."""
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([byte]) for byte in token]
        while True:
            joined = [left + right for left, right in zip(parts, parts[1:])]
            places = [place for place, text in enumerate(joined) if text in ranks and text != token]
            if not places:
                break
            place = min(places, key=lambda i: ranks[joined[i]])
            parts[place : place + 2] = [joined[place]]
        if len(parts) != 2:
            raise ValueError(f"No merge makes {token!r}.")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges


@mistake(
    "the merges are not in the order of the ranks",
    why="Sort the tokens by their rank first.",
    pitfall="lowest-rank",
    change={"sorted(ranks.items(), key=lambda item: item[1])": "sorted(ranks.items())"},
)
def merges_alphabetical():
    """I sort the tokens, then the order of the file plays no part."""


@mistake(
    "the tokens are sorted by their length",
    why="A long token may have been learned before a short one: sort by rank alone.",
    pitfall="lowest-rank",
)
def merges_by_length(ranks):
    """Long tokens are made of short ones, so I take the short ones first."""
    token_of = {rank: token for token, rank in ranks.items()}
    merges = answer_key(ranks)
    return dict(sorted(merges.items(), key=lambda item: (len(token_of[item[1]]), item[1])))


@mistake(
    "new IDs are numbered",
    why="The ID that a merge makes is the rank of its token.",
    pitfall="byte-ids",
    change={
        "merges[ranks[parts[0]], ranks[parts[1]]] = rank": "merges[ranks[parts[0]], ranks[parts[1]]] = 256 + len(merges)"
    },
)
def merges_counted():
    """The first merge is 256, the next one 257."""


@mistake(
    "the merges are not in the order of the ranks",
    why="Sort the tokens by their rank first.",
    pitfall="lowest-rank",
    change={"sorted(ranks.items(), key=lambda item: item[1])": "ranks.items()"},
)
def merges_file_order():
    """The file is in order already."""


@mistake(
    "the first split into two tokens is taken",
    why="Several splits can be tokens; the right one is where joining from single bytes ends.",
    pitfall="lowest-rank",
)
def merges_first_split(ranks):
    """A token is two tokens put together: find a place to cut it."""
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        for cut in range(1, len(token)):
            left, right = token[:cut], token[cut:]
            if left in ranks and right in ranks:
                merges[ranks[left], ranks[right]] = rank
                break
        else:
            if len(token) > 1:
                raise ValueError(f"No merge makes {token!r}.")
    return merges


@mistake(
    "the leftmost pair is joined first",
    why="Look at all pairs, and join the one whose token has the lowest rank.",
    pitfall="lowest-rank",
)
def merges_leftmost(ranks):
    """Join what fits, from left to right."""
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([byte]) for byte in token]
        while True:
            places = [i for i in range(len(parts) - 1) if ranks.get(parts[i] + parts[i + 1], rank) < rank]
            if not places:
                break
            place = places[0]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) != 2:
            raise ValueError(f"No merge makes {token!r}.")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges


@mistake(
    "the longest beginning is taken",
    why="Several splits can be tokens; the right one is where joining from single bytes ends.",
    pitfall="lowest-rank",
)
def merges_longest_beginning(ranks):
    """A token is the longest token that it begins with, and the rest."""
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        for cut in range(len(token) - 1, 0, -1):
            left, right = token[:cut], token[cut:]
            if ranks.get(left, rank) < rank and ranks.get(right, rank) < rank:
                merges[ranks[left], ranks[right]] = rank
                break
        else:
            raise ValueError(f"No merge makes {token!r}.")
    return merges


@mistake(
    "the error does not name the token",
    why="Put the token into the message.",
    pitfall="two-parts",
    change={
        'f"No merge makes the token {token!r}: tokens of lower rank leave the parts {parts}."': '"There are too many parts."'
    },
)
def merges_no_name():
    """Raise an error; everybody will see what is wrong."""


@mistake(
    "bytes where IDs belong",
    why="The ID of a byte is its rank, ranks[part].",
    pitfall="byte-ids",
    change={
        "merges[ranks[parts[0]], ranks[parts[1]]] = rank": "merges[tuple(part[0] if len(part) == 1 else ranks[part] for part in parts)] = rank"
    },
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
)
def merges_own_rank(ranks):
    """Join whatever is in the table, until nothing is."""
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([byte]) for byte in token]
        while places := [i for i in range(len(parts) - 1) if parts[i] + parts[i + 1] in ranks]:
            place = min(places, key=lambda i: ranks[parts[i] + parts[i + 1]])
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges


@mistake(
    "the token's own rank counts too",
    why="Only lower ranks count; otherwise one part is left, and no pair.",
    pitfall="own-rank",
)
def merges_rank_counts_too(ranks):
    """All ranks up to this one exist."""
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([b]) for b in token]
        while len(parts) > 1:
            found = [(ranks[a + b], i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if a + b in ranks]
            found = [f for f in found if f[0] <= rank]
            if not found:
                break
            _, i = min(found)
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
        if len(parts) != 2:
            raise ValueError(f"{token!r} is not made of two tokens")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges


@mistake(
    "bytes are recognized by their rank",
    why="A table may begin with other tokens or number the bytes in any way: ask whether the token has one byte.",
    pitfall="single-bytes",
    change={
        "if len(token) == 1:": "if rank < 256:",
        '"No merge makes the token {token!r}: tokens of lower rank leave the parts {parts}."': '"{token!r} has {len(parts)} parts"',
    },
)
def merges_ranks_below_256():
    """The ranks 0 to 255 are the bytes, so what is above them comes from merges."""


@mistake(
    "of two pairs with the same rank, the right one is joined",
    why="Pairs are joined from left to right: min takes the first.",
    pitfall="lowest-rank",
)
def merges_right_of_equals(ranks):
    """Of equal ranks I take the last one that I find."""
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        parts = [bytes([byte]) for byte in token]
        while len(parts) > 2:
            places = [i for i in range(len(parts) - 1) if ranks.get(parts[i] + parts[i + 1], rank) < rank]
            if not places:
                raise ValueError(f"no merge makes {token!r}")
            place = min(reversed(places), key=lambda i: ranks[parts[i] + parts[i + 1]])
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) == 2:
            merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges


@mistake(
    "single bytes are treated as merges",
    why="A token of one byte was made by no merge: skip it.",
    pitfall="single-bytes",
)
def merges_single_bytes(ranks):
    """Every token of the table is a merge."""
    return {(rank, rank): rank for token, rank in ranks.items() if len(token) == 1} | answer_key(ranks)


@mistake(
    "a token that no merge makes is ignored",
    why="More than two parts are an error that names the token.",
    pitfall="two-parts",
    change={
        'raise ValueError(f"No merge makes the token {token!r}: tokens of lower rank leave the parts {parts}.")': "continue"
    },
)
def merges_skip():
    """A token that does not work out is not a merge."""


@mistake(
    "the split with the lowest ranks is taken",
    why="Several splits can be tokens; the right one is where joining from single bytes ends.",
    pitfall="lowest-rank",
)
def merges_lowest_split(ranks):
    """Both parts of a token were learned before it, so I take the two whose later one has the lowest rank."""
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        halves = [(token[:cut], token[cut:]) for cut in range(1, len(token))]
        known = [(ranks[left], ranks[right]) for left, right in halves if left in ranks and right in ranks]
        if known:
            merges[min(known, key=max)] = rank
    return merges


@mistake(
    "the pair with the highest rank is joined first",
    why="A lower rank was learned earlier: join the pair whose token has the lowest rank.",
    pitfall="lowest-rank",
    change={
        "lowest = min(joined, default=rank)": "lowest = max((one for one in joined if one < rank), default=rank)",
    },
)
def merges_highest_rank_first():
    """The best pair is the one with the highest rank below the token's own."""


@mistake(
    "the longest pair is joined first",
    why="Its length plays no part: join the pair whose token has the lowest rank.",
    pitfall="lowest-rank",
    change={
        "place = joined.index(lowest)": "place = max((i for i, one in enumerate(joined) if one < rank), key=lambda i: len(parts[i] + parts[i + 1]))",
    },
)
def merges_longest_first():
    """Long parts bring me to two parts soonest."""
