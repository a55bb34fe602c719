"""Module 04e: what the classic mistakes in incremental training would give, and how to say so."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from g2c.course import reference
from g2c.course.reference import Pair
from g2c.course.teaching import Mistake, Outcome, recognises
from g2c.tokenizer.incremental import PairTables, first_place

# --- the same once more, as plainly as it can be ----------------------------------------------------------------------


def reference_tables(word_counts: Mapping[bytes, int], *merges: tuple[Pair, int]) -> PairTables:
    """Right tables for these words, after these merges.

    >>> reference_tables({b"ab": 2}, ((97, 98), 256)).words
    [[256]]
    """
    tables = PairTables(words=[list(word) for word in word_counts], frequencies=list(word_counts.values()))
    _count_in(tables, range(len(tables.words)))
    for pair, new_id in merges:
        _replace(tables, pair, new_id)
    return tables


def most_touched(word_counts: Mapping[bytes, int], merges: Mapping[Pair, int]) -> int:
    """How many words these merges look at, when each looks at all words that hold its pair or have held it."""
    tables, touched = reference_tables(word_counts), 0
    for pair, new_id in merges.items():
        touched += len(tables.pair_words[pair])
        _replace(tables, pair, new_id)
    return touched


def _replace(tables: PairTables, pair: Pair, new_id: int) -> None:
    numbers = tables.pair_words.pop(pair)
    for number in numbers:
        for neighbours, count in _pairs(tables, number).items():
            tables.pair_counts[neighbours] -= count
            if not tables.pair_counts[neighbours]:
                del tables.pair_counts[neighbours]
        tables.words[number] = reference.merge(tables.words[number], pair, new_id)
        _count_in(tables, [number])


def _count_in(tables: PairTables, numbers: Any) -> None:
    for number in numbers:
        for neighbours, count in _pairs(tables, number).items():
            tables.pair_counts[neighbours] = tables.pair_counts.get(neighbours, 0) + count
            tables.pair_words.setdefault(neighbours, set()).add(number)


def _pairs(tables: PairTables, number: int) -> dict[Pair, int]:
    """Pair -> what the word with this number adds to its count."""
    counts = reference.pair_counts(tables.words[number])
    return {pair: count * tables.frequencies[number] for pair, count in counts.items()}


class Watched(list):
    """A list that remembers in `read` which of its places were read."""

    def __init__(self, values: list) -> None:
        super().__init__(values)
        self.read: set[int] = set()

    def __deepcopy__(self, memo: dict) -> list:
        # A report keeps the arguments as they were; that is no reading of the student's.
        return [list(word) for word in super().__iter__()]

    def __getitem__(self, place: int | slice) -> Any:
        places = range(len(self))[place]
        self.read.update([places] if isinstance(places, int) else places)
        return super().__getitem__(place)

    def __iter__(self) -> Iterator[Any]:
        for place in range(len(self)):
            self.read.add(place)
            yield super().__getitem__(place)


# --- build_tables -----------------------------------------------------------------------------------------------------

NO_NEIGHBOUR = Mistake(
    "a neighbour is looked for after the last ID", "n IDs have n - 1 pairs: zip(word, word[1:]) ends in time.", "words"
)
FREQUENCY_IGNORED = Mistake(
    "each word counts once", "A pair's count goes up by the word's frequency for each of its places.", "frequency"
)
ONCE_A_WORD = Mistake(
    "a pair counts once a word", "Each of its places in the word counts: do not make a set of the pairs.", "frequency"
)
TIMES_SQUARED = Mistake("a frequency is counted twice over", "Once for each place in the word.", "frequency")
NOT_LISTS = Mistake("the words are not lists", "list(word) makes a list of IDs, which merging can replace.", "words")
ACROSS_WORDS = Mistake("pairs reach from one word into the next", "Each word is counted by itself.", "words")
NO_SETS = Mistake("pair_words does not hold sets of numbers", "setdefault(pair, set()).add(number).", "pair-words")
LAST_WORD_ONLY = Mistake(
    "only the last word of a pair is kept", "Take the set that is there and add to it.", "pair-words"
)
WORDS_NOT_NUMBERS = Mistake(
    "words stand where their numbers belong", "The number stays the same when the word changes.", "pair-words"
)
EMPTY_WORDS_DROPPED = Mistake(
    "words without a pair have no number", "All words keep their numbers, whether they have pairs or not.", "words"
)
SOMETHING_TOUCHED = Mistake("words_touched counts the building", "It counts what apply_merge does.", "only-touched")


LARGEST_FREQUENCY = Mistake(
    "only the most frequent of the words counts", "Add up the frequencies of all words with the pair.", "frequency"
)
ACROSS_WORDS = Mistake("pairs reach from one word into the next", "Each word is counted by itself.", "words")
KEPT_FROM_BEFORE = Mistake(
    "words of an earlier call are still there", "Make new PairTables inside the function, in every call.", "words"
)
OTHER_WORD_ORDER = Mistake(
    "the words are in another order", "Number them in the order of the dictionary: ties are decided by it.", "words"
)
FROM_ONE = Mistake("the words are numbered from 1", "The first word has the number 0.", "pair-words")


@recognises("build_tables")
def build_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    counts, result = outcome.args[0], outcome.result
    right = reference_tables(counts)
    if outcome.raised(IndexError):
        yield NO_NEIGHBOUR
    elif outcome.aspect == "tables.words" and len(result) > len(counts):
        yield KEPT_FROM_BEFORE
    elif outcome.aspect == "tables.words" and result != right.words and sorted(result) == sorted(right.words):
        yield OTHER_WORD_ORDER
    elif outcome.aspect == "tables.words":
        yield NOT_LISTS
    elif outcome.aspect == "tables.frequencies":
        yield KEPT_FROM_BEFORE if len(result) > len(counts) else OTHER_WORD_ORDER
    elif outcome.aspect == "tables.words_touched":
        yield SOMETHING_TOUCHED
    elif outcome.aspect == "tables.pair_words":
        yield from _pair_words_mistakes(result, right, counts)
    elif outcome.aspect == "tables.pair_counts":
        for mistake, wrong in _wrong_counts(right, counts):
            if wrong != right.pair_counts and result == wrong:
                yield mistake
        borders = {(left[-1], after[0]) for left, after in zip(right.words, right.words[1:]) if left and after}
        largest = {
            pair: max(right.frequencies[number] for number in numbers) for pair, numbers in right.pair_words.items()
        }
        if result == largest:
            yield LARGEST_FREQUENCY
        elif (set(result) - set(right.pair_counts)) & borders:
            yield ACROSS_WORDS


def _pair_words_mistakes(result: dict, right: PairTables, counts: Mapping[bytes, int]) -> Iterator[Mistake]:
    if any(isinstance(member, (bytes, list, tuple)) for members in result.values() for member in _members(members)):
        yield WORDS_NOT_NUMBERS
    elif any(not isinstance(members, set) for members in result.values()):
        yield NO_SETS
    elif result == {pair: {number + 1 for number in numbers} for pair, numbers in right.pair_words.items()}:
        yield FROM_ONE
    elif result == {pair: {max(numbers)} for pair, numbers in right.pair_words.items()}:
        yield LAST_WORD_ONLY
    elif min(map(len, counts), default=2) < 2:
        yield EMPTY_WORDS_DROPPED


def _members(members: Any) -> Any:
    return members if isinstance(members, (set, list, tuple)) else [members]


def _wrong_counts(right: PairTables, counts: Mapping[bytes, int]) -> Iterator[tuple[Mistake, dict]]:
    yield FREQUENCY_IGNORED, reference_tables(dict.fromkeys(counts, 1)).pair_counts
    yield ONCE_A_WORD, {pair: sum(right.frequencies[n] for n in words) for pair, words in right.pair_words.items()}
    yield ONCE_A_WORD, {pair: len(words) for pair, words in right.pair_words.items()}
    yield TIMES_SQUARED, reference_tables({word: count**2 for word, count in counts.items()}).pair_counts
    if len(set(counts.values())) == 1:
        yield ACROSS_WORDS, reference_tables({b"".join(counts): next(iter(counts.values()))}).pair_counts


# --- apply_merge ------------------------------------------------------------------------------------------------------

NOTHING_CHANGED = Mistake(
    "the words stay as they are", "Store the new word: tables.words[number] = …", "count-in-and-out"
)
FIRST_ONLY = Mistake("only the first place in a word is replaced", "Go on to the end of the word.", "overlap")
USED_TWICE = Mistake("an ID is used in two pairs", "What went into one pair is used up.", "overlap")
FROM_THE_RIGHT = Mistake("the pair is replaced from right to left", "In l l l the left two become one.", "overlap")
NOT_OUT = Mistake(
    "the old pairs are not counted out", "Subtract the frequency for each pair of the old word.", "count-in-and-out"
)
NOT_IN = Mistake(
    "the new pairs are not counted in", "Add the frequency for each pair of the new word.", "count-in-and-out"
)
ONLY_THE_PAIR = Mistake(
    "only the merged pair loses its count",
    "Its neighbours change too: (o, w) is gone when lo is one token.",
    "count-in-and-out",
)
BY_ONE = Mistake("counts change by 1", "The word stands in the corpus as often as its frequency says.", "frequency")
OVERLAPS = Mistake(
    "the counts are wrong where pairs overlap",
    "Count out the whole old word and count in the whole new one.",
    "overlap",
)
ZEROS = Mistake(
    "pairs with the count 0 stay", "Delete a count when it has come to 0, or the end is never reached.", "zero-counts"
)
NO_COUNT_YET = Mistake(
    "a new pair is asked for the count that it has not got", "get(pair, 0) is 0 for a new pair.", "count-in-and-out"
)
WHILE_READING = Mistake(
    "a set is changed while it is gone through",
    "pair_words.pop(pair) takes it out, and nobody changes it.",
    "pair-words",
)
UNKNOWN_WORDS = Mistake(
    "new pairs do not know their words", "Counting in, put the number into the pair's set as well.", "pair-words"
)
MISSING = Mistake(
    "a word is missing from a pair that it holds",
    "Take out a number only when the pair has gone from the word.",
    "pair-words",
)
STILL_LISTED = Mistake("the merged pair still has words", "It stands nowhere any more: pop it.", "pair-words")
NOT_MEASURED = Mistake("words_touched is not counted", "Add 1 for each word that is looked at.", "only-touched")
NO_SUM = Mistake("words_touched begins anew with each merge", "It is a sum over all merges: add to it.", "only-touched")
ALL_TOUCHED = Mistake("all words are looked at", "pair_words[pair] says which ones can hold the pair.", "only-touched")


@recognises("apply_merge")
def apply_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    before, pair, new_id = outcome.args
    if outcome.raised(RuntimeError):
        yield WHILE_READING
    if outcome.raised(KeyError):
        yield NO_COUNT_YET
    if outcome.error is not None:
        return
    result = outcome.result
    words = [reference.merge(word, pair, new_id) for word in before.words]
    if outcome.aspect == "tables.words":
        yield from _word_mistakes(before.words, result, pair, new_id)
    elif outcome.aspect == "tables.words_touched":
        if result == before.words_touched:
            yield NOT_MEASURED
        elif result - before.words_touched >= len(words):
            yield ALL_TOUCHED
        elif result < before.words_touched:
            yield NO_SUM
    elif outcome.aspect == "numbers of the words that were read":
        yield ALL_TOUCHED
    elif outcome.aspect == "pairs counted 0":
        yield ZEROS
    elif outcome.aspect == "tables.pair_counts":
        yield from _count_mistakes(before, words, result, pair)
    elif outcome.aspect == "missing (pair, number of the word)":
        yield MISSING
    elif outcome.aspect.endswith("is there"):
        yield STILL_LISTED
    elif outcome.aspect.startswith("tables.pair_words["):
        yield UNKNOWN_WORDS


def _word_mistakes(before: list, result: list, pair: Pair, new_id: int) -> Iterator[Mistake]:
    def first_only(word: list[int]) -> list[int]:
        place = next((i for i in range(len(word) - 1) if tuple(word[i : i + 2]) == pair), None)
        return word if place is None else [*word[:place], new_id, *word[place + 2 :]]

    def used_twice(word: list[int]) -> list[int]:
        places = [i for i in range(len(word) - 1) if tuple(word[i : i + 2]) == pair]
        return [new_id if i in places else word[i] for i in range(len(word)) if i in places or i - 1 not in places]

    def from_the_right(word: list[int]) -> list[int]:
        return reference.merge(word[::-1], pair[::-1], new_id)[::-1]

    for mistake, wrong in (
        (NOTHING_CHANGED, list),
        (FIRST_ONLY, first_only),
        (FROM_THE_RIGHT, from_the_right),
        (USED_TWICE, used_twice),
    ):
        if result == [wrong(word) for word in before]:
            yield mistake


def _count_mistakes(before: PairTables, words: list, result: dict, pair: Pair) -> Iterator[Mistake]:
    def change(counts: dict, changed: list, sign: int, weights: list[int]) -> dict:
        counts = dict(counts)
        for number, word in enumerate(changed):
            if before.words[number] != words[number]:
                for neighbours, count in reference.pair_counts(word).items():
                    counts[neighbours] = counts.get(neighbours, 0) + sign * count * weights[number]
        return counts

    weights, ones = before.frequencies, [1] * len(words)
    out = change(before.pair_counts, before.words, -1, weights)
    right = change(out, words, 1, weights)
    without_pair = {key: count for key, count in before.pair_counts.items() if key != pair}
    variants = (
        (NOT_OUT, change(before.pair_counts, words, 1, weights)),
        (NOT_OUT, change(without_pair, words, 1, weights)),
        (NOT_IN, out),
        (ONLY_THE_PAIR, without_pair),
        (BY_ONE, change(change(before.pair_counts, before.words, -1, ones), words, 1, ones)),
        (BY_ONE, change(out, words, 1, ones)),
        (BY_ONE, change(change(before.pair_counts, before.words, -1, ones), words, 1, weights)),
    )
    for mistake, wrong in variants:
        if _without_zeros(wrong) != _without_zeros(right) and _without_zeros(result) == _without_zeros(wrong):
            yield mistake
    if _without_zeros(result) == _without_zeros(right):
        yield ZEROS
    elif pair[0] == pair[1]:
        yield OVERLAPS


def _without_zeros(counts: dict) -> dict:
    return {pair: count for pair, count in counts.items() if count > 0}


# --- train_incremental ------------------------------------------------------------------------------------------------

MAX_OF_NOTHING = Mistake(
    "the highest of no counts is looked for", "Without pairs training is over: ask before you look.", "no-pair-left"
)
STOPS_AT_ONE = Mistake("training stops although a pair is left", "A pair seen once is a pair too.", "no-pair-left")
ONE_MERGE_OFF = Mistake("one merge too many or too few", "Go on while there are fewer than num_merges.", "no-pair-left")
FIRST_ID_IGNORED = Mistake("the first merge is 256 whatever first_id says", "IDs begin with first_id.", "first-id")
WRONG_WAY_ROUND = Mistake(
    "the merges are the other way round", "The pair is the key, the new ID the value.", "first-id"
)
TIE = Mistake(
    "a tie is decided in another way", "Of the pairs with the highest count, the lowest first_place wins.", "ties"
)
ORDER_OF_KEYS = Mistake(
    "a tie goes to the older key of pair_counts",
    "A new pair may stand before it in the corpus: ask first_place.",
    "ties",
)
ASKED_TOO_MUCH = Mistake(
    "first_place is asked for pairs that cannot win", "Collect the pairs with the highest count first.", "ties"
)
BUILT_AGAIN = Mistake(
    "the tables are built again for each merge",
    "That counts everything anew: apply_merge keeps them right.",
    "only-touched",
)
NOT_USED = Mistake(
    "build_tables or apply_merge is not called", "train_incremental is the loop around the two.", "only-touched"
)


@recognises("train_incremental")
def train_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    counts, wanted, first_id = _asked(*outcome.args, **outcome.kwargs)
    right = _train(counts, wanted, first_id, _by_place)
    result = outcome.result
    if outcome.aspect.startswith("argument"):
        return
    if outcome.raised(ValueError) and not outcome.aspect:
        yield MAX_OF_NOTHING
    elif outcome.aspect.startswith("calls of"):
        yield NOT_USED if not result else BUILT_AGAIN
    elif outcome.aspect.startswith("pairs asked"):
        yield ASKED_TOO_MUCH
    elif outcome.aspect == "tables.words_touched":
        yield ALL_TOUCHED if result else NOT_MEASURED
    elif outcome.aspect.startswith("numbers of the words"):
        yield ALL_TOUCHED
    elif isinstance(result, dict) and not outcome.aspect:
        if result and all(isinstance(key, int) for key in result):
            yield WRONG_WAY_ROUND
        elif first_id != 256 and result == _train(counts, wanted, 256, _by_place):
            yield FIRST_ID_IGNORED
        elif list(result.items()) == list(right.items())[: len(result)]:
            left = reference_tables(counts, *result.items()).pair_counts
            yield STOPS_AT_ONE if max(left.values()) == 1 else ONE_MERGE_OFF
        elif result == _train(counts, wanted + 1, first_id, _by_place):
            yield ONE_MERGE_OFF
        yield from wrong_ties(outcome)


def wrong_ties(outcome: Outcome) -> Iterator[Mistake]:
    """What other ways to decide ties would have given."""
    counts, wanted, first_id = _asked(*outcome.args, **outcome.kwargs)
    for mistake, choose in ((ORDER_OF_KEYS, _by_key), (TIE, _lowest), (TIE, _highest), (TIE, _last)):
        if outcome.gave(_train(counts, wanted, first_id, choose)):
            yield mistake


def _asked(word_counts: Mapping[bytes, int], num_merges: int, *, first_id: int = 256) -> tuple:
    """The arguments of a call, whichever of them were passed by name."""
    return word_counts, num_merges, first_id


def _train(counts: Mapping[bytes, int], wanted: int, first_id: int, choose: Callable) -> dict[Pair, int]:
    tables = reference_tables(counts)
    merges: dict[Pair, int] = {}
    while len(merges) < wanted and tables.pair_counts:
        highest = max(tables.pair_counts.values())
        pair = choose(tables, [pair for pair, count in tables.pair_counts.items() if count == highest])
        merges[pair] = first_id + len(merges)
        _replace(tables, pair, merges[pair])
    return merges


def _by_place(tables: PairTables, tied: list[Pair]) -> Pair:
    return min(tied, key=lambda pair: first_place(tables, pair))


def _by_key(tables: PairTables, tied: list[Pair]) -> Pair:
    return tied[0]


def _last(tables: PairTables, tied: list[Pair]) -> Pair:
    return tied[-1]


def _lowest(tables: PairTables, tied: list[Pair]) -> Pair:
    return min(tied)


def _highest(tables: PairTables, tied: list[Pair]) -> Pair:
    return max(tied)
