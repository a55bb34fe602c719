"""Module 04: what the classic mistakes in BPETokenizer would give, and how to say so."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import zip_longest

from g2c.course import reference
from g2c.course.reference import Pair, pair_counts
from g2c.course.teaching import LONG, Mistake, Outcome, pair_text, recognises, same
from g2c.tokenizer.base import BOUNDARY

# --- pair counts ------------------------------------------------------------------------------------------------------

NO_NEIGHBOUR = Mistake(
    "n pairs instead of n - 1",
    "The last ID has no neighbour after it, so the loop must end one ID earlier.",
    "pair-count",
)
WRAPS_AROUND = Mistake(
    "n pairs instead of n - 1", "The last ID has no neighbour after it; yours was paired all the same.", "pair-count"
)
ONE_PAIR_SHORT = Mistake(
    "the last pair is left out", "n IDs have n - 1 pairs, and the last of them ends at the last ID.", "pair-count"
)
EVERY_SECOND = Mistake(
    "every second pair is left out", "An ID is the right half of one pair and the left half of the next.", "pair-count"
)
COUNTED_ONCE = Mistake("each pair is counted once only", "Add 1 to the count that the pair already has.", "pair-count")
COUNTED_FROM_ONE = Mistake(
    "every count is one too high",
    "A pair that has not been seen before has the count 0, then 1 is added.",
    "pair-count",
)
WITH_ITSELF = Mistake("each ID is paired with itself", "The neighbour of ids[i] is ids[i + 1].", "pair-count")
AFTER_NEXT = Mistake("the neighbour is skipped", "The neighbour of ids[i] is ids[i + 1].", "pair-count")
OVERLAP_NOT_COUNTED = Mistake(
    "overlapping pairs are skipped while counting",
    "Counting looks at every two neighbours; only merging uses an ID up.",
    "overlap",
)
OVERLAP_COUNTED_TWICE = Mistake(
    "overlapping pairs are counted twice", "Each place where two neighbours stand counts once.", "overlap"
)
ORDER_IN_PAIR = Mistake("left and right are not told apart", "(1, 2) and (2, 1) are two different pairs.", "byte-order")
ORDER_OF_KEYS = Mistake(
    "the pairs are not in order of first appearance",
    "Ties go to the pair seen first, and the dictionary's order is what tells which that was.",
    "ties",
)
NONE_IS_NO_BARRIER = Mistake("barrier_ids=None is not handled", "None means that there are no barriers.", "barriers")
BARRIERS_IGNORED = Mistake("the barriers are ignored", "A pair with a barrier ID in it does not count.", "barriers")
LEFT_ONLY = Mistake(
    "only the left ID is compared with the barriers", "A barrier may stand on either side of the pair.", "barriers"
)
RIGHT_ONLY = Mistake(
    "only the right ID is compared with the barriers", "A barrier may stand on either side of the pair.", "barriers"
)
ACROSS_BARRIER = Mistake(
    "pairs reach across a barrier",
    "The IDs before and after a barrier are not neighbours: skip pairs, do not take the barrier out.",
    "barriers",
)
FIRST_PAIR_LEFT_OUT = Mistake("the first pair is left out", "It begins with the first ID, at place 0.", "pair-count")
ZERO_LEFT_OUT = Mistake(
    "the ID 0 is taken for nothing", "0 counts as false in Python, but it is an ID like any other.", "pair-count"
)
SORTED_FIRST = Mistake(
    "the IDs are sorted before counting", "Neighbours are what stands side by side in the text.", "pair-count"
)
KEPT_FROM_BEFORE = Mistake(
    "counts of an earlier call are still there",
    "Begin with an empty dictionary inside the method; counts={} as a default, or on the class, is made only once.",
    "pair-count",
)
OTHER_LIST = Mistake(
    "pairs are counted that do not stand in the list",
    "Count anew in every call: an answer that is remembered belongs to another list.",
    "pair-count",
)
LIST_AS_KEY = Mistake(
    "a list is used as a key", "ids[i : i + 2] is a list, and no list can be a key: tuple(...).", "pair-count"
)
ENDS_AT_BARRIER = Mistake(
    "counting ends at the first barrier", "After a barrier the text goes on: continue, not break.", "barriers"
)
BOTH_BARRIERS = Mistake(
    "only a pair of two barriers is skipped", "One barrier in the pair is enough: or, not and.", "barriers"
)


def _count(pairs) -> dict[Pair, int]:
    counts: dict[Pair, int] = {}
    for pair in pairs:
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def _count_apart(ids: Sequence[int]) -> dict[Pair, int]:
    """Counts in which an ID that was in one pair (a, a) is not in the next."""
    pairs, position = [], 0
    while position < len(ids) - 1:
        pairs.append((ids[position], ids[position + 1]))
        runs_on = ids[position : position + 3] == [ids[position]] * 3
        position += 2 if runs_on else 1
    return _count(pairs)


@recognises("BPETokenizer._get_pair_counts")
def pair_count_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    ids = list(outcome.args[0])
    barriers = outcome.kwargs.get("barrier_ids")
    if outcome.raised(IndexError):
        yield NO_NEIGHBOUR
    if outcome.raised(TypeError) and "unhashable" in str(outcome.error):
        yield LIST_AS_KEY
    elif outcome.raised(TypeError) and barriers is None:
        yield NONE_IS_NO_BARRIER
    if outcome.aspect and isinstance(outcome.result, list) and sorted(outcome.result) == sorted(pair_counts(ids)):
        yield ORDER_OF_KEYS
    right = pair_counts(ids, barriers or ())
    explained = [m for m, wrong in _wrong_counts(ids, barriers or ()) if wrong != right and outcome.gave(wrong)]
    yield from explained
    if explained or outcome.aspect or not isinstance(outcome.result, dict):
        return
    if all(outcome.result.get(pair, 0) >= right[pair] for pair in right):
        yield KEPT_FROM_BEFORE
    elif all(isinstance(key, tuple) for key in outcome.result) and set(outcome.result) - set(pair_counts(ids)):
        yield OTHER_LIST


def _wrong_counts(ids: list[int], barriers: Collection[int]) -> Iterator[tuple[Mistake, dict]]:
    pairs = list(zip(ids, ids[1:]))
    yield BARRIERS_IGNORED, pair_counts(ids)
    yield LEFT_ONLY, _count(pair for pair in pairs if pair[0] not in barriers)
    yield RIGHT_ONLY, _count(pair for pair in pairs if pair[1] not in barriers)
    yield BOTH_BARRIERS, _count(pair for pair in pairs if not set(pair) <= set(barriers))
    yield ENDS_AT_BARRIER, pair_counts(ids[: next((i for i, one in enumerate(ids) if one in barriers), len(ids))])
    yield ACROSS_BARRIER, pair_counts([token_id for token_id in ids if token_id not in barriers])
    yield WRAPS_AROUND, _count(zip(ids, ids[1:] + ids[:1]))
    yield WRAPS_AROUND, _count(zip_longest(ids, ids[1:]))
    yield ONE_PAIR_SHORT, pair_counts(ids[:-1])
    yield ZERO_LEFT_OUT, _count(pair for pair in pairs if 0 not in pair)
    yield SORTED_FIRST, pair_counts(sorted(ids))
    yield EVERY_SECOND, _count(zip(ids[::2], ids[1::2]))
    yield OVERLAP_NOT_COUNTED, _count_apart(ids)
    yield COUNTED_ONCE, dict.fromkeys(pairs, 1)
    yield COUNTED_ONCE, dict.fromkeys(pairs, 0)
    yield COUNTED_FROM_ONE, {pair: count + 1 for pair, count in pair_counts(ids, barriers).items()}
    yield FIRST_PAIR_LEFT_OUT, pair_counts(ids[1:])
    yield WITH_ITSELF, _count(zip(ids, ids))
    yield AFTER_NEXT, _count(zip(ids, ids[2:]))
    yield ORDER_IN_PAIR, _count(tuple(sorted(pair)) for pair in pairs)
    yield ORDER_IN_PAIR, _count((right, left) for left, right in pairs)
    yield OVERLAP_COUNTED_TWICE, _count(pair for pair in pairs for _ in range(1 + (pair[0] == pair[1])))


# --- merge ------------------------------------------------------------------------------------------------------------

SAME_LIST = Mistake(
    "the very list that was passed comes back",
    "Who changes the result would change the argument too.",
    "mutated-argument",
)
LAST_NEIGHBOUR = Mistake(
    "a neighbour is looked for after the last ID",
    "The last ID has none: ask whether there is one, then compare.",
    "pair-count",
)
LAST_LOST = Mistake("the last ID is lost", "It has no neighbour, but it has to be copied all the same.", "pair-count")
USED_TWICE = Mistake(
    "an ID is used in two pairs", "An ID that went into one pair is used up and cannot be in the next.", "overlap"
)
FROM_THE_RIGHT = Mistake("the pair is replaced from right to left", "In [1, 1, 1] the left two become one.", "overlap")
MOVED_BY_ONE = Mistake(
    "after a match the position moves on by one", "A match uses up two IDs, so move on by two.", "overlap"
)
MOVED_TOO_FAR = Mistake("IDs between the matches are skipped", "Without a match, move on by one.", "overlap")
FIRST_ONLY = Mistake("only the first occurrence is replaced", "Go on to the end of the list.", "overlap")
NOTHING_REPLACED = Mistake(
    "nothing is replaced",
    "Mind what is compared: [1, 2] == (1, 2) is False, for a list never equals a tuple.",
    "overlap",
)
EITHER_ORDER = Mistake("left and right are not told apart", "(2, 1) is not the pair (1, 2).", "byte-order")
NOT_PUT_IN = Mistake("the new ID is not put in", "The pair goes, and new_id comes in its place.", "overlap")
TEXT_REPLACED = Mistake(
    "IDs are replaced as text",
    "In '11 2' the text '1 2' is found, but the IDs 11 and 2 are not 1 and 2.",
    "str-for-bytes",
)
LAST_TWICE = Mistake(
    "the last ID is copied although it is used up",
    "When the last two IDs are the pair, nothing is left to copy after the loop.",
    "pair-count",
)
SHRINKS = Mistake(
    "the list gets shorter while a loop runs over its old length", "Build a new list instead.", "pair-count"
)
HALF_IS_ENOUGH = Mistake(
    "one half of the pair is enough", "Both IDs have to fit: the left one and the right one.", "byte-order"
)
MERGED_AGAIN = Mistake(
    "new IDs side by side are merged as well", "One pair is replaced by one ID; [99, 99] stays two.", "overlap"
)
IS_FOR_EQUAL = Mistake(
    "numbers are compared with `is`", "Large numbers can be equal and two objects: compare with ==.", "overlap"
)
MADE_CHARACTERS = Mistake(
    "IDs are made into characters",
    "Not every ID is the number of a character: BOUNDARY is -1. Compare numbers.",
    "str-for-bytes",
)
NO_BYTES = Mistake("IDs are made into bytes", "An ID can be above 255: compare numbers in a list.", "str-for-bytes")


@recognises("BPETokenizer._merge")
def merge_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    ids, pair, new_id = outcome.args
    if outcome.aspect:
        return
    if outcome.live_args and outcome.result is outcome.live_args[0]:
        yield SAME_LIST
    if outcome.raised(IndexError):
        yield LAST_NEIGHBOUR
    right = reference.merge(ids, pair, new_id)
    if outcome.raised(IndexError) and right != ids:
        yield SHRINKS
    if outcome.raised(ValueError, OverflowError):
        yield NO_BYTES if "range(0, 256)" in str(outcome.error) else MADE_CHARACTERS
    if outcome.gave(ids) and outcome.gave(_merge_with_is(list(outcome.live_args[0]), outcome.live_args[1], new_id)):
        yield IS_FOR_EQUAL
    if isinstance(outcome.result, list) and len(own := set(outcome.result) - set(ids)) == 1 and new_id not in own:
        if outcome.result == reference.merge(ids, pair, own.pop()):
            yield OWN_ID
    for mistake, wrong in _wrong_merges(list(ids), pair, new_id, right):
        if wrong != right and outcome.gave(wrong):
            yield mistake


def _wrong_merges(ids: list[int], pair: Pair, new_id: int, right: list[int]) -> Iterator[tuple[Mistake, list[int]]]:
    backwards = reference.merge(ids[::-1], pair[::-1], new_id)[::-1]
    matches = [position for position in range(len(ids) - 1) if tuple(ids[position : position + 2]) == pair]
    yield NOTHING_REPLACED, ids
    if len(ids) > LONG:
        return
    yield FROM_THE_RIGHT, backwards
    yield (
        USED_TWICE,
        [
            new_id if position in matches else token_id
            for position, token_id in enumerate(ids)
            if position in matches or position - 1 not in matches
        ],
    )
    yield MOVED_BY_ONE, [new_id if position in matches else token_id for position, token_id in enumerate(ids)]
    yield LAST_LOST, right[:-1]
    yield LAST_TWICE, right + ids[-1:]
    yield HALF_IS_ENOUGH, _merge_where(ids, new_id, lambda left, right: left == pair[0])
    yield HALF_IS_ENOUGH, _merge_where(ids, new_id, lambda left, right: right == pair[1])
    yield HALF_IS_ENOUGH, _merge_where(ids, new_id, lambda left, right: left == pair[0] or right == pair[1])
    yield MERGED_AGAIN, [one for i, one in enumerate(right) if one != new_id or right[i - 1 : i] != [new_id]]
    if matches:
        yield FIRST_ONLY, ids[: matches[0]] + [new_id] + ids[matches[0] + 2 :]
    yield EITHER_ORDER, _merge_either_order(ids, pair, new_id)
    yield NOT_PUT_IN, [token_id for token_id in right if token_id != new_id]
    yield MOVED_TOO_FAR, _merge_in_steps_of_two(ids, pair, new_id)
    text = " ".join(map(str, ids)).replace(f"{pair[0]} {pair[1]}", str(new_id))
    yield TEXT_REPLACED, [int(number) for number in text.split()]


def _merge_either_order(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    return _merge_where(ids, new_id, lambda left, right: (left, right) in (pair, pair[::-1]))


def _merge_with_is(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    return _merge_where(ids, new_id, lambda left, right: left is pair[0] and right is pair[1])


def _merge_where(ids: list[int], new_id: int, fits: Callable[[int, int], bool]) -> list[int]:
    merged, position = [], 0
    while position < len(ids):
        match = position + 1 < len(ids) and fits(ids[position], ids[position + 1])
        merged.append(new_id if match else ids[position])
        position += 2 if match else 1
    return merged


def _merge_in_steps_of_two(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    merged: list[int] = []
    for position in range(0, len(ids), 2):
        two = ids[position : position + 2]
        merged += [new_id] if tuple(two) == pair else two
    return merged


# --- training ---------------------------------------------------------------------------------------------------------

NO_PAIR_LEFT = Mistake(
    "the case that no pair is left", "Without pairs there is no largest count: return None.", "small-corpus"
)
STOPS_TOO_EARLY = Mistake(
    "training stops although a pair is left", "A pair that was seen once is a pair too.", "small-corpus"
)
GOES_ON = Mistake("a result although no pair is left", "Return None and leave merges and vocab alone.", "small-corpus")
ACROSS_SPECIAL = Mistake(
    "a merge across a special token",
    "Count with the special tokens' IDs as barriers: self.special_token_ids.",
    "barriers",
)
ACROSS_BOUNDARY = Mistake(
    "a merge across a pattern boundary",
    "BOUNDARY stands between two pieces of text; it is a barrier as well.",
    "barriers",
)
TIE = Mistake("a tie is decided in another way", "Among equally frequent pairs the one seen first wins.", "ties")
TIE_LAST = Mistake("in a tie the pair seen last wins", "The one seen first has to; mind >= in place of >.", "ties")
TIE_LOWEST = Mistake("in a tie the pair with the lowest IDs wins", "The one seen first has to.", "ties")
TIE_HIGHEST = Mistake(
    "in a tie the pair with the highest IDs wins",
    "The one seen first has to: compare counts only, not (count, pair).",
    "ties",
)
NOT_MOST_FREQUENT = Mistake(
    "the pair is not the most frequent one", "Take the pair whose count is the largest.", "pair-count"
)
NOT_MERGED = Mistake(
    "the IDs come back unmerged",
    "After the pair is chosen, replace it in the IDs and return the shorter list.",
    "overlap",
)
OTHER_ORDER = Mistake("the results are in another order", "It is (the new IDs, the pair, its count).")
OTHER_COUNT = Mistake(
    "the count is not the pair's", "It is how often the pair stood in the IDs before merging.", "pair-count"
)
ID_OFFSET = Mistake(
    "the ID is off by the number of special tokens",
    "Their IDs come first: use new_id as it is given, do not work it out from 256.",
    "id-offset",
)
OWN_ID = Mistake("another ID than new_id is used", "The caller decides: use new_id as it is given.", "id-offset")
REPLACED = Mistake(
    "a dictionary is replaced instead of extended",
    "What was learned before must stay: write self.merges[pair] = ..., and the same for vocab.",
    "replaced-dictionaries",
)
NOT_ENTERED = Mistake("the merge is not entered", "Both dictionaries get one more entry.", "replaced-dictionaries")
OTHER_WAY_ROUND = Mistake(
    "merges is the wrong way round", "The pair is the key, the new ID is the value.", "replaced-dictionaries"
)
BYTES_SWAPPED = Mistake(
    "the bytes are joined in the wrong order",
    "The bytes of the pair's first ID come first, then those of its second.",
    "byte-order",
)
ONE_HALF_TWICE = Mistake(
    "one half's bytes are used twice", "The token is made of both: pair[0] and pair[1].", "byte-order"
)
IDS_AS_BYTES = Mistake(
    "IDs are taken for bytes",
    "An ID above 255 is no byte: look both halves up in vocab and join what stands there.",
    "byte-order",
)
STR_IN_VOCAB = Mistake(
    "str where bytes belong",
    "vocab holds bytes: a token may be half a character, and no str can hold that.",
    "str-for-bytes",
)
NOT_BYTES_IN_VOCAB = Mistake(
    "something else where bytes belong", "vocab holds the bytes that the token stands for.", "str-for-bytes"
)
OVERLAP_DECIDES = Mistake(
    "the pair that can be replaced most often is taken",
    "The count decides: in [1, 1, 1, 1] the pair (1, 1) counts 3, although only two are replaced.",
    "overlap",
)
BOUNDARY_LOST = Mistake(
    "BOUNDARY is taken out", "It has to stay: the next step needs it too, and train removes it in the end.", "barriers"
)
SEVERAL_MERGES = Mistake(
    "more than one merge is learned", "train_step learns one; train calls it again and again.", "merge-order"
)
SHARED = Mistake(
    "merges of another tokenizer are in it",
    "Keep nothing on the class or in a global variable: self.merges belongs to one tokenizer.",
    "replaced-dictionaries",
)
KEY_TURNED = Mistake(
    "the pair is entered the other way round", "The key is (left, right), as the two stand in the text.", "byte-order"
)
BYTES_AS_KEY = Mistake(
    "bytes stand where the pair's IDs belong", "The key is the pair of IDs; the bytes go into vocab.", "byte-order"
)


def _barriers(outcome: Outcome) -> frozenset[int]:
    return outcome.state["special_token_ids"] | {BOUNDARY}


@recognises("BPETokenizer.train_step")
def train_step_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    ids, new_id = list(outcome.args[0]), outcome.args[1]
    counts = pair_counts(ids, _barriers(outcome))
    special = len(outcome.state["special_tokens"])
    if outcome.aspect == "the chosen pair":
        yield from _choice_mistakes(outcome.result, ids, counts, outcome.state)
    elif outcome.aspect == "tokenizer.merges":
        yield from _merges_mistakes(outcome, counts, new_id, special)
    elif outcome.aspect == "the new token's type":
        yield NOT_BYTES_IN_VOCAB
    elif outcome.aspect == "tokenizer.vocab":
        yield from _vocab_mistakes(outcome, counts, new_id, special)
    elif outcome.aspect:
        return
    elif outcome.error is not None:
        if not counts:
            yield NO_PAIR_LEFT
        if "chr()" in str(outcome.error):
            yield MADE_CHARACTERS
        if outcome.raised(ValueError) and "range(0, 256)" in str(outcome.error):
            yield IDS_AS_BYTES
        if outcome.raised(KeyError) and outcome.error.args == (BOUNDARY,):
            yield ACROSS_BOUNDARY
    elif outcome.result is None:
        yield STOPS_TOO_EARLY
    else:
        yield from _result_mistakes(outcome.result, ids, new_id, counts, outcome.state)


def _best(counts: dict[Pair, int]) -> Pair:
    return max(counts, key=counts.__getitem__)


def _result_mistakes(result, ids: list[int], new_id: int, counts: dict[Pair, int], state: dict) -> Iterator[Mistake]:
    kinds = sorted(type(part).__name__ for part in result)
    if kinds == ["int", "list", "tuple"] and [type(part) for part in result] != [list, tuple, int]:
        yield OTHER_ORDER
    new_ids, pair, count = result
    if pair is not None:
        yield from _choice_mistakes(pair, ids, counts, state)
    if not counts:
        yield GOES_ON
        return
    right = reference.merge(ids, pair, new_id)
    used = set(new_ids) - set(ids)
    if new_ids == ids:
        yield NOT_MERGED
    elif max(new_ids) > new_id:
        yield SEVERAL_MERGES
    elif BOUNDARY in ids and BOUNDARY not in new_ids:
        yield BOUNDARY_LOST
    elif len(used) == 1 and reference.merge(ids, pair, min(used)) == new_ids and min(used) != new_id:
        yield ID_OFFSET if new_id - min(used) == len(state["special_tokens"]) else OWN_ID
    elif new_ids == right and count != counts[pair]:
        yield OTHER_COUNT


def _choice_mistakes(pair: Pair, ids: list[int], counts: dict[Pair, int], state: dict) -> Iterator[Mistake]:
    """Why this pair was chosen and not the right one."""
    if BOUNDARY in pair:
        yield ACROSS_BOUNDARY
    if set(pair) & state["special_token_ids"]:
        yield ACROSS_SPECIAL
    if not counts or pair == _best(counts) or pair not in counts:
        return
    equal = [other for other in counts if counts[other] == max(counts.values())]
    if pair not in equal:
        replaced = {other: len(ids) - len(reference.merge(ids, other, -2)) for other in counts}
        if pair == _best(replaced):
            yield OVERLAP_DECIDES
        yield NOT_MOST_FREQUENT
        return
    last_seen = max(equal, key=lambda other: max(i for i in range(len(ids) - 1) if tuple(ids[i : i + 2]) == other))
    if pair == equal[-1] and pair not in (min(equal), max(equal)):
        yield TIE_LAST
    elif pair == min(equal) and pair != equal[-1]:
        yield TIE_LOWEST
    elif pair == max(equal) and pair != equal[-1]:
        yield TIE_HIGHEST
    elif pair in (equal[-1], last_seen):
        yield TIE_LAST
    else:
        yield TIE


def _merges_mistakes(outcome: Outcome, counts: dict[Pair, int], new_id: int, special: int) -> Iterator[Mistake]:
    merges, before, pair = (outcome.result, outcome.state["merges"], _best(counts) if counts else None)
    if pair is None:
        yield GOES_ON
        return
    if any(entry not in merges for entry in before):
        yield REPLACED
    if new_id in merges:
        yield OTHER_WAY_ROUND
    if merges == before:
        yield NOT_ENTERED
    if any(isinstance(half, bytes) for key in merges if isinstance(key, tuple) for half in key):
        yield BYTES_AS_KEY
    elif pair not in merges and pair[::-1] in merges:
        yield KEY_TURNED
    elif pair in merges and len(merges) > len(before) + 1:
        yield SEVERAL_MERGES if max(merges.values()) > new_id else SHARED
    if pair in merges and merges[pair] != new_id:
        yield ID_OFFSET if special and new_id - merges[pair] == special else OWN_ID


def _vocab_mistakes(outcome: Outcome, counts: dict[Pair, int], new_id: int, special: int) -> Iterator[Mistake]:
    vocab, before, pair = (outcome.result, outcome.state["vocab"], _best(counts) if counts else None)
    if pair is None:
        yield GOES_ON
        return
    if any(token_id not in vocab for token_id in before):
        yield REPLACED
    token = vocab.get(new_id)
    if isinstance(token, str):
        yield STR_IN_VOCAB
    if token == (before[pair[0]] + before[pair[1]]).decode(errors="replace").encode():
        yield STR_IN_VOCAB
    if token == before[pair[1]] + before[pair[0]]:
        yield BYTES_SWAPPED
    if token in (before[pair[0]] * 2, before[pair[1]] * 2) and pair[0] != pair[1]:
        yield ONE_HALF_TWICE
    if token is None and special and vocab.get(new_id - special) != before.get(new_id - special):
        yield ID_OFFSET
    if token is None:
        yield OWN_ID if set(vocab) - set(before) else NOT_ENTERED
    elif not isinstance(token, bytes):
        yield NOT_BYTES_IN_VOCAB


@recognises("BPEBase.train")
def train_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    """Training calls `train_step` many times: look at the first merge that differs from the right one."""
    parting = _first_wrong_merge(outcome)
    if parting is not None:
        yield from _choice_mistakes(parting.pair, parting.ids, parting.counts, vars(outcome.owner))
    text, vocab_size = outcome.args[:2]
    merges = outcome.owner.merges
    if len(merges) == 1 and vocab_size - outcome.owner.base_vocab_size > 1:
        yield REPLACED
    if merges and min(merges.values()) != outcome.owner.base_vocab_size:
        yield ID_OFFSET


class _Parting:
    """The state of training when the first wrong merge was learned."""

    def __init__(self, number: int, pair: Pair, expected: Pair | None, ids: list[int], counts: dict[Pair, int]) -> None:
        self.number, self.pair, self.expected, self.ids, self.counts = (number, pair, expected, ids, counts)


def _first_wrong_merge(outcome: Outcome) -> _Parting | None:
    tokenizer = outcome.owner
    barriers = tokenizer.special_token_ids | {BOUNDARY}
    ids = tokenizer._training_ids(outcome.args[0])
    for number, (pair, new_id) in enumerate(tokenizer.merges.items(), start=1):
        counts = pair_counts(ids, barriers)
        expected = _best(counts) if counts else None
        if pair != expected:
            return _Parting(number, pair, expected, ids, counts)
        ids = reference.merge(ids, pair, new_id)
    return None


def where_merges_part(outcome: Outcome, expected) -> str | None:
    """For `check(outcome.attribute("merges"), ...)` after training: the first merge that differs, and why."""
    parting = _first_wrong_merge(outcome)
    if parting is None:
        mine, theirs = len(outcome.owner.merges), len(expected)
        return f"yours has {mine} merges, expected {theirs}" if mine != theirs else "the same pairs, but other IDs"
    vocab = outcome.owner.vocab
    yours = f"merge {parting.number}: yours is {pair_text(parting.pair, vocab)} {_seen(parting, parting.pair)}"
    if parting.expected is None:
        return f"{yours}; no pair was left"
    theirs = f"expected {pair_text(parting.expected, vocab)} {_seen(parting, parting.expected)}"
    tie = parting.counts.get(parting.pair) == parting.counts[parting.expected]
    return f"{yours}; {theirs}" + (": a tie, and the pair seen first wins" if tie else "")


def _seen(parting: _Parting, pair: Pair) -> str:
    times = parting.counts.get(pair, 0)
    return {0: "never seen", 1: "seen once"}.get(times, f"seen {times} times")


# --- encode -----------------------------------------------------------------------------------------------------------

TEXT_ORDER = Mistake(
    "merges are applied in text order",
    "The pair that was learned first goes first, wherever it stands: the lowest new ID.",
    "merge-order",
)
FROM_THE_END = Mistake(
    "merges are applied from the end of the text",
    "The pair that was learned first goes first, wherever it stands: the lowest new ID.",
    "merge-order",
)
HIGHEST_FIRST = Mistake(
    "the highest ID goes first",
    "The pair that was learned first has the lowest new ID: take min, not max.",
    "merge-order",
)
LONGEST_FIRST = Mistake(
    "the longest token goes first",
    "BPE does not look for long tokens; it repeats the merges in the order learned.",
    "merge-order",
)
ONE_MERGE_ONLY = Mistake(
    "only one merge is applied",
    "After a replacement look again: the new ID may be half of another pair.",
    "merge-order",
)
NO_MERGES = Mistake(
    "no merge is applied", "Look for neighbours that are in self.merges, and replace them.", "merge-order"
)
PAIR_NOT_LEARNED = Mistake(
    "a pair that was never learned",
    "When no pair of the piece is in merges, the piece is done: stop there.",
    "endless-encode",
)
NO_PAIR_IN_PIECE = Mistake(
    "a piece without any pair",
    "One byte has no neighbour and no pair: the loop must end before min is asked.",
    "endless-encode",
)
SPECIAL_AS_TEXT = Mistake(
    "a special token is encoded as plain text", "self._pieces gives its ID, an int: append that.", "special-tokens"
)
SPECIAL_AS_PIECE = Mistake(
    "a special token's ID is treated as bytes",
    "self._pieces yields ints as well: append those, merge only bytes.",
    "special-tokens",
)
SPECIAL_SKIPPED = Mistake(
    "special tokens are left out", "self._pieces gives an int for each: append it.", "special-tokens"
)
ACROSS_PIECES = Mistake(
    "merging across pieces", "Merge within each piece of self._pieces; join the IDs after that.", "barriers"
)
LAST_PIECE_ONLY = Mistake("only one of the pieces comes back", "Collect the IDs of all pieces in one list.", "barriers")
CODE_POINTS = Mistake(
    "characters' numbers instead of bytes",
    "ord gives a code point, which may be above 255; start from UTF-8 bytes.",
    "str-for-bytes",
)
CHARACTERS = Mistake("str where IDs belong", "Start from bytes: list(piece) gives their numbers.", "str-for-bytes")
LIST_OF_LISTS = Mistake(
    "a list of lists comes back", "Extend the result with a piece's IDs, do not append the list.", "barriers"
)
MERGES_CHANGED = Mistake(
    "encode changes the tokenizer", "Encoding only reads merges and vocab.", "replaced-dictionaries"
)
NOT_CHECKED = Mistake(
    "the text is used before self._pieces has seen it",
    "It refuses what is no valid text; go through it first, and take the pieces that it gives.",
    "str-for-bytes",
)
SPECIAL_MOVED = Mistake(
    "special tokens are not where they stood", "Append each ID when its turn comes.", "special-tokens"
)
SPECIAL_ADDED = Mistake(
    "a special token is added that is not in the text", "Who wants one writes it into the text.", "special-tokens"
)
COUNTED_FROM_256 = Mistake(
    "merges are looked for from 256 on",
    "With special tokens the first merge has another ID: take the IDs from self.merges.",
    "id-offset",
)
SMALLEST_PAIR = Mistake(
    "the pair with the lowest IDs goes first", "Compare what the pairs make: key=self.merges.get.", "merge-order"
)
MOST_FREQUENT = Mistake(
    "the most frequent pair of the text goes first", "Frequency decided in training; now the order does.", "merge-order"
)
ONE_PLACE_ONLY = Mistake(
    "a pair is replaced at one place only", "Replace it everywhere in the piece, or look again.", "merge-order"
)
WORDS_APART = Mistake(
    "the text is cut at spaces", "Only self._pieces cuts, and without a pattern it does not.", "barriers"
)
CHARACTERS_APART = Mistake(
    "characters are encoded one by one", "A piece is one row of bytes; merges reach across characters.", "merge-order"
)
STALE = Mistake(
    "an earlier answer is given again",
    "What is remembered for a text holds only for the merges of that time: encode anew.",
    "merge-order",
)
CHANGES: list[tuple[Mistake, Callable[[str], str]]] = [
    (Mistake(f"the text is {change} first", "It has to come back as it was.", "changed-text"), function)
    for change, function in [
        ("put into lower case", str.lower),
        ("put into lower case", str.casefold),
        ("stripped of white space at its ends", str.strip),
        ("stripped of white space at its ends", str.rstrip),
        ("stripped of repeated white space", lambda text: " ".join(text.split())),
        ("given other line ends", lambda text: text.replace("\r\n", "\n")),
        ("given other line ends", lambda text: "\n".join(text.splitlines())),
        ("normalised", lambda text: unicodedata.normalize("NFC", text)),
        ("normalised", lambda text: unicodedata.normalize("NFD", text)),
        ("normalised", lambda text: unicodedata.normalize("NFKC", text)),
    ]
]


def stale(earlier: Outcome) -> Callable[[Outcome], Iterator[Mistake]]:
    """A recogniser: the answer is that of an earlier call, whose merges were others."""

    def recogniser(outcome: Outcome) -> Iterator[Mistake]:
        if outcome.gave(earlier.result):
            yield STALE

    return recogniser


@recognises("BPETokenizer.encode")
def encode_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    text, merges, special = (outcome.args[0], outcome.state["merges"], outcome.state["special_token_ids"])
    try:
        pieces = list(outcome.owner._pieces(text))
    except (TypeError, ValueError):
        yield NOT_CHECKED
        return
    if outcome.aspect.startswith("tokenizer."):
        yield MERGES_CHANGED
    if outcome.raised(KeyError):
        yield PAIR_NOT_LEARNED
    if outcome.raised(ValueError, IndexError):
        yield NO_PAIR_IN_PIECE
    if outcome.raised(TypeError) and special:
        yield SPECIAL_AS_PIECE
    if isinstance(outcome.result, list):
        if any(isinstance(token_id, list) for token_id in outcome.result):
            yield LIST_OF_LISTS
        if any(isinstance(token_id, (str, bytes)) for token_id in outcome.result):
            yield CHARACTERS
    right = reference.encode(pieces, merges)
    for mistake, wrong in _wrong_encodings(text, pieces, outcome.state, outcome.owner._pieces):
        if wrong != right and outcome.gave(wrong):
            yield mistake


def _wrong_encodings(
    text: str, pieces: list[int | bytes], state: dict, pieces_of: Callable[[str], Iterable[int | bytes]]
) -> Iterator[tuple[Mistake, list[int]]]:
    merges, vocab, special = state["merges"], state["vocab"], state["special_token_ids"]
    data = text.encode()
    plain = [piece for piece in pieces if not isinstance(piece, int)]
    if special:
        first = {pair: new_id for pair, new_id in merges.items() if new_id < 256 + len(merges)}
        yield COUNTED_FROM_256, reference.encode(pieces, first)
    yield NO_MERGES, reference.encode(pieces, {})
    if len(plain) < len(pieces):
        yield SPECIAL_AS_TEXT, reference.encode([data], merges)
    yield SPECIAL_SKIPPED, reference.encode(plain, merges)
    apart = [piece for piece in pieces if isinstance(piece, int)]
    for order in ([*apart, *plain], [*apart[::-1], *plain], [*plain, *apart]):
        yield SPECIAL_MOVED, reference.encode(order, merges)
    for token_id in special:
        for order in ([token_id, *pieces], [*pieces, token_id]):
            yield SPECIAL_ADDED, reference.encode(order, merges)
    for mistake, change in CHANGES:
        if change(text) != text:
            yield mistake, reference.encode(pieces_of(change(text)), merges)
    yield ACROSS_PIECES, reference.encode(_joined(pieces), merges)
    for cut in (rb" ?[^ ]+| ", rb"[^ ]+ ?| ", rb"[^ ]+| +"):
        yield WORDS_APART, reference.encode(re.findall(cut, data), merges)
    yield LAST_PIECE_ONLY, reference.encode(pieces[-1:], merges)
    yield LAST_PIECE_ONLY, reference.encode(pieces[:1], merges)
    yield CODE_POINTS, list(map(ord, text))
    yield TEXT_ORDER, _each(pieces, lambda ids: _repeat(ids, merges, lambda pairs: pairs[0]))
    yield TEXT_ORDER, _each(pieces, lambda ids: _one_by_one(ids, merges))
    yield LONGEST_FIRST, _each(pieces, lambda ids: _longest(bytes(ids), vocab, special))
    yield HIGHEST_FIRST, _each(pieces, lambda ids: _repeat(ids, merges, lambda pairs: max(pairs, key=merges.get)))
    yield FROM_THE_END, _each(pieces, lambda ids: _repeat(ids, merges, lambda pairs: pairs[-1]))
    yield SMALLEST_PAIR, _each(pieces, lambda ids: _repeat(ids, merges, min))
    yield MOST_FREQUENT, _each(pieces, lambda ids: _repeat(ids, merges, lambda pairs: max(pairs, key=pairs.count)))
    yield ONE_PLACE_ONLY, _each(pieces, lambda ids: _one_place(ids, merges))
    yield CHARACTERS_APART, reference.encode(_characters(pieces), merges)
    yield ONE_MERGE_ONLY, _each(pieces, lambda ids: _once(ids, merges))
    yield ONE_MERGE_ONLY, _each(pieces, lambda ids: _one_pass(ids, merges))


def _joined(pieces: list[int | bytes]) -> list[int | bytes]:
    """The pieces with neighbouring bytes put together."""
    joined: list[int | bytes] = []
    for piece in pieces:
        if joined and isinstance(piece, bytes) and isinstance(joined[-1], bytes):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


def _each(pieces: list[int | bytes], encode_piece: Callable[[list[int]], list[int]]) -> list[int]:
    ids: list[int] = []
    for piece in pieces:
        ids += [piece] if isinstance(piece, int) else encode_piece(list(piece))
    return ids


def _characters(pieces: list[int | bytes]) -> Iterator[int | bytes]:
    for piece in pieces:
        yield from ([piece] if isinstance(piece, int) else (character.encode() for character in piece.decode()))


def _one_place(ids: list[int], merges: dict[Pair, int]) -> list[int]:
    """Each merge in the order learned, at the first place of its pair alone."""
    for pair, new_id in merges.items():
        place = next((i for i in range(len(ids) - 1) if (ids[i], ids[i + 1]) == pair), len(ids))
        ids = ids[:place] + [new_id] * (place < len(ids)) + ids[place + 2 :]
    return ids


def _known(ids: list[int], merges: dict[Pair, int]) -> list[Pair]:
    return [pair for pair in zip(ids, ids[1:]) if pair in merges]


def _repeat(ids: list[int], merges: dict[Pair, int], choose: Callable[[list[Pair]], Pair]) -> list[int]:
    """Replace everywhere the pair that `choose` picks, until none is left."""
    while pairs := _known(ids, merges):
        pair = choose(pairs)
        ids = reference.merge(ids, pair, merges[pair])
    return ids


def _one_by_one(ids: list[int], merges: dict[Pair, int]) -> list[int]:
    """Replace the leftmost known pair at its one place, until none is left."""
    while known := [i for i in range(len(ids) - 1) if (ids[i], ids[i + 1]) in merges]:
        ids = ids[: known[0]] + [merges[ids[known[0]], ids[known[0] + 1]]] + ids[known[0] + 2 :]
    return ids


def _once(ids: list[int], merges: dict[Pair, int]) -> list[int]:
    pairs = _known(ids, merges)
    if not pairs:
        return ids
    pair = min(pairs, key=merges.get)
    return reference.merge(ids, pair, merges[pair])


def _one_pass(ids: list[int], merges: dict[Pair, int]) -> list[int]:
    """One walk from left to right that replaces every known pair it meets."""
    merged, position = [], 0
    while position < len(ids):
        pair = tuple(ids[position : position + 2])
        merged.append(merges.get(pair, ids[position]))
        position += 2 if pair in merges else 1
    return merged


def _longest(data: bytes, vocab: dict[int, bytes], special: Collection[int]) -> list[int]:
    """Cut off the longest token that the data begins with, again and again."""
    by_bytes = {token: token_id for token_id, token in vocab.items() if token_id not in special}
    longest = max(map(len, by_bytes))
    ids = []
    while data:
        length = max(length for length in range(1, longest + 1) if data[:length] in by_bytes)
        ids.append(by_bytes[data[:length]])
        data = data[length:]
    return ids


# --- decode -----------------------------------------------------------------------------------------------------------

STRICT = Mistake(
    "strict UTF-8", 'Bytes that are no valid UTF-8 must not raise: decode with errors="replace".', "strict-utf8"
)
DROPPED = Mistake(
    "invalid bytes are dropped", 'They become the replacement character: errors="replace", not "ignore".', "strict-utf8"
)
TOKEN_BY_TOKEN = Mistake(
    "tokens are decoded one by one",
    "A character's bytes may be spread over tokens: join all bytes, then decode once.",
    "token-by-token",
)
NUMBERS_AS_CHARACTERS = Mistake(
    "bytes are read as characters", "A byte above 127 is only part of a character: decode as UTF-8.", "str-for-bytes"
)
BYTES_BACK = Mistake("bytes where str belongs", "Decode the joined bytes as UTF-8; text is a str.", "str-for-bytes")
TOKENS_AS_TEXT = Mistake(
    "str made from bytes objects", "str(b'H') is \"b'H'\": join the bytes and decode them.", "str-for-bytes"
)
UNKNOWN_KEY_ERROR = Mistake(
    "a KeyError for an ID that does not exist",
    "Ask whether the ID is in vocab, and raise a ValueError that names it.",
    "unknown-id",
)
UNKNOWN_SKIPPED = Mistake(
    "an ID that does not exist is passed over",
    "Lost text must not go unseen: raise a ValueError that names the ID.",
    "unknown-id",
)
UNKNOWN_UNNAMED = Mistake(
    "the error does not name the ID", "Put the ID that does not exist into the message.", "unknown-id"
)
KNOWN_REFUSED = Mistake(
    "an ID that exists is refused", "Raise the ValueError only for an ID that is not in vocab.", "unknown-id"
)
SPECIAL_DROPPED = Mistake(
    "special tokens are left out", "They stand in vocab and are decoded like the others.", "special-tokens"
)
TRUTH_OF_ARRAY = Mistake(
    "an array is asked for its truth",
    "IDs may come as an array: go through them, without asking `if ids`.",
    "unknown-id",
)
OTHER_HANDLER = Mistake(
    "invalid bytes become something else", 'The replacement character stands for them: errors="replace".', "strict-utf8"
)
SPACES_BETWEEN = Mistake(
    "something is put between the tokens", "A token brings its own spaces: join the bytes with nothing.", "changed-text"
)
TIDIED = Mistake(
    "characters of the text are lost",
    "White space and line ends are text too: give back what the bytes say.",
    "changed-text",
)
MARK_LOST = Mistake("U+FEFF at the beginning is lost", 'Decode as "utf-8": "utf-8-sig" takes it off.', "changed-text")
LISTS_ONLY = Mistake(
    "only a list is accepted", "IDs may come in an array, which has no pop: go through them with for.", "unknown-id"
)
OTHER_ERROR = Mistake(
    "another error than a ValueError",
    "Raise a ValueError that names the ID; assert raises AssertionError.",
    "unknown-id",
)


@recognises("BPETokenizer.decode")
def decode_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    ids, vocab, special = (list(outcome.args[0]), outcome.state["vocab"], outcome.state["special_token_ids"])
    unknown = [token_id for token_id in ids if token_id not in vocab]
    known = [vocab[token_id] for token_id in ids if token_id in vocab]
    data = b"".join(known)
    if unknown:
        if outcome.raised(KeyError, IndexError):
            yield UNKNOWN_KEY_ERROR
        elif outcome.raised(ValueError):
            yield UNKNOWN_UNNAMED
        elif outcome.error is None:
            yield UNKNOWN_SKIPPED
        else:
            yield OTHER_ERROR
        return
    if outcome.raised(TypeError, AttributeError) and not isinstance(outcome.args[0], list):
        yield LISTS_ONLY
    if outcome.raised(ValueError) and "range(0, 256)" in str(outcome.error):
        yield IDS_AS_BYTES
    if outcome.raised(UnicodeDecodeError):
        yield STRICT if "�" in data.decode(errors="replace") else TOKEN_BY_TOKEN
    if outcome.raised(ValueError) and "truth value" in str(outcome.error):
        yield TRUTH_OF_ARRAY
    if outcome.raised(ValueError) and "chr() arg" in str(outcome.error):
        yield NUMBERS_AS_CHARACTERS
    elif outcome.raised(ValueError) and type(outcome.error) is ValueError:
        yield KNOWN_REFUSED
    if isinstance(outcome.result, (bytes, bytearray, list)):
        yield BYTES_BACK
    right = data.decode(errors="replace")
    wrongs = [
        (MARK_LOST, data.decode("utf-8-sig", errors="replace")),
        (DROPPED, data.decode(errors="ignore")),
        (TOKEN_BY_TOKEN, "".join(token.decode(errors="replace") for token in known)),
        (TOKEN_BY_TOKEN, "".join(token.decode(errors="ignore") for token in known)),
        (OTHER_HANDLER, data.decode(errors="backslashreplace")),
        (OTHER_HANDLER, data.decode(errors="surrogateescape")),
        (OTHER_HANDLER, right.replace("\ufffd", "?")),
        (SPACES_BETWEEN, " ".join(token.decode(errors="replace") for token in known)),
        (NUMBERS_AS_CHARACTERS, data.decode("latin-1")),
        (NUMBERS_AS_CHARACTERS, "".join(map(chr, ids))),
        (TOKENS_AS_TEXT, "".join(map(str, known))),
        (
            SPECIAL_DROPPED,
            b"".join(vocab[token_id] for token_id in ids if token_id not in special).decode(errors="replace"),
        ),
    ]
    for mistake, wrong in wrongs:
        if wrong != right and same(outcome.result, wrong):
            yield mistake
    if isinstance(outcome.result, str) and len(outcome.result) < len(right) and _is_part(outcome.result, right):
        yield TIDIED


def _is_part(shorter: str, text: str) -> bool:
    """Whether leaving out characters of `text` gives `shorter`."""
    rest = iter(text)
    return all(character in rest for character in shorter)
