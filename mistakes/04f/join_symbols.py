"""Wrong solutions of WordPieceTokenizer.join_symbols."""

from g2c.course.diagnosis.bank import mistake

# What most of them do right.


def replaced(symbols, pair, joined):
    result, position = [], 0
    while position < len(symbols):
        if tuple(symbols[position : position + 2]) == pair:
            result.append(joined)
            position += 2
        else:
            result.append(symbols[position])
            position += 1
    return tuple(result)


@mistake(
    'the joined symbol always begins with "##"',
    why="It begins with the prefix only if the left symbol does.",
    pitfall="prefix",
)
def join_always_with_prefix(self, symbols, pair):
    """A joined symbol is a piece, and pieces have the prefix."""
    joined = "##" + pair[0].removeprefix("##") + pair[1].removeprefix("##")
    return replaced(symbols, pair, joined)


@mistake(
    "the beginning of a word is treated as a continuation",
    why="Compare whole symbols, with their prefix.",
    pitfall="symbols",
)
def join_compares_letters(self, symbols, pair):
    """a is a, with or without the prefix."""
    joined = pair[0] + pair[1].removeprefix("##")
    result, position = [], 0
    while position < len(symbols):
        if [symbol.removeprefix("##") for symbol in symbols[position : position + 2]] == [
            half.removeprefix("##") for half in pair
        ]:
            result.append(joined)
            position += 2
        else:
            result.append(symbols[position])
            position += 1
    return tuple(result)


@mistake(
    "the left symbol loses characters as well",
    why="The left symbol stays as it is, with its prefix if it has one.",
    pitfall="prefix",
)
def join_cuts_two_from_both(self, symbols, pair):
    """The prefix has two characters, so I cut two from each symbol."""
    joined = pair[0][2:] + pair[1][2:]
    return replaced(symbols, pair, joined)


@mistake("only the first occurrence is joined", why="Continue to the end of the word after a match.", pitfall="overlap")
def join_first_only(self, symbols, pair):
    """Find the pair and join it."""
    for position in range(len(symbols) - 1):
        if symbols[position : position + 2] == pair:
            return (*symbols[:position], pair[0] + pair[1].removeprefix("##"), *symbols[position + 2 :])
    return symbols


@mistake(
    "a list is returned instead of a tuple",
    why="A word is a key of a dictionary: return a tuple.",
    pitfall="words-back",
    change={"return tuple(result)": "return result"},
)
def join_gives_a_list():
    """A list of symbols is a word."""


@mistake(
    'the "##" of the right symbol stays inside the joined one',
    why='"l" + "##o" is "lo": the prefix only marks that a symbol continues the word.',
    pitfall="prefix",
)
def join_keeps_prefix(self, symbols, pair):
    """Joining means writing the two symbols one after the other."""
    joined = pair[0] + pair[1]
    return replaced(symbols, pair, joined)


@mistake(
    "the last symbol is lost",
    why="It belongs to the word: copy it.",
    pitfall="overlap",
    change={"while position < len(symbols):": "while position < len(symbols) - 1:"},
)
def join_loses_the_last():
    """The last symbol has no right neighbor, so the loop ends before it."""


@mistake(
    "a symbol that was joined is used again",
    why="After a match, advance by two: a while loop can do that, a for loop cannot.",
    pitfall="overlap",
    change={"position += 2": "position += 1"},
)
def join_moves_by_one():
    """In each round the position goes on by one."""


@mistake(
    '"##" is removed wherever it occurs',
    why="Only the beginning of the right symbol is the prefix; the left one keeps its own.",
    pitfall="prefix",
)
def join_replaces_hashes(self, symbols, pair):
    """replace("##", "") takes the prefix away."""
    joined = (pair[0] + pair[1]).replace("##", "")
    return replaced(symbols, pair, joined)


@mistake(
    "hashes of the text are removed with the prefix",
    why="replace removes every ## in the symbol: use removeprefix, or cut off the first two characters.",
    pitfall="prefix",
    change={
        'joined = pair[0] + pair[1].removeprefix("##")': "",
        "result.append(joined)": 'result.append(pair[0] + pair[1].replace("##", ""))',
    },
)
def join_replaces_in_the_right():
    """replace takes the prefix of the right symbol away."""


@mistake(
    "every # at the beginning is removed",
    why="lstrip and replace remove any number of these characters: use removeprefix, which removes the text once.",
    pitfall="prefix",
)
def join_strips_hashes(self, symbols, pair):
    """Taking away the # takes away the prefix."""
    joined = pair[0] + pair[1].lstrip("#")
    return replaced(symbols, pair, joined)
