"""Wrong solutions of CharTokenizer.build_vocab."""

from coach.diagnosis.bank import mistake
from g2c.solutions.char_word import CharTokenizer as AnswerKey

RESERVED = "[] if self.unk_token is None else [self.unk_token]"
SORTED = "sorted(set(self.symbols(text)) - set(reserved))"
TO_TOKEN = "self.id_to_token = dict(enumerate(symbols))"


@mistake(
    "the symbols are numbered by frequency",
    why="Sort the symbols: then an ID does not depend on how often its symbol occurs.",
    pitfall="order",
    change=[
        {SORTED: f"sorted({symbols}, key=lambda symbol: -self.symbols(text).count(symbol))"}
        for symbols in (SORTED, "[one for one in dict.fromkeys(self.symbols(text)) if one not in reserved]")
    ],
)
def vocab_by_frequency():
    """Frequent symbols should get the small IDs."""


@mistake(
    "the symbols are not sorted",
    why="IDs follow the order of sorted(symbols), not of the text or of a set, whose order is not reliable.",
    pitfall="order",
    has="nowhere: sorted(...) or X.sort(...)",
    change={SORTED: "[*dict.fromkeys(symbol for symbol in self.symbols(text) if symbol not in reserved)]"},
)
def vocab_in_the_order_of_the_text():
    """Any order will do: enumerate numbers the symbols as they come."""


@mistake(
    "the symbols are sorted with a key",
    why="sorted without a key compares code points, which puts all capitals before the lowercase letters.",
    pitfall="order",
    has="sorted(X, key=Y) or X.sort(key=Y)",
    change=[
        {SORTED: f"sorted({SORTED}, key=str.lower)"},
        {SORTED: f"sorted({SORTED[:-1]}, reverse=True), key=str.lower)"},
    ],
)
def vocab_as_in_a_dictionary():
    """In a dictionary, a and A are side by side."""


@mistake("the first ID is 1", why="IDs begin at 0.", pitfall="order")
def vocab_from_one(self, text):
    """The first symbol is number 1."""
    symbols = sorted(set(self.symbols(text)) - {self.unk_token})
    self.token_to_id = {} if self.unk_token is None else {self.unk_token: 0}
    self.token_to_id.update((symbol, token_id) for token_id, symbol in enumerate(symbols, start=1))
    self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}


@mistake(
    "None is in the vocabulary",
    why="unk_token=None means that there is no unknown token.",
    pitfall="unknown-symbol",
    change={RESERVED: "[self.unk_token]"},
)
def vocab_holds_none():
    """The unknown token always comes first in the list."""


@mistake(
    "symbols of an earlier call are still there",
    why="Assign new dictionaries: what was built before is replaced.",
    pitfall="build-again",
)
def vocab_keeps_the_old(self, text):
    """The dictionaries are there already, so I add what is new."""
    for symbol in sorted(set(self.symbols(text))):
        if symbol not in self.token_to_id:
            self.id_to_token[len(self.token_to_id)] = symbol
            self.token_to_id[symbol] = len(self.token_to_id)


@mistake(
    "a symbol is numbered each time that it occurs",
    why="Each symbol has one ID: number the distinct symbols, not the text.",
    pitfall="order",
    has="nowhere: set(...) or {*X} or dict.fromkeys(...)",
    change={SORTED: "sorted(symbol for symbol in self.symbols(text) if symbol not in reserved)"},
)
def vocab_numbers_the_text():
    """I sort the text and number it; a symbol that comes twice just gets the later number."""


@mistake("ord in place of numbering", why="IDs are positions in the sorted list: 0, 1, 2, and so on.", pitfall="order")
def vocab_of_ord(self, text):
    """A character has a number already: ord."""
    AnswerKey.build_vocab(self, text)
    self.token_to_id = {symbol: ord(symbol[0]) for symbol in self.token_to_id}
    self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}


@mistake(
    "only one of the two dictionaries is set",
    why="encode reads token_to_id, decode reads id_to_token: set both.",
    pitfall="two-dictionaries",
    change={TO_TOKEN: ""},
)
def vocab_one_dictionary():
    """encode needs token_to_id, so that is what I build."""


@mistake(
    "keys and values of the dictionary are swapped",
    why="The key of token_to_id is the symbol; the key of id_to_token is the ID.",
    pitfall="two-dictionaries",
    change={"self.token_to_id =": "self.id_to_token =", TO_TOKEN: "self.token_to_id = dict(enumerate(symbols))"},
)
def vocab_other_way_round():
    """dict(enumerate(...)) makes a dictionary of the list, and the other one is its reverse."""


@mistake(
    "self.symbols is not used",
    why="self.symbols(text) checks the text and gives the symbols of this tokenizer; set(text) gives only characters.",
    pitfall="hooks",
    has="nowhere: self._split(text)",
    change={"self.symbols(text)": "text"},
)
def vocab_set_of_text():
    """A set of the text holds each symbol once."""


@mistake(
    "the unknown token is missing in id_to_token",
    why="The two dictionaries are inverses of each other: build both when the list of symbols is complete.",
    pitfall="unknown-symbol",
)
def vocab_unknown_cannot_be_decoded(self, text):
    """encode needs the unknown token, so I add it to token_to_id at the end."""
    symbols = sorted(set(self.symbols(text)) - {self.unk_token})
    first = 0 if self.unk_token is None else 1
    self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols, first)}
    self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}
    if self.unk_token is not None:
        self.token_to_id[self.unk_token] = 0


@mistake(
    "the unknown token is left out",
    why="With an unk_token, it has ID 0 and the others start at 1.",
    pitfall="unknown-symbol",
    change={RESERVED: "[]"},
)
def vocab_unknown_forgotten():
    """The vocabulary is what is in the text."""


@mistake(
    "the unknown token does not have ID 0",
    why="It comes first; the others start at 1.",
    pitfall="unknown-symbol",
    change={f"reserved + {SORTED}": f"{SORTED} + reserved"},
)
def vocab_unknown_last():
    """The unknown token is something extra, so I put it at the end."""


@mistake(
    "the unknown token takes a symbol's ID",
    why="With an unk_token the others start at 1, so that all IDs differ.",
    pitfall="unknown-symbol",
)
def vocab_unknown_overwrites(self, text):
    """First I number the symbols, then I enter the unknown token with ID 0."""
    symbols = sorted(set(self.symbols(text)))
    self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
    self.id_to_token = dict(enumerate(symbols))
    if self.unk_token is not None:
        self.token_to_id[self.unk_token] = 0
        self.id_to_token[0] = self.unk_token


@mistake(
    "the unknown token is sorted along with the symbols",
    why="It always has ID 0; the sorted symbols follow.",
    pitfall="unknown-symbol",
    change=[
        {f"reserved + {SORTED}": f"sorted({{{unknown}, *self.symbols(text)}})"}
        for unknown in ("*reserved", "self.unk_token")
    ],
)
def vocab_unknown_sorted():
    """The unknown token is one symbol of the list, and the list is sorted."""


@mistake(
    "the unknown token is listed twice",
    why="Take it out of the text's symbols; its ID is 0 and stays 0.",
    pitfall="unknown-symbol",
    change={" - set(reserved)": ""},
)
def vocab_unknown_twice():
    """The unknown token goes to the front of the sorted symbols."""


@mistake("symbols of the text are missing", why="Spaces and line breaks are symbols too.", pitfall="order")
def vocab_without_spaces(self, text):
    """Whitespace is not a character that anybody reads."""
    AnswerKey.build_vocab(self, "".join(text.split()) if type(self).__name__ == "CharTokenizer" else text)


@mistake(
    "the text is not checked",
    why="self.symbols(text) checks that it is text, and splits it with self._split.",
    pitfall="hooks",
    has="self._split(text)",
    change={"self.symbols(text)": "self._split(text)"},
)
def vocab_unchecked():
    """self._split gives the symbols."""


@mistake(
    "an ID is skipped",
    why="Take the unknown token out of the symbols first: enumerate counts the one that the loop leaves out, too.",
    pitfall="unknown-symbol",
)
def vocab_skips_an_id(self, text):
    """The loop leaves out the unknown token, which has its ID already."""
    self.token_to_id = {} if self.unk_token is None else {self.unk_token: 0}
    for token_id, symbol in enumerate(sorted(set(self.symbols(text))), len(self.token_to_id)):
        if symbol != self.unk_token:
            self.token_to_id[symbol] = token_id
    self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}


@mistake(
    "the character U+0000 is lost",
    why="numpy removes it from the end of a text: use set and sorted.",
    pitfall="order",
    change={SORTED: "sorted({symbol.rstrip('\\0') for symbol in self.symbols(text)} - set(reserved))"},
)
def vocab_of_numpy():
    """np.unique gives the distinct symbols in sorted order."""


@mistake(
    "the unknown token is removed from the text",
    why="Its characters are symbols like any other: take it out of the list of symbols, not out of the text.",
    pitfall="unknown-symbol",
    has="X.replace(...) or X.split(...)",
    change={"self.symbols(text)": 'self.symbols(text if self.unk_token is None else text.replace(self.unk_token, ""))'},
)
def vocab_without_its_text():
    """It must be listed only once, so I remove it from the text first."""
