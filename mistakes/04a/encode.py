"""Wrong solutions of CharTokenizer.encode."""

from coach.diagnosis.bank import mistake
from g2c.solutions.char_word import CharTokenizer as AnswerKey

KNOWN = "if symbol in self.token_to_id:"
KNOWN_UNKNOWN = "elif self.unk_token is not None:"
UNKNOWN = "ids.append(self.token_to_id[self.unk_token])"
RAISE = 'raise ValueError(f"{symbol!r} is not in the vocabulary, and there is no unknown token to stand for it.")'


@mistake(
    "encode adds to the vocabulary",
    why="build_vocab assigns the IDs; encode only looks them up.",
    pitfall="build-again",
)
def encode_adds_symbols(self, text):
    """A symbol without an ID gets the next free one."""
    ids = []
    for symbol in self.symbols(text):
        if symbol not in self.token_to_id:
            self.id_to_token[len(self.token_to_id)] = symbol
            self.token_to_id[symbol] = len(self.token_to_id)
        ids.append(self.token_to_id[symbol])
    return ids


@mistake(
    "characters where words belong",
    why="self.symbols(text) gives the symbols of this tokenizer; a loop over text only its characters.",
    pitfall="hooks",
    has="nowhere: self._split(text)",
    change={"self.symbols(text)": "text"},
)
def encode_all_characters():
    """I go through the text character by character."""


@mistake(
    "one unknown symbol makes the whole text unknown",
    why="Each symbol has its own ID: only the unknown ones become the unknown token.",
    pitfall="unknown-symbol",
    change={UNKNOWN: "return [self.token_to_id[self.unk_token]]"},
)
def encode_all_unknown():
    """A text with something unknown in it is unknown."""


@mistake(
    "what follows an unknown symbol is lost",
    why="break ends the loop: go on with the next symbol.",
    pitfall="unknown-symbol",
    change={UNKNOWN: f"{UNKNOWN}\nbreak"},
)
def encode_ends_at_unknown():
    """When a symbol is unknown, I add the unknown token and leave the loop."""


@mistake(
    "an unknown symbol is rejected although there is an unknown token",
    why="With an unk_token it becomes that token's ID, 0.",
    pitfall="unknown-symbol",
    change={"elif self.unk_token is not None:": "elif False:"},
)
def encode_always_refuses():
    """A symbol that is not in the vocabulary is an error."""


@mistake(
    "an unknown symbol gets an ID although there is no unknown token",
    why="Without an unk_token it is a ValueError.",
    pitfall="unknown-symbol",
)
def encode_always_unknown(self, text):
    """An unknown symbol becomes ID 0."""
    return [self.token_to_id.get(symbol, 0) for symbol in self.symbols(text)]


@mistake(
    "neighboring unknown symbols become one",
    why="Each symbol has its own ID, so the result is as long as the text has symbols.",
    pitfall="unknown-symbol",
    change={UNKNOWN: f"if ids[-1:] != [self.token_to_id[self.unk_token]]:\n    {UNKNOWN}"},
)
def encode_joins_unknown():
    """Several unknown symbols side by side are one unknown thing."""


@mistake(
    "a KeyError for an unknown symbol",
    why="Ask whether the symbol is there. If not, it gets the unknown token's ID, or you raise a ValueError that names it.",
    pitfall="unknown-symbol",
    change=[{RAISE: "ids.append(self.token_to_id[symbol])"}, {KNOWN: "if True:"}],
)
def encode_key_error():
    """Encoding looks up each symbol in token_to_id."""


@mistake(
    "the text is changed before it is split",
    why="self.symbols(text) does everything that the text needs.",
    pitfall="hooks",
)
def encode_lowers(self, text):
    """Capitals only make the vocabulary larger."""
    return AnswerKey.encode(self, text.lower())


@mistake(
    "ord in place of the vocabulary", why="build_vocab assigns the IDs: look them up in token_to_id.", pitfall="zero"
)
def encode_ord(self, text):
    """A character has a number already: ord."""
    return [ord(symbol[0]) for symbol in self.symbols(text)]


@mistake("None in place of an ID", why="Without an unknown token, raise a ValueError.", pitfall="unknown-symbol")
def encode_none(self, text):
    """get returns the ID, or the unknown token's."""
    return [self.token_to_id.get(symbol, self.token_to_id.get(self.unk_token)) for symbol in self.symbols(text)]


@mistake(
    "the name of the unknown token is hard-coded",
    why="Its name is in self.unk_token.",
    pitfall="unknown-symbol",
    change={"self.token_to_id[self.unk_token]": 'self.token_to_id["[UNK]"]'},
)
def encode_unknown_written_out():
    """The unknown token is [UNK]."""


@mistake(
    "unknown symbols are left out",
    why="Text would be lost: with an unk_token they become its ID, and without one this is a ValueError.",
    pitfall="unknown-symbol",
    change=[{RAISE: "pass", KNOWN_UNKNOWN: "elif False:"}, {RAISE: "pass"}],
)
def encode_skips_unknown():
    """A symbol outside the vocabulary cannot be encoded, so I leave it out."""


@mistake(
    "the unknown token's text becomes the unknown token",
    why="Text that looks like the unknown token is split into symbols, like any other text.",
    pitfall="hooks",
)
def encode_unknown_in_text(self, text):
    """If the text contains the unknown token, that token is meant."""
    if not self.unk_token:
        return AnswerKey.encode(self, text)
    ids = []
    for number, part in enumerate(text.split(self.unk_token)):
        ids += [self.token_to_id[self.unk_token]] * (number > 0) + AnswerKey.encode(self, part)
    return ids


@mistake("the error does not name the symbol", why="Put the symbol into the message.", pitfall="unknown-symbol")
def encode_unnamed_error(self, text):
    """The error says what is wrong: a symbol is unknown."""
    if self.unk_token is None and set(self.symbols(text)) - set(self.token_to_id):
        raise ValueError("UNKNOWN SYMBOL")
    return [self.token_to_id.get(symbol, 0) for symbol in self.symbols(text)]


@mistake(
    "the symbol with ID 0 counts as unknown",
    why="0 counts as false: ask `symbol in token_to_id`, not whether the ID is true.",
    pitfall="zero",
    change=[
        *(
            {KNOWN: "if self.token_to_id.get(symbol):", "else:": other}
            for other in ("else:", "elif symbol not in self.token_to_id:")
        ),
        {"else:": "if False:", KNOWN: "if self.token_to_id.get(symbol):", KNOWN_UNKNOWN: "else:"},
    ],
)
def encode_zero_is_false():
    """If get returns an ID, I append it."""


@mistake(
    "a capital that is not in the vocabulary becomes a lowercase letter",
    why="It is another symbol, and unknown.",
    pitfall="unknown-symbol",
    change={"self.symbols(text)": "[one if one in self.token_to_id else one.lower() for one in self.symbols(text)]"},
)
def encode_falls_back_to_lower():
    """The lowercase letter is better than nothing."""


@mistake(
    "the text is not checked",
    why="self.symbols(text) checks that it is text, and splits it with self._split.",
    pitfall="hooks",
    has="self._split(text)",
    change={"self.symbols(text)": "self._split(text)"},
)
def encode_unchecked():
    """self._split gives the symbols."""
