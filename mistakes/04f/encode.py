"""Wrong solutions of WordPieceTokenizer.encode."""

from coach.diagnosis.bank import mistake
from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey

BOTH = '[self.token_to_id["[CLS]"], *ids, self.token_to_id["[SEP]"]]'


@mistake(
    "[CLS] and [SEP] are always added", why="Add them only when add_special_tokens is true.", pitfall="special-tokens"
)
def encode_always_adds(self, text, add_special_tokens=False):
    """A text begins with [CLS] and ends with [SEP]."""
    return AnswerKey.encode(self, text, True)


@mistake("[CLS] and [SEP] go around every word", why="They go around the text, once.", pitfall="special-tokens")
def encode_around_words(self, text, add_special_tokens=False):
    """Every word begins and ends."""
    return [token_id for word in self._words(text) for token_id in AnswerKey.encode(self, word, add_special_tokens)]


@mistake(
    "only one of [CLS] and [SEP] is added",
    why="[CLS] goes before the text, and [SEP] after it.",
    pitfall="special-tokens",
    change={BOTH: '[self.token_to_id["[CLS]"], *ids]'},
)
def encode_begins_only():
    """A text needs a beginning."""


@mistake(
    "the ID 0 counts as missing",
    why="0 is false: ask `token in self.token_to_id`.",
    pitfall="special-tokens",
    change={"if token not in self.token_to_id:": "if not self.token_to_id.get(token):"},
)
def encode_zero_is_missing():
    """get returns None for a missing token."""


@mistake(
    "unknown words are left out",
    why="The unknown token has an ID like any other: keep it, so that the place is not lost.",
    pitfall="whole-word",
    change={"longest_match(word)": "longest_match(word) if token != self.unk_token"},
)
def encode_drops_unknown():
    """An unknown word has no meaning for the model."""


@mistake(
    "what is known of an unknown word is kept",
    why="If no token fits at some position, the whole word is unknown: self.longest_match returns the unknown token alone.",
    pitfall="whole-word",
    group="TestEncode",
)
def encode_keeps_the_beginning(self, text, add_special_tokens=False):
    """I look for the longest token again and again, and for the rest there is the unknown token."""
    ids, unknown = [], [self.unk_token]
    for word in self._words(text):
        ends = (end for end in range(len(word), 0, -1) if self.longest_match(word[:end]) != unknown)
        end = next(ends, 0)
        tokens = [*(self.longest_match(word[:end]) if end else ()), *(unknown if end < len(word) else ())]
        ids += [self.token_to_id[token] for token in tokens]
    around = AnswerKey.encode(self, "", add_special_tokens)
    return [*around[:1], *ids, *around[1:]]


@mistake(
    "the IDs of [CLS] and [SEP] are hard-coded",
    why="They depend on the vocabulary: look them up in token_to_id.",
    pitfall="special-tokens",
    change={BOTH: "[101, *ids, 102]"},
)
def encode_ids_of_bert():
    """In BERT, [CLS] is 101 and [SEP] is 102."""


@mistake(
    "the IDs of [CLS] and [SEP] are hard-coded",
    why="They depend on the vocabulary: look them up in token_to_id.",
    pitfall="special-tokens",
    change={BOTH: "[2, *ids, 3]"},
)
def encode_fixed_ids():
    """[CLS] is 2 and [SEP] is 3, as in BERT_SPECIAL_TOKENS."""


@mistake(
    "[CLS] and [SEP] are split like words",
    why="longest_match makes a word of more than max_input_chars_per_word characters unknown: look both up instead.",
    pitfall="special-tokens",
    change={
        "self._words(text)": '(["[CLS]", *self._words(text), "[SEP]"] if add_special_tokens else self._words(text))',
        BOTH: "ids",
    },
)
def encode_special_tokens_as_words():
    """I put [CLS] and [SEP] around the words, and longest_match finds all of them."""


@mistake(
    "[CLS] and [SEP] are written into the text",
    why="self._words takes them for plain text, lowercases and splits them: look up their IDs and put these around the others.",
    pitfall="special-tokens",
    change={
        "self._words(text)": 'self._words(f"[CLS] {text} [SEP]" if add_special_tokens else text)',
        BOTH: "ids",
    },
)
def encode_special_tokens_as_text():
    """I write [CLS] before the text and [SEP] after it, and encode all of it."""


@mistake(
    "tokens are returned instead of IDs",
    why="Look up each token in token_to_id.",
    pitfall="special-tokens",
    change={"self.token_to_id[token]": "token"},
)
def encode_gives_tokens():
    """Encoding is splitting into tokens."""


@mistake(
    "a KeyError for a special token that is missing",
    why="Raise a ValueError that names the token.",
    pitfall="special-tokens",
    change={"if token not in self.token_to_id:": "if False:"},
)
def encode_key_error():
    """Every special token is in the vocabulary."""


@mistake(
    "a list of lists is returned",
    why="One list of IDs for the whole text, not one for each word.",
    pitfall="special-tokens",
    change={
        "self.token_to_id[token] for word in self._words(text) for token in self.longest_match(word)": "[self.token_to_id[token] for token in self.longest_match(word)] for word in self._words(text)"
    },
)
def encode_list_of_lists():
    """I append the IDs of each word."""


@mistake(
    "a special token that is missing is left out",
    why="It was requested: raise a ValueError that names it.",
    pitfall="special-tokens",
)
def encode_missing_is_left_out(self, text, add_special_tokens=False):
    """If there is no [CLS], there is none to add."""
    ids = AnswerKey.encode(self, text)
    if add_special_tokens:
        first, last = self.token_to_id.get("[CLS]"), self.token_to_id.get("[SEP]")
        ids = [token_id for token_id in [first, *ids, last] if token_id is not None]
    return ids


@mistake(
    "add_special_tokens is ignored",
    why="When it is true, [CLS] goes before the IDs and [SEP] after them.",
    pitfall="special-tokens",
)
def encode_never_adds(self, text, add_special_tokens=False):
    """The model adds its special tokens itself."""
    return AnswerKey.encode(self, text)


@mistake(
    "the text is not split into words",
    why="longest_match takes one word: call it for each word of self._words(text).",
    pitfall="special-tokens",
    change={"self._words(text)": "[text]"},
)
def encode_takes_the_text_for_a_word():
    """longest_match splits into tokens, so I give it the text."""


@mistake(
    "the text is split at whitespace only",
    why="self._words also lowercases, removes accents and splits off punctuation.",
    pitfall="special-tokens",
    change={"self._words(text)": "text.split()"},
)
def encode_splits_at_spaces():
    """Words are what split() gives."""


@mistake(
    "an empty text gets no special tokens",
    why="add_special_tokens alone decides: an empty text gets both.",
    pitfall="special-tokens",
    change={"if add_special_tokens:": "if add_special_tokens and ids:"},
)
def encode_nothing_around_nothing():
    """There is nothing for them to go around."""


@mistake(
    "the text is lowercased, whatever the tokenizer's option says",
    why="self._words does it where lowercase=True asks for it.",
    pitfall="special-tokens",
)
def encode_lowercases(self, text, add_special_tokens=False):
    """BERT's models do not tell capitals from lowercase letters."""
    return AnswerKey.encode(self, text.lower(), add_special_tokens)
