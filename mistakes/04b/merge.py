"""Wrong solutions of WordBPETokenizer._merge."""

import re

from g2c.course.diagnosis.bank import mistake
from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


@mistake(
    "symbols are replaced as text",
    why="In 'ca b' the text 'a b' is found, but there is no symbol 'a': compare symbols.",
    pitfall="symbols",
)
def merge_as_text(self, symbols, pair):
    """Write the symbols with spaces between them, replace "a b" by "ab", and split again."""
    return tuple(" ".join(symbols).replace(" ".join(pair), "".join(pair)).split())


@mistake(
    "symbols are compared by their joined text",
    why="('a', 'bc') and ('ab', 'c') make the same text and are two pairs.",
    pitfall="symbols",
    change={
        "if tuple(symbols[position : position + 2]) == pair:": 'if "".join(symbols[position : position + 2]) == "".join(pair) and position + 1 < len(symbols):',
        "merged.append(pair[0] + pair[1])": 'merged.append("".join(pair))',
    },
)
def merge_compares_text():
    """When the two symbols together make the text of the pair, it is the pair."""


@mistake(
    "a symbol is read as a regular expression",
    why="A dot, a star or a bracket has a meaning in one: compare symbols, or write re.escape(symbol).",
    pitfall="symbols",
)
def merge_by_regex(self, symbols, pair):
    """A regular expression that allows no other character before or after the pair."""
    found = re.compile(r"(?<!\S)" + " ".join(pair) + r"(?!\S)")
    return tuple(found.sub("".join(pair), " ".join(symbols)).split(" "))


@mistake(
    "the last symbol is copied although it has been merged",
    why="After a pair at the end nothing is left to copy.",
    pitfall="overlap",
)
def merge_copies_the_last_twice(self, symbols, pair):
    """The loop stops before the last symbol, so I append it after the loop."""
    merged, position = [], 0
    while position < len(symbols) - 1:
        hit = (symbols[position], symbols[position + 1]) == pair
        merged.append(pair[0] + pair[1] if hit else symbols[position])
        position += 2 if hit else 1
    return (*merged, *symbols[-1:])


@mistake(
    "left and right are not distinguished",
    why='("o", "l") is not the pair ("l", "o").',
    pitfall="symbols",
    group="TestRoundTrip",
)
def merge_either_order(self, symbols, pair):
    """The two symbols are side by side: it is the pair."""
    merged = AnswerKey._merge(self, symbols, pair)
    return tuple(AnswerKey._merge(self, merged, pair[::-1]))


@mistake("only the first occurrence is joined", why="Continue to the end of the word after a match.", pitfall="overlap")
def merge_first_only(self, symbols, pair):
    """Find the pair and join it."""
    for position in range(len(symbols) - 1):
        if symbols[position : position + 2] == pair:
            return (*symbols[:position], pair[0] + pair[1], *symbols[position + 2 :])
    return symbols


@mistake("pairs are joined from right to left", why="In a a a the left two become one.", pitfall="overlap")
def merge_from_the_right(self, symbols, pair):
    """From the end, so that the positions before it stay valid."""
    symbols = list(symbols)
    position = len(symbols) - 2
    while position >= 0:
        if tuple(symbols[position : position + 2]) == pair:
            symbols[position : position + 2] = [pair[0] + pair[1]]
        position -= 1
    return tuple(symbols)


@mistake(
    "joined symbols are joined again",
    why="One call joins one pair; joined symbols stay as they are.",
    pitfall="overlap",
)
def merge_joins_again(self, symbols, pair):
    """After a match I look whether it goes on."""
    joined = pair[0] + pair[1]
    return AnswerKey._merge(self, AnswerKey._merge(self, symbols, pair), (joined, joined))


@mistake("there is a space in the joined symbol", why="The joined symbol is left + right.", pitfall="symbols")
def merge_keeps_a_space(self, symbols, pair):
    """The new symbol is the pair, with a space between its halves."""
    return tuple(
        " ".join(pair) if symbol == "".join(pair) else symbol for symbol in AnswerKey._merge(self, symbols, pair)
    )


@mistake(
    "nothing is joined",
    why='A list never equals a tuple: ["a", "b"] == ("a", "b") is False.',
    pitfall="tuple",
    change={
        "merged = []": "symbols = list(symbols)\nmerged = []",
        "if tuple(symbols[position : position + 2]) == pair:": "if symbols[position : position + 2] == pair:",
    },
)
def merge_list_is_no_tuple():
    """I make a list of the word, so that I can cut it, and compare two entries with the pair."""


@mistake(
    "the last symbol is lost",
    why="It has no neighbor, but it still has to be copied.",
    pitfall="overlap",
    change={
        "while position < len(symbols):": "while position < len(symbols) - 1:",
        "if tuple(symbols[position : position + 2]) == pair:": "if symbols[position : position + 2] == pair:",
    },
)
def merge_loses_the_last():
    """The loop ends at the last symbol that has a neighbor."""


@mistake("after a match the position advances by only one", why="A match uses up two symbols.", pitfall="overlap")
def merge_moves_by_one(self, symbols, pair):
    """At every position I look whether the pair begins there."""
    merged = [pair[0] + pair[1] if (left, right) == pair else left for left, right in zip(symbols, symbols[1:])]
    return (*merged, *symbols[-1:])


@mistake(
    "a neighbor is looked for after the last symbol",
    why="n symbols have n - 1 pairs: end the loop one earlier.",
    pitfall="overlap",
    change={
        "if tuple(symbols[position : position + 2]) == pair:": "if (symbols[position], symbols[position + 1]) == pair:"
    },
)
def merge_past_the_end():
    """Compare each symbol and the next one with the pair."""


@mistake(
    "a list where a tuple belongs",
    why="A word is the key of a dictionary, and a list cannot be one: tuple(...).",
    pitfall="tuple",
)
def merge_returns_a_list(self, symbols, pair):
    """I collect the symbols in a list and return it."""
    return list(AnswerKey._merge(self, symbols, pair))


@mistake("text where symbols belong", why="A word is a tuple of symbols, not one string.", pitfall="tuple")
def merge_returns_text(self, symbols, pair):
    """The word with its new symbol, put together."""
    return " ".join(AnswerKey._merge(self, symbols, pair))


@mistake("a symbol is used in two pairs", why="Each symbol can be merged only once.", pitfall="overlap")
def merge_uses_a_symbol_twice(self, symbols, pair):
    """For each two neighbors I append the joined symbol or the left one."""
    hits = [left_right == pair for left_right in zip(symbols, symbols[1:])] + [False]
    return tuple(
        pair[0] + pair[1] if hits[i] else symbol
        for i, symbol in enumerate(symbols)
        if hits[i] or i == 0 or not hits[i - 1]
    )
