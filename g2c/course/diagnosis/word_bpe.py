"""Module 04b: what the classic mistakes in WordBPETokenizer would give, and how to say so."""

from collections.abc import Iterable, Iterator
from itertools import chain

from g2c.course import reference
from g2c.course.teaching import Mistake, Outcome, describes_state, recognises, same

SymbolPair = tuple[str, str]


@describes_state("WordBPETokenizer")
def state_line(state: dict) -> str:
    merges = state["_merges"]
    shown = ", ".join(f"{left}+{right}" for left, right in merges[:4])
    more = f", ... ({len(merges)} in all)" if len(merges) > 4 else ""
    tokens = len(state["token_to_id"])
    return f"merges {shown}{more}; {tokens} tokens" if merges else f"no merges; {tokens} tokens"


# --- pair counts ------------------------------------------------------------------------------------------------------

FREQUENCY_IGNORED = Mistake(
    "the frequency of the words is ignored",
    "A word that occurs 5 times has each of its pairs 5 times: add its frequency.",
    "frequency",
)
NOT_ADDED = Mistake(
    "the frequency is set and not added",
    "The same pair comes again, in this word or another: add to the count it has.",
    "frequency",
)
ONCE_A_WORD = Mistake(
    "a pair counts once for each word",
    "A pair that stands twice in a word counts twice, each time with the frequency.",
    "frequency",
)
ACROSS_WORDS = Mistake(
    "pairs reach from one word into the next",
    "Each word is counted by itself: its last symbol has no neighbour.",
    "across-words",
)
WRAPS_AROUND = Mistake(
    "the last symbol is paired with the first", "The last symbol of a word has no neighbour after it.", "across-words"
)
NO_NEIGHBOUR = Mistake(
    "a neighbour is looked for after the last symbol",
    "n symbols have n - 1 pairs: end the loop one earlier.",
    "across-words",
)
LAST_PAIR_LEFT_OUT = Mistake(
    "the last pair of each word is left out",
    "The marker is a symbol like any other, and the last pair ends with it.",
    "across-words",
)
LARGEST_FREQUENCY = Mistake(
    "only the most frequent of the words counts", "Add up the frequencies of all words with the pair.", "frequency"
)
OVERLAP_SKIPPED = Mistake(
    "overlapping pairs are skipped while counting", "Every two neighbours count; only joining uses up.", "overlap"
)
MARKER_SKIPPED = Mistake(
    "the marker is left out", "It is a symbol like any other: low_ and lower_ differ by it.", "across-words"
)
ONE_TOO_HIGH = Mistake("every count is one too high", "A new pair has the count 0 before it is added to.", "frequency")
KEPT_FROM_BEFORE = Mistake(
    "counts of an earlier call are still there",
    "Begin with an empty dictionary inside the method; a default such as counts={} is made only once.",
    "frequency",
)
TEXT_AS_PAIR = Mistake(
    "text where a pair belongs", 'The key is the tuple (left, right); "ab" + "c" and "a" + "bc" differ.', "symbols"
)
ORDER_OF_KEYS = Mistake(
    "the pairs are not in order of first appearance",
    "Ties go to the pair seen first, and the dictionary tells which that was.",
    "ties",
)


def _pairs(
    words: dict, *, wrapped: bool = False, once: bool = False, short: bool = False
) -> Iterator[tuple[SymbolPair, int]]:
    for symbols, frequency in words.items():
        following = symbols[1:] + symbols[:1] if wrapped else symbols[1:]
        pairs = list(zip(symbols, following))[: -1 if short else None]
        for pair in dict.fromkeys(pairs) if once else pairs:
            yield pair, frequency


def pair_counts(words: dict) -> dict[SymbolPair, int]:
    """Pair of symbols -> count, in order of first appearance.

    >>> pair_counts({("l", "o", "w"): 5, ("l", "o"): 2})
    {('l', 'o'): 7, ('o', 'w'): 5}
    """
    return _summed(_pairs(words))


def _summed(pairs: Iterable[tuple[SymbolPair, int]]) -> dict[SymbolPair, int]:
    counts: dict[SymbolPair, int] = {}
    for pair, frequency in pairs:
        counts[pair] = counts.get(pair, 0) + frequency
    return counts


@recognises("WordBPETokenizer._get_pair_counts")
def pair_count_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    words = outcome.args[0]
    if outcome.raised(IndexError):
        yield NO_NEIGHBOUR
    right, pairs = pair_counts(words), list(_pairs(words))
    if isinstance(outcome.result, list) and outcome.aspect and sorted(outcome.result) == sorted(right):
        yield ORDER_OF_KEYS
    if isinstance(outcome.result, dict) and any(isinstance(key, str) for key in outcome.result):
        yield TEXT_AS_PAIR
    wrongs = [
        (MARKER_SKIPPED, {pair: count for pair, count in right.items() if outcome.owner.end_of_word not in pair}),
        (OVERLAP_SKIPPED, _summed(_pairs_apart(words))),
        (LARGEST_FREQUENCY, {pair: max(f for other, f in pairs if other == pair) for pair, _ in pairs}),
        (ONE_TOO_HIGH, {pair: count + 1 for pair, count in right.items()}),
        (FREQUENCY_IGNORED, _summed((pair, 1) for pair, _ in pairs)),
        (NOT_ADDED, dict(pairs)),
        (ONCE_A_WORD, _summed(_pairs(words, once=True))),
        (WRAPS_AROUND, _summed(_pairs(words, wrapped=True))),
        (LAST_PAIR_LEFT_OUT, _summed(_pairs(words, short=True))),
        (ACROSS_WORDS, _in_one_row(words)),
        (ACROSS_WORDS, _in_one_row(dict.fromkeys(words, 1))),
    ]
    explained = [mistake for mistake, wrong in wrongs if wrong != right and outcome.gave(wrong)]
    yield from explained
    if (
        not explained
        and isinstance(outcome.result, dict)
        and all(outcome.result.get(pair, 0) >= right[pair] for pair in right)
    ):
        yield KEPT_FROM_BEFORE


def _pairs_apart(words: dict) -> Iterator[tuple[SymbolPair, int]]:
    for symbols, frequency in words.items():
        position = 0
        while position < len(symbols) - 1:
            yield (symbols[position], symbols[position + 1]), frequency
            position += 2 if symbols[position : position + 3] == symbols[position : position + 1] * 3 else 1


def _in_one_row(words: dict) -> dict[SymbolPair, int]:
    """What counting gives after all words have been put in one row, each as often as it occurs."""
    row = [symbol for symbols, frequency in words.items() for symbol in symbols * frequency]
    return _summed((pair, 1) for pair in zip(row, row[1:]))


# --- merge ------------------------------------------------------------------------------------------------------------

TEXT_REPLACED = Mistake(
    "symbols are replaced as text",
    "In 'ca b' the text 'a b' is found, but no symbol 'a' stands there: compare symbols.",
    "symbols",
)
TEXT_JOINED = Mistake(
    "symbols are compared by their text put together",
    "('a', 'bc') and ('ab', 'c') make the same text and are two pairs.",
    "symbols",
)
LIST_FOR_TUPLE = Mistake(
    "a list where a tuple belongs", "A word is the key of a dictionary, and a list cannot be one: tuple(...).", "tuple"
)
STRING_FOR_TUPLE = Mistake("text where symbols belong", "A word is a tuple of symbols, not one string.", "tuple")
NEVER_EQUAL = Mistake(
    "nothing is joined",
    'Mind what is compared: a list never equals a tuple, so ["a", "b"] == ("a", "b") is False.',
    "tuple",
)
SPACE_BETWEEN = Mistake("there is a space in the joined symbol", "The joined symbol is left + right.", "symbols")
USED_TWICE = Mistake("a symbol is used in two pairs", "A symbol that went into one pair is used up.", "overlap")
MOVED_BY_ONE = Mistake("after a match the position moves on by one", "A match uses up two symbols.", "overlap")
FROM_THE_RIGHT = Mistake("pairs are joined from right to left", "In a a a the left two become one.", "overlap")
FIRST_ONLY = Mistake("only the first occurrence is joined", "Go on to the end of the word.", "overlap")
LAST_TWICE = Mistake(
    "the last symbol is copied although it is used up", "After a pair at the end nothing is left to copy.", "overlap"
)
JOINED_AGAIN = Mistake(
    "joined symbols are joined again", "One call joins one pair, and what it makes stays.", "overlap"
)
LAST_LOST = Mistake("the last symbol is lost", "It has no neighbour, but it has to be copied all the same.", "overlap")


def merge(symbols: tuple[str, ...], pair: SymbolPair) -> tuple[str, ...]:
    """Join the pair from left to right.

    >>> merge(("a", "a", "a"), ("a", "a"))
    ('aa', 'a')
    """
    return tuple(reference.merge(symbols, pair, pair[0] + pair[1]))


@recognises("WordBPETokenizer._merge")
def merge_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    symbols, pair = outcome.args
    result, right, joined = outcome.result, merge(*outcome.args), pair[0] + pair[1]
    if outcome.raised(IndexError):
        yield NO_NEIGHBOUR._replace(pitfall="overlap")
    if isinstance(result, str):
        yield STRING_FOR_TUPLE
    if not isinstance(result, (list, tuple)):
        return
    as_text = " ".join(symbols).replace(" ".join(pair), joined).split(" ")
    reversed_pair = (pair[1][::-1], pair[0][::-1])
    backwards = [part[::-1] for part in reversed(merge(tuple(part[::-1] for part in reversed(symbols)), reversed_pair))]
    wrongs = [
        (TEXT_REPLACED, as_text),
        (TEXT_JOINED, _by_text(symbols, joined)),
        (SPACE_BETWEEN, [" ".join(pair) if part == joined else part for part in right]),
        (NEVER_EQUAL, symbols),
        (FROM_THE_RIGHT, backwards),
        (FIRST_ONLY, _first_only(symbols, pair)),
        (MOVED_BY_ONE, _moved_by_one(symbols, pair, last=True)),
        (USED_TWICE, _moved_by_one(symbols, pair, last=False)),
        (LAST_LOST, right[:-1]),
        (LAST_TWICE, (*right, *symbols[-1:])),
        (JOINED_AGAIN, merge(right, (joined, joined))),
    ]
    wrongs = [(mistake, tuple(wrong)) for mistake, wrong in wrongs if tuple(wrong) != right]
    if isinstance(result, list) and tuple(result) == right:
        yield LIST_FOR_TUPLE
    yield from (mistake for mistake, wrong in wrongs if tuple(result) == wrong)


def _by_text(symbols: tuple[str, ...], joined: str) -> list[str]:
    merged: list[str] = []
    position = 0
    while position < len(symbols):
        hit = position + 1 < len(symbols) and symbols[position] + symbols[position + 1] == joined
        merged.append(joined if hit else symbols[position])
        position += 1 + hit
    return merged


def _first_only(symbols: tuple[str, ...], pair: SymbolPair) -> list[str]:
    for position in range(len(symbols) - 1):
        if symbols[position : position + 2] == pair:
            return [*symbols[:position], pair[0] + pair[1], *symbols[position + 2 :]]
    return list(symbols)


def _moved_by_one(symbols: tuple[str, ...], pair: SymbolPair, *, last: bool) -> list[str]:
    """What comes of a loop over all positions, with the last symbol or without it."""
    merged = [pair[0] + pair[1] if (a, b) == pair else a for a, b in zip(symbols, symbols[1:])]
    return [*merged, *(symbols[-1:] if last else ())]


# --- learn_merge ------------------------------------------------------------------------------------------------------

REPLACED = Mistake(
    "merges is replaced instead of extended", "What was learned before must stay: append the pair.", "append"
)
NOT_ENTERED = Mistake("the pair is not entered in merges", "Append it, or nobody will apply it later.", "append")
AT_THE_FRONT = Mistake(
    "the pair is entered at the front", "merges is in the order learned: append at the end.", "append"
)
SYMBOL_ENTERED = Mistake("the joined symbol is entered, not the pair", "merges holds pairs: (left, right).", "append")
NOTHING_TO_LEARN = Mistake(
    "words without a pair are not handled",
    "max of nothing is an error: ask first whether there is a pair, and return None.",
    "nothing-left",
)
TIE_LAST = Mistake(
    "the last of equal pairs is taken", "The pair seen first wins: compare with > and not with >=.", "ties"
)
TIE_LARGEST = Mistake(
    "the largest of equal pairs is taken",
    "max of (count, pair) compares the pairs as well; compare the counts alone.",
    "ties",
)
TIE_SMALLEST = Mistake("the first of equal pairs in the alphabet is taken", "The pair seen first wins.", "ties")
LEAST_FREQUENT = Mistake("the least frequent pair is taken", "Take the highest count: max, not min.", "ties")
LARGEST_PAIR = Mistake("the counts are not looked at", "max(counts) compares the keys; give it key=counts.get.", "ties")
OLD_WORDS = Mistake("the words come back unmerged", "Join the pair in every word, and return those.", "words-back")
WORDS_LOST = Mistake(
    "words without the pair are lost", "They stay as they are, and stay in the dictionary.", "words-back"
)
FREQUENCY_LOST = Mistake(
    "the frequencies are lost", "A word keeps its frequency, whatever is joined in it.", "words-back"
)
STOPS_AT_ONE = Mistake(
    "nothing is learned although a pair is left", "A pair that was seen once is a pair too.", "nothing-left"
)
OTHER_COUNT = Mistake("the count is not the pair's", "Return what _get_pair_counts counted for it.", "frequency")
WORDS_CHANGED = Mistake(
    "the words that were passed are changed", "Build a new dictionary and return that.", "words-back"
)


@recognises("WordBPETokenizer.learn_merge")
def learn_merge_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    words, before = outcome.args[0], outcome.state["_merges"]
    counts = pair_counts(words)
    if not counts:
        if outcome.raised(ValueError, IndexError, TypeError) or outcome.error is None:
            yield NOTHING_TO_LEARN
        return
    best = max(counts, key=counts.get)
    if outcome.aspect.startswith("argument"):
        yield WORDS_CHANGED
    elif outcome.aspect == "tokenizer.merges":
        yield from _merges_mistakes(outcome.result, before, best, counts)
    elif outcome.result is None and outcome.error is None:
        yield STOPS_AT_ONE
    elif isinstance(outcome.result, tuple) and len(outcome.result) == 3:
        merged, pair, count = outcome.result
        if pair != best:
            yield from _choice_mistakes(pair, counts)
        elif merged == words:
            yield OLD_WORDS
        elif pair == best and count != counts[best]:
            yield OTHER_COUNT
        elif isinstance(merged, dict) and len(merged) < len(words):
            yield WORDS_LOST
        elif isinstance(merged, dict) and list(merged) == [merge(word, best) for word in words]:
            yield FREQUENCY_LOST


def _merges_mistakes(merges: list, before: list, best: SymbolPair, counts: dict) -> Iterator[Mistake]:
    if merges == before:
        yield NOT_ENTERED
    elif before and merges == [best]:
        yield REPLACED
    elif merges == [best, *before]:
        yield AT_THE_FRONT
    elif merges and isinstance(merges[-1], str):
        yield SYMBOL_ENTERED
    elif merges and merges[-1] != best:
        yield from _choice_mistakes(merges[-1], counts)


def _choice_mistakes(pair: SymbolPair, counts: dict[SymbolPair, int]) -> Iterator[Mistake]:
    equal = [other for other in counts if counts[other] == max(counts.values())]
    if pair in equal:
        if pair == equal[-1]:
            yield TIE_LAST
        if pair == max(equal):
            yield TIE_LARGEST
        if pair == min(equal):
            yield TIE_SMALLEST
    elif pair == min(counts, key=counts.get):
        yield LEAST_FREQUENT
    elif pair == max(counts):
        yield LARGEST_PAIR


@recognises("WordBPETokenizer.train")
def train_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    """Training calls `learn_merge` many times: look at the first merge that differs from the right one."""
    words = {outcome.owner._symbols(word): count for word, count in outcome.owner._word_counts(outcome.args[0]).items()}
    merges = outcome.owner.merges
    if len(merges) == 1 and isinstance(outcome.result, list) and len(outcome.result) > 1:
        yield REPLACED
    for pair in merges:
        counts = pair_counts(words)
        if not counts or pair != max(counts, key=counts.get):
            yield from _choice_mistakes(pair, counts)
            return
        words = {merge(symbols, pair): count for symbols, count in words.items()}


# --- the next merge ---------------------------------------------------------------------------------------------------

WORD_ORDER = Mistake(
    "the first pair of the word is taken",
    "Not the pair that stands first in the word, but the one learned first.",
    "merge-order",
)
LEARNED_LAST = Mistake(
    "the pair learned last is taken", "The one learned first goes first: the earliest in merges.", "merge-order"
)
LONGEST_FIRST = Mistake(
    "the pair with the longest text is taken", "Lengths do not matter, only the order of learning.", "merge-order"
)
NOT_IN_WORD = Mistake(
    "a pair that is not in the word", "Only the word's own pairs of neighbours can be joined.", "merge-order"
)
NOT_LEARNED = Mistake(
    "a pair that was never learned", "Only pairs in merges are joined; when there is none, return None.", "no-merge"
)
NOTHING_FOUND = Mistake("an error where no pair is left", "A word that is done is no mistake: return None.", "no-merge")
SYMBOL_RETURNED = Mistake(
    "text where a pair belongs", "Return the pair (left, right); joining is for _merge.", "no-merge"
)
NO_PAIR_RETURNED = Mistake(
    "something else than a pair is returned",
    "Return the pair itself, or None: neither its number nor False.",
    "no-merge",
)
SMALLEST_PAIR = Mistake(
    "the first pair in the alphabet is taken", "The order is that of merges: key=self.merges.index.", "merge-order"
)


@recognises("WordBPETokenizer._next_merge", "WordBPETokenizer.trace")
def next_merge_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    if outcome.key.endswith("trace"):
        return
    symbols, merges, result = (list(outcome.args[0]), outcome.state["_merges"], outcome.result)
    pairs = list(zip(symbols, symbols[1:]))
    known = [pair for pair in pairs if pair in merges]
    if outcome.raised(ValueError, IndexError, StopIteration, KeyError) and not known:
        yield NOTHING_FOUND
    if outcome.error is not None or result is None:
        return
    if isinstance(result, str):
        yield SYMBOL_RETURNED
    elif isinstance(result, list) and tuple(result) in pairs:
        yield LIST_FOR_TUPLE._replace(why="merges holds tuples: return the pair as it stands there.")
    elif not isinstance(result, tuple):
        yield NO_PAIR_RETURNED
    elif result not in pairs:
        yield NOT_IN_WORD
    elif result not in merges:
        yield NOT_LEARNED
    else:
        if result == known[0]:
            yield WORD_ORDER
        if result == max(known, key=merges.index):
            yield LEARNED_LAST
        if result == min(known):
            yield SMALLEST_PAIR
        if result == max(known, key=lambda pair: len(pair[0] + pair[1])):
            yield LONGEST_FIRST


# --- encode -----------------------------------------------------------------------------------------------------------

KEY_ERROR = Mistake(
    "a KeyError for a token that is not in the vocabulary",
    "It becomes the unknown token's ID, or a ValueError without one.",
    "unknown-token",
)
UNKNOWN_SKIPPED = Mistake(
    "unknown tokens are left out",
    "Text would be lost without a trace: each becomes the unknown token's ID.",
    "unknown-token",
)
UNKNOWN_WORD = Mistake(
    "a whole word becomes unknown",
    "Only the token that is not in the vocabulary does; the rest of the word is kept.",
    "unknown-token",
)
UNKNOWN_ACCEPTED = Mistake(
    "an unknown token is accepted without an unknown token",
    "Without one there is no ID to give: raise a ValueError.",
    "unknown-token",
)
TOKEN_NOT_NAMED = Mistake("the error does not name the token", "Put the token into the message.", "unknown-token")
TOKENS_NOT_IDS = Mistake("tokens where IDs belong", "Look each token up in token_to_id.", "special-tokens")
LIST_OF_LISTS = Mistake(
    "a list of lists comes back", "One list of IDs for the whole text, not one for each word.", "special-tokens"
)
ALWAYS_ADDED = Mistake("[BOS] and [EOS] are always added", "Only when add_special_tokens is true.", "special-tokens")
NEVER_ADDED = Mistake(
    "[BOS] and [EOS] are not added", "With add_special_tokens they stand around the text.", "special-tokens"
)
AROUND_WORDS = Mistake("[BOS] and [EOS] stand around every word", "They stand around the text, once.", "special-tokens")
FIXED_IDS = Mistake(
    "the IDs of [BOS] and [EOS] are fixed", "They depend on the list of special tokens: look them up.", "special-tokens"
)
MISSING_ACCEPTED = Mistake(
    "a missing [BOS] or [EOS] is passed over",
    "Whoever asks for it must hear that there is none: raise a ValueError.",
    "special-tokens",
)
SPECIAL_IN_TEXT = Mistake(
    "text that looks like a special token becomes one",
    "It is plain text: cut it with tokenize like any other word.",
    "special-tokens",
)
ONE_END_ONLY = Mistake(
    "only one of [BOS] and [EOS] is added", "One stands before the text, the other after it.", "special-tokens"
)
ENDS_SWAPPED = Mistake("[BOS] and [EOS] are swapped", "[BOS] begins the text, [EOS] ends it.", "special-tokens")
TEXT_CHANGED = Mistake(
    "the text is changed before it is cut", "self._words(text) does all that has to be done to it.", "unknown-token"
)
WORDS_ONCE = Mistake("each word is encoded only once", "A word that comes again has its IDs again.", "special-tokens")
CHARACTERS_ONLY = Mistake(
    "the merges are not applied", "self.tokenize(word) gives the tokens of a word.", "special-tokens"
)


@recognises("WordBPETokenizer.encode")
def encode_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    text, ids, state = outcome.args[0], outcome.state["token_to_id"], outcome.state
    add = outcome.kwargs.get("add_special_tokens", False)
    words = [_tokens(outcome.owner._symbols(word), state["_merges"]) for word in text.split()]
    unknown, ends = (ids.get(state["unk_token"]), (ids.get(state["bos_token"]), ids.get(state["eos_token"])))
    known = [token in ids for word in words for token in word]
    if not all(known):
        if outcome.raised(LookupError):
            yield KEY_ERROR
        elif outcome.raised(ValueError) and unknown is None:
            yield TOKEN_NOT_NAMED
        elif outcome.error is None and unknown is None:
            yield UNKNOWN_ACCEPTED
    if add and None in ends:
        if outcome.error is None or outcome.raised(LookupError):
            yield MISSING_ACCEPTED
        return
    if not isinstance(outcome.result, list) or unknown is None and not all(known):
        return
    if any(isinstance(entry, str) for entry in outcome.result):
        yield TOKENS_NOT_IDS
    elif any(isinstance(entry, list) for entry in outcome.result):
        yield LIST_OF_LISTS
    wrong_bodies = [
        (UNKNOWN_SKIPPED, [[ids[token] for token in word if token in ids] for word in words]),
        (UNKNOWN_WORD, [[ids[t] for t in word] if all(t in ids for t in word) else [unknown] for word in words]),
        (CHARACTERS_ONLY, [[ids.get(s, unknown) for s in outcome.owner._symbols(word)] for word in text.split()]),
        (
            SPECIAL_IN_TEXT,
            [
                [ids[name]] if name in state["special_tokens"] else [ids.get(token, unknown) for token in word]
                for name, word in zip(text.split(), words)
            ],
        ),
    ]
    body = [[ids.get(token, unknown) for token in word] for word in words]
    lowered = [_tokens(outcome.owner._symbols(word), state["_merges"]) for word in text.lower().split()]
    lowered = [[ids.get(token, unknown) for token in word] for word in lowered]
    right = _around(body, ends if add else ())
    wrongs = [(mistake, _around(wrong, ends if add else ())) for mistake, wrong in wrong_bodies]
    wrongs += [
        (NEVER_ADDED, _around(body, ())),
        (ALWAYS_ADDED, _around(body, ends)),
        (AROUND_WORDS, [token_id for word in body for token_id in _around([word], ends)]),
        (FIXED_IDS, _around(body, (2, 3))),
        (ENDS_SWAPPED, _around(body, ends[::-1])),
        (ONE_END_ONLY, _around(body, ends)[:-1]),
        (ONE_END_ONLY, _around(body, ends)[1:]),
        (WORDS_ONCE, _around(list(dict.fromkeys(map(tuple, body))), ends if add else ())),
        (TEXT_CHANGED, _around(lowered, ends if add else ())),
    ]
    yield from (mistake for mistake, wrong in wrongs if wrong != right and same(outcome.result, wrong))


def _around(words: list[list[int]], ends: tuple) -> list[int]:
    return [*ends[:1], *chain.from_iterable(words), *ends[1:]]


def _tokens(symbols: tuple[str, ...], merges: list[SymbolPair]) -> tuple[str, ...]:
    while known := [pair for pair in zip(symbols, symbols[1:]) if pair in merges]:
        symbols = merge(symbols, min(known, key=merges.index))
    return symbols
