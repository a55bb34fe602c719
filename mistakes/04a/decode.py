"""Wrong solutions of CharTokenizer.decode."""

from coach.diagnosis.bank import mistake
from g2c.solutions.char_word import CharTokenizer as AnswerKey

EXISTS = "if token_id not in self.id_to_token:"
FOUND = "self.id_to_token[token_id]"
JOINED = "self._join(symbols)"


@mistake(
    "an ID that does not exist is accepted",
    why="A negative index counts from the end of a list: ask whether the ID is in id_to_token, and raise a ValueError.",
    pitfall="unknown-id",
)
def decode_by_place(self, ids):
    """The symbols in the order of their IDs are a list, and the ID is the position."""
    symbols = list(self.token_to_id)
    if any(token_id >= len(symbols) for token_id in ids):
        raise ValueError(f"there is no token with one of the IDs {ids}")
    return self._join([symbols[token_id] for token_id in ids])


@mistake(
    "the unknown token is left out",
    why="It shows where text was lost: keep it, like any other symbol.",
    pitfall="unknown-symbol",
    change={JOINED: "self._join([symbol for symbol in symbols if symbol != self.unk_token])"},
)
def decode_drops_unknown():
    """The unknown token is not part of the text."""


@mistake(
    "words are joined without a space",
    why="Pass the symbols to self._join, which knows what goes between them.",
    pitfall="hooks",
    group="TestWordTokenizer",
    change={JOINED: '"".join(symbols)'},
)
def decode_glues_words():
    """I join the symbols with nothing between them."""


@mistake(
    "a KeyError for an ID that does not exist",
    why="Ask whether the ID is there, and raise a ValueError that names it.",
    pitfall="unknown-id",
)
def decode_key_error(self, ids):
    """A dictionary raises an error by itself when an ID is missing."""
    return self._join([self.id_to_token[token_id] for token_id in ids])


@mistake("the symbol with ID 0 is lost", why="0 counts as false: ask `is None` or use `in`.", pitfall="zero")
def decode_loses_zero(self, ids):
    """I keep the IDs that are there."""
    return AnswerKey.decode(self, [token_id for token_id in ids if token_id])


@mistake(
    "an ID that does not exist is accepted",
    why="Lost text must not go unnoticed: raise a ValueError that names the ID.",
    pitfall="unknown-id",
    change=[
        {EXISTS: "if False:", FOUND: 'self.id_to_token.get(token_id, "")'},
        {EXISTS: "if False:", FOUND: 'self.id_to_token.get(token_id, self.unk_token or "")'},
        {EXISTS: f"{EXISTS[:-1]} and self.unk_token is None:", FOUND: "self.id_to_token.get(token_id, self.unk_token)"},
    ],
)
def decode_skips_unknown_ids():
    """An ID that is not in the vocabulary should not stop the decoding."""


@mistake("spaces at the ends of the text are removed", why="They are symbols like all others.", pitfall="hooks")
def decode_strips(self, ids):
    """The text should not begin or end with spaces."""
    return AnswerKey.decode(self, ids).strip()


@mistake(
    "an array is used as a condition",
    why="IDs may come as an array, which is neither true nor false: loop over them without `if ids`.",
    pitfall="unknown-id",
    change={"symbols = []": 'if not ids:\n    return ""\nsymbols = []'},
)
def decode_truth_of_array():
    """Without IDs there is nothing to do."""


@mistake(
    "the IDs are read twice",
    why="An iterator gives each ID only once: check an ID where you look it up, or make a list of them first.",
    pitfall="unknown-id",
)
def decode_reads_twice(self, ids):
    """First I check all IDs, then I look them up."""
    for token_id in ids:
        if token_id not in self.id_to_token:
            raise ValueError(f"there is no token with the ID {token_id}")
    return AnswerKey.decode(self, ids)


@mistake(
    "the error does not name the ID",
    why="Put the ID that does not exist into the message.",
    pitfall="unknown-id",
    change={'f"There is no token with ID {token_id} in this vocabulary of {self.vocab_size}."': '"unknown ID"'},
)
def decode_unnamed_error():
    """The main thing is that an error is raised."""


@mistake(
    "there are spaces between the characters",
    why="Pass the symbols to self._join, which adds spaces only for words.",
    pitfall="hooks",
    change={JOINED: '" ".join(symbols)'},
)
def decode_with_spaces():
    """I join the symbols with a space between them."""


@mistake(
    "an ID that exists is rejected",
    why="IDs may come in an array, and a numpy integer is not an int: ask only whether the ID is in id_to_token.",
    pitfall="unknown-id",
    change={EXISTS: "if not isinstance(token_id, int) or token_id not in self.id_to_token:"},
)
def decode_wants_int():
    """I check first that it is a proper ID, an int that is in the table."""
