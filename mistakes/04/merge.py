"""Wrong solutions of BPETokenizer._merge."""

import numpy as np

from coach.diagnosis.bank import mistake
from g2c.solutions.bpe import BPETokenizer as AnswerKey

MATCH = "if tuple(ids[position : position + 2]) == pair:"


@mistake(
    "IDs are converted to bytes",
    why="An ID may exceed 255, and then it is not a byte: work on a list of integers.",
    pitfall="str-for-bytes",
)
def merge_as_bytes(self, ids, pair, new_id):
    """bytes.replace does just this, from left to right."""
    data = bytes(ids).replace(bytes(pair), bytes([new_id]))
    return list(data)


@mistake(
    "IDs are replaced as text",
    why="The text '1 2' also occurs in '11 2' and in '-1 2', where it is not the pair: compare IDs.",
    pitfall="str-for-bytes",
)
def merge_as_text(self, ids, pair, new_id):
    """Text can be searched and replaced, so I write the IDs as text."""
    text = " ".join(str(token_id) for token_id in ids)
    return [int(number) for number in text.replace(f"{pair[0]} {pair[1]}", str(new_id)).split()]


@mistake(
    "a match right after another one is left out",
    why="Two matches side by side share the space between them, and replace uses it up: compare IDs.",
    pitfall="str-for-bytes",
)
def merge_as_text_between_spaces(self, ids, pair, new_id):
    """With a space before and after it, the pair is found only where whole IDs are."""
    text = " " + " ".join(map(str, ids)) + " "
    return [int(word) for word in text.replace(f" {pair[0]} {pair[1]} ", f" {new_id} ").split()]


@mistake(
    "numbers are compared with `is`",
    why="`is` asks whether both are the same object, and two equal integers may be different objects: compare with ==.",
    pitfall="overlap",
    change={MATCH: "if position + 1 < len(ids) and ids[position] is pair[0] and (ids[position + 1] is pair[1]):"},
)
def merge_compares_objects():
    """`is` reads like "is the same number"."""


@mistake(
    "the last ID is copied although it has been merged",
    why="When the last two IDs are the pair, nothing is left to copy after the loop.",
    pitfall="pair-count",
    change={"len(ids):": "len(ids) - 1:", "return merged": "return merged + ids[-1:]"},
)
def merge_copies_the_last_twice():
    """The loop stops before the last ID, so I append it after the loop."""


@mistake(
    "the new ID is missing",
    why="The pair is removed, and new_id takes its place.",
    pitfall="overlap",
    change={"merged.append(new_id)": ""},
)
def merge_drops_the_pair():
    """At a match I skip both IDs."""


@mistake(
    "left and right are not distinguished",
    why="(2, 1) is not the pair (1, 2): compare the IDs in order.",
    pitfall="byte-order",
    change={MATCH: "if len(ids) - position >= 2 and sorted(ids[position : position + 2]) == sorted(pair):"},
)
def merge_either_order():
    """Both IDs belong to the pair, so they are the pair."""


@mistake(
    "only the first occurrence is replaced",
    why="Continue to the end of the list after a match.",
    pitfall="overlap",
    has="nowhere: I + 2 < len(X) or I < len(X) - 2 or range(len(X) - 2)",
    change={"== pair:": "== pair and len(merged) == position:"},
)
def merge_first_only():
    """I look for the pair, replace it and return."""


@mistake(
    "the search ends at a left ID without the right one after it",
    why="index finds only the first position. Check every position: the pair may come later.",
    pitfall="overlap",
)
def merge_finds_by_index(self, ids, pair, new_id):
    """index tells me where the pair's first ID is."""
    ids = list(ids)
    while pair[0] in ids:
        position = ids.index(pair[0])
        if ids[position + 1 : position + 2] != [pair[1]]:
            break
        ids[position : position + 2] = [new_id]
    return ids


@mistake(
    "the pair is replaced from right to left",
    why="In [1, 1, 1] the two on the left become one: go from left to right.",
    pitfall="overlap",
)
def merge_from_the_right(self, ids, pair, new_id):
    """From the end to the front, no replacement moves the IDs that I have yet to look at."""
    merged = list(ids)
    for position in range(len(merged) - 2, -1, -1):
        if tuple(merged[position : position + 2]) == pair:
            merged[position : position + 2] = [new_id]
    return merged


@mistake(
    "a last ID that is the right half of the pair is lost",
    why="It is merged only if the left half stands before it: otherwise, copy it.",
    pitfall="pair-count",
    change={
        "while position < len(ids):": "while position < len(ids) - 1:",
        "return merged": "if ids and ids[-1] != pair[1]:\n    merged.append(ids[-1])\nreturn merged",
    },
)
def merge_loses_a_right_half():
    """After the loop I append the last ID if it was not part of a pair, which its value tells."""


@mistake(
    "everything after the last left half is lost",
    why="Copy what follows, too: merged.extend(ids[position:]).",
    pitfall="overlap",
    has="pair[0] in X",
    change={"while position < len(ids):": "while pair[0] in ids[position:]:"},
)
def merge_until_the_last_left_half():
    """I go on as long as there is a left half."""


@mistake(
    "the list that was passed is changed",
    why="It belongs to the caller. Build a new list and return that.",
    pitfall="mutated-argument",
)
def merge_in_place(self, ids, pair, new_id):
    """I replace in the list itself, which saves memory."""
    position = 0
    while position < len(ids) - 1:
        if (ids[position], ids[position + 1]) == pair:
            ids[position : position + 2] = [new_id]
        position += 1
    return ids


@mistake(
    "the second ID of a match stays",
    why="The new ID stands for both: append it to a new list, and go on after both of them.",
    pitfall="overlap",
    change={"merged.append(new_id)": "merged.extend([new_id, pair[1]])"},
)
def merge_keeps_the_second():
    """Where the pair begins I write new_id in its place, and go on after the pair."""


@mistake(
    "one half of the pair is enough",
    why="Both IDs have to match: the left one and the right one.",
    pitfall="byte-order",
    change=[
        {"tuple(ids[position : position + 2]) == pair": "ids[position] == pair[0] and position + 1 < len(ids)"},
        {"tuple(ids[position : position + 2]) == pair": "ids[position + 1 : position + 2] == [pair[1]]"},
    ],
)
def merge_left_half():
    """Where I find one half of the pair, the other one is beside it."""


@mistake(
    "nothing is replaced",
    why="A list never equals a tuple: [1, 2] == (1, 2) is False.",
    pitfall="overlap",
    has="X[A:B] == Y or Y == X[A:B] or X[A:B] != Y or [A, B] == Y or Y == [A, B] or [A, B] != Y",
    change={MATCH: "if ids[position : position + 2] == pair:"},
)
def merge_list_is_no_tuple():
    """I compare a slice of two IDs with the pair."""


@mistake(
    "the last ID is lost",
    why="It has no neighbor, but it still has to be copied.",
    pitfall="overlap",
    change={"while position < len(ids):": "while position < len(ids) - 1:"},
)
def merge_loses_the_last():
    """The last ID has no neighbor, so my loop ends before it."""


@mistake(
    "after a match the position advances by only one",
    why="A match uses up two IDs: append to a new list in a while loop, which can advance by two.",
    pitfall="overlap",
    change={"position += 2": "position += 1"},
)
def merge_moves_by_one():
    """In a for loop over the positions I append new_id where the pair begins, and the ID everywhere else."""


@mistake(
    "new IDs side by side are merged as well",
    why="One call replaces one pair; [99, 99] stays two IDs.",
    pitfall="overlap",
    change={"merged.append(new_id)": "if merged[-1:] != [new_id]:\n    merged.append(new_id)"},
)
def merge_new_ids_again():
    """After a match I look back, because the new ID may fit as well."""


@mistake(
    "a neighbor is looked for after the last ID",
    why="The last ID has no neighbor: check the position before you compare.",
    pitfall="pair-count",
    change={MATCH: "if (ids[position], ids[position + 1]) == pair:"},
)
def merge_past_the_end():
    """At every position I compare this ID and the next one with the pair."""


@mistake(
    "the pair stays beside the new ID",
    why="The new ID takes the place of the pair: neither half is copied.",
    pitfall="overlap",
)
def merge_puts_the_id_beside(self, ids, pair, new_id):
    """I add the new ID where the pair was found."""
    merged = []
    for position, token_id in enumerate(ids):
        merged.append(token_id)
        if position and (ids[position - 1], token_id) == pair:
            merged.append(new_id)
    return merged


@mistake(
    "another occurrence of the right half is removed",
    why="list.remove(value) removes the first ID with this value, wherever it is: use del ids[position].",
    pitfall="overlap",
)
def merge_removes_by_value(self, ids, pair, new_id):
    """I put new_id in the place of the left half and remove the right half from the list."""
    ids = list(ids)
    position = 0
    while position < len(ids) - 1:
        if (ids[position], ids[position + 1]) == pair:
            ids[position] = new_id
            ids.remove(pair[1])
        position += 1
    return ids


@mistake(
    "the function returns inside the loop",
    why="The return statement belongs after the loop. Indented under it, it ends the function in the first iteration.",
    pitfall="overlap",
    has="in a loop: return X",
    change={"position += 1": "position += 1\nreturn merged"},
)
def merge_returns_in_the_loop():
    """When I have handled the ID I return the list."""


@mistake(
    "the list that was passed is returned",
    why="Whoever changes the result would change the argument as well: build a new list.",
    pitfall="mutated-argument",
)
def merge_returns_the_same_list(self, ids, pair, new_id):
    """When the pair is not there I can return the list as it is."""
    if pair not in zip(ids, ids[1:]):
        return ids
    return AnswerKey._merge(self, ids, pair, new_id)


@mistake(
    "the list gets shorter while a loop runs over its original length",
    why="range is computed once: build a new list.",
    pitfall="overlap",
    has="range(...)",
)
def merge_shrinking_list(self, ids, pair, new_id):
    """I replace in a copy, going over its positions."""
    ids = list(ids)
    for position in range(len(ids)):
        if (ids[position], ids[position + 1]) == pair:
            ids[position : position + 2] = [new_id]
    return ids


@mistake(
    "IDs between the matches are skipped",
    why="Without a match, advance by one position.",
    pitfall="overlap",
    change={"merged.append(ids[position])": "merged += ids[position : position + 2]", "position += 1": "position += 2"},
)
def merge_steps_of_two():
    """Pairs have two IDs, so I walk in steps of two."""


@mistake(
    "the last pair is not replaced",
    why="A pair may end at the very last ID: continue while one more ID follows.",
    pitfall="overlap",
    has="I + 2 < len(X) or I < len(X) - 2 or range(len(X) - 2)",
    change={"== pair:": "== pair and position + 2 < len(ids):"},
)
def merge_stops_at_the_last_pair():
    """When I am at the last pair I am done."""


@mistake("an ID is used in two pairs", why="Each ID can be merged only once.", pitfall="overlap")
def merge_uses_an_id_twice(self, ids, pair, new_id):
    """Wherever the pair begins, I put new_id."""
    places = {i for i in range(len(ids) - 1) if (ids[i], ids[i + 1]) == pair}
    merged = []
    for i, token_id in enumerate(ids):
        if i in places:
            merged.append(new_id)
        elif i - 1 not in places:
            merged.append(token_id)
    return merged


@mistake(
    "IDs are converted to characters",
    why="Not every ID is the number of a character: BOUNDARY is -1. Compare numbers.",
    pitfall="str-for-bytes",
)
def merge_with_characters(self, ids, pair, new_id):
    """Each ID becomes a character, and then str.replace does the work."""
    text = "".join(map(chr, ids)).replace("".join(map(chr, pair)), chr(new_id))
    return list(map(ord, text))


@mistake("an ID is used in two pairs", why="Each ID can be merged only once.", pitfall="overlap")
def merge_with_a_mask(self, ids, pair, new_id):
    """I find all places of the pair at once, put new_id there, and leave out the position after each."""
    ids = np.array(ids, dtype=np.int64)
    (places,) = np.where((ids[:-1] == pair[0]) & (ids[1:] == pair[1]))
    ids[places] = new_id
    return np.delete(ids, places + 1).tolist()


@mistake(
    "the list gets shorter while a loop runs over it",
    why="After del, the positions of the loop are off by one: build a new list instead.",
    pitfall="overlap",
    has="del X[A] or del X[A:B] or X[A:B] = C or X.pop(A)",
)
def merge_deletes_in_a_loop(self, ids, pair, new_id):
    """enumerate gives me the position, so I write new_id there and delete the next one."""
    merged = list(ids)
    for position, two in enumerate(zip(merged, merged[1:])):
        if two == pair:
            merged[position] = new_id
            del merged[position + 1]
    return merged


@mistake(
    "everything after the first match is lost",
    why="Continue after the match: a flag that skips its second ID must become False again, and break ends the loop.",
    pitfall="overlap",
    change={"position += 2": "break"},
)
def merge_keeps_skipping():
    """After a match the next ID must be skipped, so I set a flag."""
