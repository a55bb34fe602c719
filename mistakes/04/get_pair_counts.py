"""Wrong solutions of BPETokenizer._get_pair_counts."""

from coach.diagnosis.bank import mistake

NEIGHBORS = "for pair in zip(ids, ids[1:]):"
BARRIER = "if pair[0] not in barriers and pair[1] not in barriers:"
ADD = "counts[pair] = counts.get(pair, 0) + 1"


@mistake(
    "IDs that are not neighbors count as pairs",
    why="Only an ID and the one right after it are a pair.",
    pitfall="pair-count",
    change=[
        {"zip(ids, ids[1:])": "[(a, b) for place, a in enumerate(ids) for b in ids[place + 1 :]]"},
        {"zip(ids, ids[1:])": "[*zip(ids, ids[1:]), *zip(ids, ids[2:])]"},
    ],
)
def count_all_later_ids():
    """A pair is any two IDs that are close together, so I pair each ID with those after it."""


@mistake(
    "n pairs instead of n - 1",
    why="ids[i - 1] is the last ID when i is 0: begin with i = 1, or pair ids with ids[1:].",
    pitfall="pair-count",
    change={NEIGHBORS: "for position in range(len(ids)):\n    pair = (ids[position - 1], ids[position])"},
)
def count_around_the_beginning():
    """I pair each ID with the one before it, ids[i - 1]."""


@mistake(
    "the barriers are ignored",
    why="A pair that contains a barrier ID does not count: skip it.",
    pitfall="barriers",
    change={BARRIER: "if True:"},
)
def count_barriers_ignored():
    """barrier_ids is optional, so I leave it for later."""


@mistake(
    "pairs reach across a barrier",
    why="The IDs before and after a barrier are not neighbors: skip pairs with a barrier, and remove nothing.",
    pitfall="barriers",
    change={"counts = {}": "counts = {}\nids = [token_id for token_id in ids if token_id not in barriers]"},
)
def count_barriers_taken_out():
    """Barriers must not be in a pair, so I take them out of the list first and count what is left."""


@mistake(
    "the pair after a barrier is left out",
    why="A position may be in two pairs with a barrier: after each, go on by one position.",
    pitfall="barriers",
    change={
        NEIGHBORS: "skips = False\nfor pair in zip(ids, ids[1:]):\n    if skips:\n        skips = False\n        continue\n    skips = pair[0] in barriers or pair[1] in barriers"
    },
)
def count_jumps_over_barriers():
    """At a barrier I go on by two positions."""


@mistake(
    "counts from before a barrier are lost",
    why="A barrier separates pieces of one text, and the pairs of all pieces count.",
    pitfall="barriers",
    change={BARRIER: "if pair[0] in barriers or pair[1] in barriers:\n    counts = {}\nelse:"},
)
def count_begins_again_at_barrier():
    """After a barrier something new begins, so I throw away what I have."""


@mistake(
    "_get_pair_counts is too slow for a long argument",
    why="Look at each item about once: a loop within the loop, such as count, index or a copy, takes too long.",
    pitfall="slow",
    change={ADD: "counts[pair] = [*zip(ids, ids[1:])].count(pair)"},
)
def count_by_asking_the_list():
    """A list can count for me."""


@mistake(
    "something from an earlier call is still there",
    why="Start with an empty dictionary inside the method: a default such as counts={} is shared by all calls.",
    pitfall="pair-count",
    change={"barrier_ids=None)": "barrier_ids=None, counts={})", "counts = {}\n    for": "for"},
)
def count_default_dictionary():
    """A dictionary in the parameter list saves me a line."""


@mistake(
    "counting ends at the first barrier",
    why="The text continues after a barrier: continue, not break.",
    pitfall="barriers",
    change={BARRIER: "if pair[0] in barriers or pair[1] in barriers:\n    break\nelse:"},
)
def count_ends_at_barrier():
    """At a barrier the text is over."""


@mistake(
    "pairs after the last barrier are lost",
    why="No barrier follows them: count them after the loop.",
    pitfall="barriers",
    has="nowhere: X += 2 or X = X + 2",
    change={
        "counts = {}": "counts = {}\nends = [place for place, token_id in enumerate(ids) if token_id in barriers]\n"
        "ids = ids[: ends[-1]] if ends else ids"
    },
)
def count_needs_a_barrier_at_the_end():
    """I collect IDs until a barrier comes, count their pairs, and begin a new list."""


@mistake(
    "every second pair is left out",
    why="An ID is the right half of one pair and the left half of the next.",
    pitfall="pair-count",
    change={NEIGHBORS: "for pair in zip(ids[::2], ids[1::2]):"},
)
def count_every_second():
    """A pair is two IDs, so the list splits into pairs: the first two, the next two, and so on."""


@mistake(
    "the counts are floats",
    why="A count is a whole number: begin at 0.",
    pitfall="pair-count",
    change={ADD: "counts[pair] = counts.get(pair, 0.0) + 1"},
)
def count_floats():
    """Counts may become frequencies later, so I begin at 0.0."""


@mistake(
    "every count is one too high",
    why="A pair that has not been seen has the count 0; then 1 is added.",
    pitfall="pair-count",
    change={ADD: "counts[pair] = counts.get(pair, 1) + 1"},
)
def count_from_one():
    """A pair that I have not met yet was seen once, so I start it at 1."""


@mistake(
    "the first pair is left out",
    why="The first pair begins with the first ID, at index 0.",
    pitfall="pair-count",
    change={"zip(ids, ids[1:])": "zip(ids[1:], ids[2:])"},
)
def count_from_place_1():
    """Each ID is compared with the one before it, so I begin with the second and take it from there."""


@mistake(
    "the first occurrence is not counted",
    why="A new pair has been seen once: it starts at 1.",
    pitfall="pair-count",
    change={ADD: "counts[pair] = counts[pair] + 1 if pair in counts else 0"},
)
def count_from_zero():
    """A new pair starts at 0, and every further one adds 1."""


@mistake(
    "the pairs are not in order of first appearance",
    why="In a tie the pair seen first wins, and only the order of the dictionary says which pair that is.",
    pitfall="ties",
    change=[
        {"return counts": "return dict(sorted(counts.items()))"},
        {"return counts": "return dict(sorted(counts.items(), key=lambda item: -item[1]))"},
    ],
)
def count_in_sorted_order():
    """What counts is how often each pair occurs; the order of a dictionary does not matter."""


@mistake(
    "only the left ID is compared with the barriers",
    why="A barrier may be on either side of the pair.",
    pitfall="barriers",
    change={BARRIER: "if pair[0] not in barriers:"},
)
def count_left_barrier_only():
    """When I am at a barrier I skip it."""


@mistake(
    "the neighbor is looked up with index",
    why="ids.index always gives the first position of a value: loop over positions, or pair ids with ids[1:].",
    pitfall="pair-count",
    change={NEIGHBORS: "for token_id in ids[:-1]:\n    pair = (token_id, ids[ids.index(token_id) + 1])"},
)
def count_looks_up_the_neighbor():
    """ids.index tells me where the ID is, and the neighbor is at the next place."""


@mistake(
    "barrier_ids=None is not handled",
    why="None means that there are no barriers: handle it before using `in`.",
    pitfall="barriers",
    change={"frozenset(barrier_ids or ())": "barrier_ids"},
)
def count_none_is_no_collection():
    """barrier_ids is a collection, so I can ask whether an ID is in it."""


@mistake(
    "None is treated as the special tokens",
    why="None means no barriers; train_step passes its own.",
    pitfall="barriers",
    change={"frozenset(barrier_ids or ())": "self.special_token_ids if barrier_ids is None else barrier_ids"},
)
def count_none_is_special():
    """If no barriers are given, the special tokens are the barriers, since nothing may merge with them."""


@mistake(
    "each pair is counted only once",
    why="Add 1 to the count that the pair already has.",
    pitfall="pair-count",
    change={ADD: "counts[pair] = 1"},
)
def count_once():
    """When I meet a pair I enter it with a 1."""


@mistake(
    "the last pair is left out",
    why="n IDs have n - 1 pairs, and the last pair ends with the last ID.",
    pitfall="pair-count",
    change={NEIGHBORS: "for position in range(len(ids) - 2):\n    pair = (ids[position], ids[position + 1])"},
)
def count_one_pair_short():
    """There are n - 1 pairs, and range stops before its end, so I subtract one more to be safe."""


@mistake(
    "overlapping pairs are counted twice",
    why="Each pair of neighbors counts once, even if both IDs are equal.",
    pitfall="overlap",
    change={ADD: "counts[pair] = counts.get(pair, 0) + (2 if pair[0] == pair[1] else 1)"},
)
def count_overlap_twice():
    """When both IDs are equal the pair can be read from either side, so it counts double."""


@mistake(
    "n pairs instead of n - 1",
    why="The last ID has no neighbor after it, so it begins no pair: stop one ID earlier.",
    pitfall="pair-count",
    change={NEIGHBORS: "for position in range(len(ids)):\n    pair = (ids[position], ids[(position + 1) % len(ids)])"},
)
def count_around_the_end():
    """The last position gave me an IndexError, so I let the list begin again after its end."""


@mistake(
    "n pairs instead of n - 1",
    why="The last ID has no neighbor after it, so the loop must end one ID earlier.",
    pitfall="pair-count",
    change=[
        {NEIGHBORS: "for position in range(len(ids)):\n    pair = (ids[position], ids[position + 1])"},
        {NEIGHBORS: "for pair in zip(ids, [*ids[1:], None]):"},
    ],
)
def count_past_the_end():
    """I go through all positions and look at the ID there and the one after it."""


@mistake(
    "the function returns inside the loop",
    why="The return statement belongs after the loop. Indented under it, it ends the function in the first iteration.",
    pitfall="pair-count",
    has="in a loop: return X",
    change={"counts[pair] = counts.get(pair, 0) + 1": "counts[pair] = 1\nreturn counts"},
)
def count_returns_in_the_loop():
    """When I have counted the pair I return the counts."""


@mistake(
    "only the right ID is compared with the barriers",
    why="A barrier may be on either side of the pair.",
    pitfall="barriers",
    change={BARRIER: "if pair[1] not in barriers:"},
)
def count_right_barrier_only():
    """When the next ID is a barrier I skip the pair."""


@mistake(
    "the neighbor is skipped",
    why="The neighbor of ids[i] is ids[i + 1].",
    pitfall="pair-count",
    change={NEIGHBORS: "for pair in zip(ids, ids[2:]):"},
)
def count_skips_a_neighbor():
    """range takes a step, and pairs have two IDs, so I look two places ahead."""


@mistake(
    "the IDs are sorted before counting",
    why="Neighbors are IDs that are side by side in the text: do not change their order.",
    pitfall="pair-count",
    change={"zip(ids, ids[1:])": "zip(sorted(ids), sorted(ids)[1:])"},
)
def count_sorted_ids():
    """Equal pairs are next to each other in a sorted list, which makes them easy to count."""


@mistake(
    "left and right are not distinguished",
    why="(1, 2) and (2, 1) are two different pairs: the left ID comes first.",
    pitfall="byte-order",
    change={ADD: "pair = tuple(sorted(pair))\ncounts[pair] = counts.get(pair, 0) + 1"},
)
def count_sorted_pairs():
    """(1, 2) and (2, 1) are the same two IDs, so their order does not matter."""


@mistake(
    "left and right are swapped",
    why="A pair is (left, right): an ID, then the one after it.",
    pitfall="byte-order",
    change={NEIGHBORS: "for left, right in zip(ids, ids[1:]):\n    pair = (right, left)"},
)
def count_swapped_pairs():
    """At each ID I look back at the one before it."""


@mistake(
    "only a pair of two barriers is skipped",
    why="One barrier in the pair is enough: or, not and.",
    pitfall="barriers",
    change={"barriers and pair[1]": "barriers or pair[1]"},
)
def count_two_barriers_only():
    """A pair of barriers is not a pair."""


@mistake(
    "each ID is paired with itself",
    why="The neighbor of ids[i] is ids[i + 1].",
    pitfall="pair-count",
    change={NEIGHBORS: "for pair in zip(ids, ids):"},
)
def count_with_itself():
    """zip goes through both lists at the same time."""


@mistake(
    "overlapping pairs are skipped while counting",
    why="Counting looks at every pair of neighbors; only merging uses up IDs.",
    pitfall="overlap",
)
def count_without_overlap(self, ids, *, barrier_ids=None):
    """In [1, 1, 1] the middle 1 can only be used once, so I count that pair once."""
    barriers = barrier_ids or ()
    counts = {}
    position = 0
    while position < len(ids) - 1:
        pair = (ids[position], ids[position + 1])
        if pair[0] not in barriers and pair[1] not in barriers:
            counts[pair] = counts.get(pair, 0) + 1
        same_again = pair[0] == pair[1] and ids[position + 2 : position + 3] == [pair[0]]
        position += 2 if same_again else 1
    return counts


@mistake(
    "the ID 0 is treated as missing",
    why="0 counts as false in Python, but it is an ID like any other: compare with None instead.",
    pitfall="pair-count",
    change=[{"if pair[0]": "if pair[0] and pair[1] and pair[0]"}, {"if pair[0]": "if pair[0] and pair[0]"}],
)
def count_without_zero():
    """If there is a left one and a right one, they are a pair."""


@mistake(
    "pairs of two equal IDs are left out",
    why="(1, 1) is a pair like any other: only barriers are skipped.",
    pitfall="overlap",
    change={"if pair[0] not in barriers": "if pair[0] != pair[1] and pair[0] not in barriers"},
)
def count_no_equal_ids():
    """A pair has two different IDs."""


@mistake(
    "the pair is looked for among the barriers, not its two IDs",
    why="A pair is never one of the IDs: skip it if pair[0] or pair[1] is in barrier_ids.",
    pitfall="barriers",
    has="pair in X or pair not in X or p in X or p not in X or (A, B) in X or (A, B) not in X",
    change={BARRIER: "if pair not in barriers:"},
)
def count_pair_in_barriers():
    """A pair that is among the barriers does not count."""


@mistake(
    "BOUNDARY is always a barrier",
    why="Only the IDs in barrier_ids are barriers: train_step passes BOUNDARY too.",
    pitfall="barriers",
    change={"frozenset(barrier_ids or ())": "{*(barrier_ids or ()), BOUNDARY}"},
)
def count_boundary_built_in():
    """Nothing may be merged across BOUNDARY, so I skip it here, once and for all."""
