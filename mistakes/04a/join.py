"""Wrong solutions of WordTokenizer._join."""

from coach.diagnosis.bank import mistake


@mistake("the words are changed", why="Join them unchanged.", pitfall="join")
def join_capitalizes(self, symbols):
    """A sentence begins with a capital."""
    return " ".join(symbols).capitalize()


@mistake(
    "a space before the first word or after the last",
    why="Spaces go between words only.",
    pitfall="join",
    change=[{'" ".join(symbols)': '" ".join([*symbols, ""])'}, {'" ".join(symbols)': '" ".join(["", *symbols])'}],
)
def join_with_a_space_for_each():
    """I add a space with every word."""


@mistake("the unknown token is left out", why="It shows where a word was lost: join all words.", pitfall="join")
def join_without_the_unknown(self, symbols):
    """The unknown token is no word."""
    return " ".join(symbol for symbol in symbols if symbol != self.unk_token)


@mistake("something other than one space is between words", why='Join them with " ".', pitfall="join")
def join_with_line_ends(self, symbols):
    """Each word goes on a line."""
    return "\n".join(symbols)


@mistake(
    "words are joined without a space",
    why='Put one space between every two words: " ".join(symbols).',
    pitfall="join",
)
def join_without_spaces(self, symbols):
    """Joining is what CharTokenizer does already."""
    return "".join(symbols)


@mistake(
    "a word that equals the last one gets no space after it",
    why="Equal words are not the same place: compare positions, or let join put the spaces.",
    pitfall="join",
)
def join_looks_for_the_last_word(self, symbols):
    """A space follows each word but the last."""
    return "".join(symbol if symbol == symbols[-1] else f"{symbol} " for symbol in symbols)
