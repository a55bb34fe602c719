"""Wrong solutions of apply_merge."""

import copy  # noqa: F401 (for a change)
from collections import Counter  # noqa: F401 (for a change)

from coach.diagnosis.bank import mistake


def merged(old, pair, new_id):
    new = []
    for token_id in old:
        if new and (new[-1], token_id) == pair:
            new[-1] = new_id
        else:
            new.append(token_id)
    return new


FOR, POP = "for number in", "tables.pair_words.pop(pair)"
OLD, NEW = "in zip(old, old[1:])", "in zip(new, new[1:])"
SUBTRACT = "tables.pair_counts[neighbors] -= frequency"
ADD = "tables.pair_counts[neighbors] = tables.pair_counts.get(neighbors, 0) + frequency"
NOTE = "tables.pair_words.setdefault(neighbors, set()).add(number)"
STORE = "tables.words[number] = new"
TOUCH = "tables.words_touched += 1"


@mistake(
    "a pair that occurs twice in a word is counted once",
    why="Subtract and add the frequency once for each occurrence, so go through all pairs of neighbors.",
    pitfall="overlap",
    change={OLD: "in set(zip(old, old[1:]))", NEW: "in set(zip(new, new[1:]))"},
)
def apply_each_pair_once():
    """I make a set of the word's pairs, so that I visit each pair once."""


@mistake(
    "1 is added or subtracted, not the frequency",
    why="The word occurs in the corpus as often as its frequency says.",
    pitfall="frequency",
    change=[{"-= frequency": "-= 1", "+ frequency": "+ 1"}, {"-= frequency": "-= 1"}, {"+ frequency": "+ 1"}],
)
def merge_changes_by_one():
    """Each place is one pair less, and one more."""


@mistake(
    "a set is changed while a loop runs over it",
    why="A set must not change during a loop over it: take it out with pair_words.pop(pair) first.",
    pitfall="pair-words",
    change={POP: "tables.pair_words[pair]", TOUCH: f"{TOUCH}\ntables.pair_words[pair].discard(number)"},
)
def merge_changes_the_set():
    """When a word is done, I take its number out of the set."""


@mistake(
    "the counts are wrong where pairs overlap",
    why="In l l l l, neighboring pairs share an ID: subtract all pairs of the old word and add all pairs of the new one.",
    pitfall="overlap",
)
def merge_corrects_neighbors(tables, pair, new_id):
    """Wherever the pair occurs, its neighbors lose a count and the new ID gains one."""

    def change(neighbors, number):
        tables.pair_counts[neighbors] = tables.pair_counts.get(neighbors, 0) + number
        if tables.pair_counts[neighbors] == 0:
            del tables.pair_counts[neighbors]

    for number in sorted(tables.pair_words.pop(pair)):
        tables.words_touched += 1
        old, new, frequency = tables.words[number], [], tables.frequencies[number]
        position = 0
        while position < len(old):
            if tuple(old[position : position + 2]) != pair:
                new.append(old[position])
                position += 1
                continue
            change(pair, -frequency)
            if new:
                change((old[position - 1], pair[0]), -frequency)
                change((new[-1], new_id), frequency)
                tables.pair_words.setdefault((new[-1], new_id), set()).add(number)
            if position + 2 < len(old):
                change((pair[1], old[position + 2]), -frequency)
                change((new_id, old[position + 2]), frequency)
                tables.pair_words.setdefault((new_id, old[position + 2]), set()).add(number)
            new.append(new_id)
            position += 2
        tables.words[number] = new


@mistake(
    "the pairs of the new word are subtracted",
    why="Subtract the old word's pairs before it changes: a list merged in place changes under all its names.",
    pitfall="count-in-and-out",
    change=[
        {OLD: OLD.replace("old", "merged(old, pair, new_id)"), SUBTRACT: ADD.replace("+", "-"), "== 0": f"{least} 0"}
        for least in ("==", "<=")
    ],
)
def merge_counts_out_too_late():
    """I store the new word, then subtract its old pairs and add its new ones."""


@mistake(
    "a word is missing from the set of a pair that it contains",
    why="Remove a number only when the pair no longer occurs in the word.",
    pitfall="pair-words",
    change={
        SUBTRACT: f"{SUBTRACT}\ntables.pair_words.get(neighbors, set()).discard(number)",
        NOTE: f"if neighbors not {OLD}:\n    {NOTE}",
    },
)
def merge_drops_old_neighbours():
    """The pairs of the old word have lost this word."""


@mistake(
    "only the first place in a word is replaced",
    why="Go on to the end of the word.",
    pitfall="overlap",
    change={"if new and (": "if new and new_id not in new and ("},
)
def merge_first_place_only():
    """list.index finds the pair's place."""


@mistake(
    "the pair is replaced from right to left",
    why="In l l l the first two become one.",
    pitfall="overlap",
    change={"in old:": "in old[::-1]:", "(new[-1], token_id)": "(token_id, new[-1])", STORE: f"new.reverse()\n{STORE}"},
)
def merge_from_the_right():
    """I work from the end to the front, so that the places before it stay valid."""


@mistake(
    "pairs with the count 0 stay",
    why="Delete a count that has reached 0; otherwise training never runs out of pairs.",
    pitfall="zero-counts",
    change=[
        {"if tables.pair_counts[neighbors] == 0:": "if False:"},
        {
            f"{FOR} {POP}": f"del tables.pair_counts[pair]\n{FOR} {POP}",
            SUBTRACT: f"if neighbors == pair:\n    continue\n{SUBTRACT}",
            "if tables.pair_counts[neighbors] == 0:": "if False:",
        },
    ],
)
def merge_keeps_zeros():
    """A count of 0 is as good as none."""


@mistake(
    "all words are looked at",
    why="pair_words[pair] says which words contain the pair.",
    pitfall="only-touched",
    change=[
        {f"{FOR} {POP}": f"del tables.pair_words[pair]\n{FOR} range(len(tables.words))"},
        {
            f"{FOR} {POP}": f"del tables.pair_words[pair]\n{FOR} [number for number, word in enumerate(tables.words) if pair in zip(word, word[1:])]"
        },
    ],
)
def merge_looks_at_all_words():
    """I go through the words and replace the pair where it is."""


@mistake(
    "words_touched starts again with each merge",
    why="words_touched is a total over all merges: add to it.",
    pitfall="only-touched",
    change={FOR: f"tables.words_touched = 0\n{FOR}"},
)
def merge_measures_one_merge():
    """words_touched is how many words this merge looks at."""


@mistake(
    "the old neighbors stay counted",
    why="Subtract all pairs of the old word before you add the new word's.",
    pitfall="count-in-and-out",
    change={OLD: "in ()", NEW: f"in [two for two {NEW} if new_id in two]", FOR: f"del tables.pair_counts[pair]\n{FOR}"},
)
def merge_neighbors_stay_counted():
    """I replace the pair, delete its count, and add the new pairs."""


@mistake(
    "the count of a new pair is read before there is one",
    why="A new pair has no entry yet: use get(pair, 0).",
    pitfall="count-in-and-out",
    change={"= tables.pair_counts.get(neighbors, 0) + frequency": "+= frequency"},
)
def merge_new_pair_has_no_count():
    """The counts go up by the frequency."""


@mistake(
    "new pairs are missing from pair_words",
    why="When you add a pair's count, add the word's number to the pair's set as well.",
    pitfall="pair-words",
    change=[{NOTE: ""}, {NOTE: NOTE.replace(".add(number)", "")}],
)
def merge_new_pairs_know_no_words():
    """pair_words was built in build_tables."""


@mistake(
    "the new pairs are not added",
    why="Add the frequency for each pair of the new word.",
    pitfall="count-in-and-out",
    change={ADD: ""},
)
def merge_new_pairs_not_counted():
    """I take the replaced pairs out of the counts."""


@mistake(
    "words_touched is not counted",
    why="Add 1 for each word that is looked at.",
    pitfall="only-touched",
    change={TOUCH: ""},
)
def merge_not_measured():
    """words_touched is a measure and does nothing, so it can wait."""


@mistake(
    "the words stay as they are",
    why="Store the new word: tables.words[number] = …",
    pitfall="count-in-and-out",
    has="nowhere: copy.deepcopy(X) or deepcopy(X) or copy.copy(X) or copy(X) or replace(...) or tables = X",
    change={STORE: ""},
)
def merge_not_stored():
    """The new word is built in a separate list."""


@mistake(
    "a word of which one token is left is not stored",
    why="It has no pair any more, but it has changed: store every new word.",
    pitfall="words",
    change={STORE: f"if len(new) > 1:\n    {STORE}"},
)
def merge_skips_single_tokens():
    """A word of one token has no pair, so I go on with the next one."""


@mistake(
    "the pairs of the old word are added again",
    why="The new pairs are those of the new word: zip(new, new[1:]).",
    pitfall="count-in-and-out",
    change={NEW: OLD},
)
def merge_adds_the_old_pairs():
    """I add the pairs of the word after the replacement."""


@mistake(
    "the digits of the IDs are replaced, not the IDs",
    why='As text, "21 23" contains "1 2": compare IDs, or put a separator on both sides of each.',
    pitfall="count-in-and-out",
    has="' '.join(...) or ','.join(...) or X.replace(...)",
    change={
        "tables.words[number] = new": 'text = " ".join(map(str, old)).replace(f"{pair[0]} {pair[1]}", str(new_id))\nnew = [int(one) for one in text.split()]\ntables.words[number] = new'
    },
)
def merge_replaces_text():
    """I write the IDs as text and use replace."""


@mistake(
    "a copy of the tables is changed",
    why="The caller needs the change: modify the tables that were passed, not a copy.",
    pitfall="count-in-and-out",
    has="copy.deepcopy(X) or deepcopy(X) or copy.copy(X) or copy(X) or replace(...) or tables = X",
    change={FOR: f"tables = copy.deepcopy(tables)\n{FOR}"},
)
def merge_in_a_copy():
    """An argument belongs to the caller, so I work on a copy."""


@mistake(
    "Counter - Counter drops negative counts",
    why="The pairs that a word has lost are not in the difference: subtract its old pairs, and add its new ones.",
    pitfall="count-in-and-out",
    has="X - Y",
    change=[
        {OLD: "in ()", NEW: "in (Counter(zip(new, new[1:])) - Counter(zip(old, old[1:]))).elements()", FOR: first + FOR}
        for first in ("", "del tables.pair_counts[pair]\n")
    ],
)
def merge_drops_negative_counts():
    """The difference of the new pairs and the old ones is what changes."""


@mistake(
    "the old pairs are not subtracted",
    why="Subtract the frequency for each pair of the old word.",
    pitfall="count-in-and-out",
    change={OLD: "in ()", FOR: f"del tables.pair_counts[pair]\n{FOR}"},
)
def merge_old_pairs_stay():
    """The new pairs are added, and the merged one is deleted."""


@mistake(
    "only the merged pair loses its count",
    why="Its neighbors change too: (o, w) is gone when lo is one token.",
    pitfall="count-in-and-out",
    change={OLD: "in ()", ADD: "", FOR: f"del tables.pair_counts[pair]\n{FOR}"},
)
def merge_only_the_pair():
    """Only the merged pair is gone, so I delete its count."""


@mistake(
    "the merged pair stays in pair_words",
    why="The pair no longer occurs anywhere: remove its entry from pair_words.",
    pitfall="pair-words",
    change={POP: "list(tables.pair_words[pair])"},
)
def merge_pair_stays_listed():
    """The set belongs to the pair, and nobody asks for it again."""


@mistake(
    "words_touched counts occurrences",
    why="A word adds 1, however often it occurs and however often it contains the pair.",
    pitfall="only-touched",
    change=[
        {TOUCH: "", "new[-1] = new_id": "new[-1] = new_id\ntables.words_touched += 1"},
        {TOUCH: "tables.words_touched += tables.frequencies[number]"},
    ],
)
def merge_touches_places():
    """Each time that the pair is replaced counts."""


@mistake(
    "an ID is used in two pairs",
    why="Each ID can be merged only once.",
    pitfall="overlap",
    change={
        "tables.words[number] = new": "places = [i for i, two in enumerate(zip(old, old[1:])) if two == pair]\nnew = [new_id if i in places else old[i] for i in range(len(old)) if i in places or i - 1 not in places]\ntables.words[number] = new"
    },
)
def merge_uses_an_id_twice():
    """For each position I look whether the pair begins there."""


@mistake(
    "the counts are wrong where pairs overlap",
    why="Subtract all pairs of the old word and add all pairs of the new one.",
    pitfall="overlap",
)
def merge_neighbours_only(tables, pair, new_id):
    """Each replaced pair takes away the pairs to its left and right, and brings two new ones."""
    counts = tables.pair_counts

    def add(left, right, change):
        counts[left, right] = counts.get((left, right), 0) + change

    for number in tables.pair_words.pop(pair):
        tables.words_touched += 1
        old, frequency = tables.words[number], tables.frequencies[number]
        new, place = [], 0
        while place < len(old):
            if tuple(old[place : place + 2]) == pair:
                add(*pair, -frequency)
                if place > 0:
                    add(old[place - 1], pair[0], -frequency)
                    add(old[place - 1], new_id, frequency)
                if place + 2 < len(old):
                    add(pair[1], old[place + 2], -frequency)
                    add(new_id, old[place + 2], frequency)
                new.append(new_id)
                place += 2
            else:
                new.append(old[place])
                place += 1
        tables.words[number] = new
        for neighbors in zip(new, new[1:]):
            tables.pair_words.setdefault(neighbors, set()).add(number)
    for key in [key for key, count in counts.items() if count == 0]:
        del counts[key]


@mistake(
    "the counts are wrong where pairs overlap",
    why="The pair between two replacements changes twice: subtract all pairs of the old word and add all pairs of the new one.",
    pitfall="overlap",
)
def merge_corrects_old_neighbors(tables, pair, new_id):
    """Only the pairs left and right of each replacement change, so I correct just those, which is faster."""

    def add(neighbors, amount, number):
        tables.pair_counts[neighbors] = tables.pair_counts.get(neighbors, 0) + amount
        if tables.pair_counts[neighbors] <= 0:
            del tables.pair_counts[neighbors]
        elif amount > 0:
            tables.pair_words.setdefault(neighbors, set()).add(number)

    for number in tables.pair_words[pair]:
        tables.words_touched += 1
        word, frequency = tables.words[number], tables.frequencies[number]
        place = 0
        while place < len(word) - 1:
            if (word[place], word[place + 1]) == pair:
                if place > 0:
                    add((word[place - 1], word[place]), -frequency, number)
                    add((word[place - 1], new_id), frequency, number)
                if place + 2 < len(word):
                    add((word[place + 1], word[place + 2]), -frequency, number)
                    add((new_id, word[place + 2]), frequency, number)
                place += 1
            place += 1
        tables.words[number] = merged(word, pair, new_id)
    tables.pair_counts.pop(pair, None)
    del tables.pair_words[pair]


@mistake(
    "words_touched counts merges",
    why="Add 1 for each word that is looked at, in the loop over the words.",
    pitfall="only-touched",
    change={TOUCH: "", FOR: f"{TOUCH}\n{FOR}"},
)
def merge_measures_merges():
    """words_touched goes up each time that I merge."""


@mistake(
    "the count of the merged pair is deleted too early",
    why="Its places are still in the words: subtract each of them, and delete the count when it has fallen to 0.",
    pitfall="count-in-and-out",
    has="del X[pair] or X.pair_counts.pop(...) or counts.pop(...) or pair_counts.pop(...)",
    change={FOR: f"del tables.pair_counts[pair]\n{FOR}"},
)
def merge_deletes_the_count_first():
    """The pair is gone after the merge, so I delete its count first."""


@mistake(
    "counts are deleted before they have fallen to 0",
    why="Other words have the pair too: subtract this word's frequency, and delete a count only at 0.",
    pitfall="count-in-and-out",
    change={SUBTRACT: "tables.pair_counts.pop(neighbors, None)", "if tables.pair_counts[neighbors] == 0:": "if False:"},
)
def merge_deletes_the_counts():
    """The pairs of the old word are gone, so I delete their counts."""


@mistake(
    "a word that has lost the pair is not counted as touched",
    why="A word in pair_words[pair] is visited even if it has lost the pair: count it before you look for the pair.",
    pitfall="only-touched",
    change={TOUCH: f"if pair not in zip(tables.words[number], tables.words[number][1:]):\n    continue\n{TOUCH}"},
)
def merge_counts_only_words_with_the_pair():
    """A word without the pair is skipped at once."""
