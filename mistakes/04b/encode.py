"""Wrong solutions of WordBPETokenizer.encode."""

from coach.diagnosis.bank import mistake
from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey

UNKNOWN = "if token not in self.token_to_id and self.unk_token not in self.token_to_id:"
WHOLE = 'word + (self.end_of_word or "")'
ID_OF = "self.token_to_id.get(token, self.token_to_id.get(self.unk_token))"
BOTH = "[self.token_to_id[self.bos_token], *ids, self.token_to_id[self.eos_token]]"


@mistake(
    "[BOS] and [EOS] are always added", why="Add them only when add_special_tokens is true.", pitfall="special-tokens"
)
def encode_always_adds(self, text, add_special_tokens=False):
    """A text begins with [BOS] and ends with [EOS]."""
    return AnswerKey.encode(self, text, True)


@mistake(
    "a token outside the vocabulary is accepted without an unknown token",
    why="Without one there is no ID to give: raise a ValueError.",
    pitfall="unknown-token",
    change={
        UNKNOWN: "if False:",
        "get(self.unk_token)": "get(self.unk_token, 0)",
    },
)
def encode_always_has_unknown():
    """I call get with the unknown token's ID as its default."""


@mistake("[BOS] and [EOS] go around every word", why="They go around the text, once.", pitfall="special-tokens")
def encode_around_words(self, text, add_special_tokens=False):
    """Every word begins and ends."""
    return [token_id for word in self._words(text) for token_id in AnswerKey.encode(self, word, add_special_tokens)]


@mistake(
    "only one of [BOS] and [EOS] is added",
    why="[BOS] goes before the text, and [EOS] after it.",
    pitfall="special-tokens",
    change=[{BOTH: "[self.token_to_id[self.bos_token], *ids]"}, {BOTH: "[*ids, self.token_to_id[self.eos_token]]"}],
)
def encode_begins_only():
    """One token is enough to mark where a text begins or ends."""


@mistake(
    "each word is encoded only once",
    why="A word that occurs again gets its IDs again, in the order of the text.",
    pitfall="special-tokens",
)
def encode_each_word_once(self, text, add_special_tokens=False):
    """The words are counted, so each occurs once."""
    return AnswerKey.encode(self, " ".join(dict.fromkeys(text.split())), add_special_tokens)


@mistake(
    "the IDs of [BOS] and [EOS] are hard-coded",
    why="They depend on the list of special tokens: look them up in token_to_id.",
    pitfall="special-tokens",
)
def encode_fixed_ids(self, text, add_special_tokens=False):
    """[BOS] is 2 and [EOS] is 3."""
    ids = AnswerKey.encode(self, text)
    return [2, *ids, 3] if add_special_tokens else ids


@mistake(
    "a KeyError for a token that is not in the vocabulary",
    why="It becomes the unknown token's ID; without an unknown token, raise a ValueError.",
    pitfall="unknown-token",
    change={UNKNOWN: "if False:", ID_OF: "self.token_to_id[token]"},
)
def encode_key_error():
    """Every token has its ID in token_to_id."""


@mistake(
    "the ID of the unknown token is hard-coded",
    why="It depends on the list of special tokens: look up self.unk_token in token_to_id.",
    pitfall="unknown-token",
    change={"self.token_to_id.get(self.unk_token))": "1)"},
)
def encode_unknown_is_1():
    """[UNK] is 1."""


@mistake(
    "a list of lists is returned",
    why="One list of IDs for the whole text, not one for each word.",
    pitfall="special-tokens",
)
def encode_list_of_lists(self, text, add_special_tokens=False):
    """I append the IDs of each word."""
    return [[self.token_to_id[token] for token in self.tokenize(word)] for word in self._words(text)]


@mistake(
    "the text is changed before it is split",
    why="self._words(text) does everything that the text needs.",
    pitfall="unknown-token",
    change={"_words(text)": "_words(text.lower())"},
)
def encode_lowers():
    """Capitals only make more tokens."""


@mistake(
    "a missing [BOS] or [EOS] is ignored",
    why="It was requested and does not exist: raise a ValueError.",
    pitfall="special-tokens",
    change={
        "if add_special_tokens:": "if False:",
        "ids = []": "if add_special_tokens:\n    tokens = [self.bos_token, *tokens, self.eos_token]\nids = []",
    },
)
def encode_missing_is_unknown():
    """[BOS] is a token like the others: when it is not there, it is unknown."""


@mistake(
    "the names of the special tokens are hard-coded",
    why="A tokenizer can call them something else: use self.unk_token, self.bos_token and self.eos_token.",
    pitfall="special-tokens",
    change=[
        {
            "(self.bos_token, self.eos_token)": '("[BOS]", "[EOS]")',
            BOTH: '[self.token_to_id["[BOS]"], *ids, self.token_to_id["[EOS]"]]',
        },
        {ID_OF: 'self.token_to_id[token if token in self.token_to_id else "[UNK]"]'},
    ],
)
def encode_names_written_out():
    """A sentence begins with [BOS] and ends with [EOS]."""


@mistake(
    "[BOS] and [EOS] are not added", why="With add_special_tokens they go around the text.", pitfall="special-tokens"
)
def encode_never_adds(self, text, add_special_tokens=False):
    """The second argument can wait."""
    return AnswerKey.encode(self, text)


@mistake("tokens where IDs belong", why="Look each token up in token_to_id.", pitfall="special-tokens")
def encode_returns_tokens(self, text, add_special_tokens=False):
    """I return the tokens of all words, one after the other."""
    tokens = [token for word in self._words(text) for token in self.tokenize(word)]
    return [self.bos_token, *tokens, self.eos_token] if add_special_tokens else tokens


@mistake(
    "unknown tokens are left out",
    why="Text would be lost without a trace: each becomes the unknown token's ID.",
    pitfall="unknown-token",
    change={UNKNOWN: f"if token not in self.token_to_id:\n    continue\n{UNKNOWN}"},
)
def encode_skips_unknown():
    """A token outside the vocabulary is left out."""


@mistake(
    "text that looks like a special token becomes one",
    why="It is plain text: split it with tokenize like any other word.",
    pitfall="special-tokens",
    change={"in self.tokenize(word)": "in ([word] if word in self.special_tokens else self.tokenize(word))"},
)
def encode_special_in_text():
    """A special token in the text has its ID already."""


@mistake("[BOS] and [EOS] are swapped", why="[BOS] begins the text, [EOS] ends it.", pitfall="special-tokens")
def encode_swaps_the_ends(self, text, add_special_tokens=False):
    """One goes before the text and the other after it."""
    ids = AnswerKey.encode(self, text, add_special_tokens)
    return [ids[-1], *ids[1:-1], ids[0]] if add_special_tokens else ids


@mistake(
    "a whole word becomes unknown",
    why="Only the token that is not in the vocabulary does; the rest of the word is kept.",
    pitfall="unknown-token",
)
def encode_unknown_word(self, text, add_special_tokens=False):
    """A word with an unknown character is an unknown word."""
    ids = []
    for word in self._words(text):
        tokens = self.tokenize(word)
        if all(token in self.token_to_id for token in tokens):
            ids += [self.token_to_id[token] for token in tokens]
        else:
            ids.append(self.token_to_id[self.unk_token])
    ends = AnswerKey.encode(self, "", add_special_tokens)
    return [*ends[:1], *ids, *ends[1:]]


@mistake("the error does not name the unknown token", why="Put it into the message.", pitfall="unknown-token")
def encode_unnamed_error(self, text, add_special_tokens=False):
    """I say that something is unknown."""
    try:
        return AnswerKey.encode(self, text, add_special_tokens)
    except ValueError:
        raise ValueError("UNKNOWN TOKEN") from None


@mistake(
    "the merges are not applied",
    why="self.tokenize(word) gives the tokens of a word.",
    pitfall="special-tokens",
    change=[{"self.tokenize(word)": "self._symbols(word)"}, {"self.tokenize(word)": "word"}],
)
def encode_without_merges():
    """The symbols of a word are its characters and the marker."""


@mistake(
    "the ID 0 counts as missing",
    why="0 is false: ask `token in self.token_to_id`.",
    pitfall="unknown-token",
    change={
        UNKNOWN: "if not self.token_to_id.get(token) and self.unk_token not in self.token_to_id:",
        "get(token, self.token_to_id.get(self.unk_token))": "get(token) or self.token_to_id.get(self.unk_token)",
    },
)
def encode_zero_is_false():
    """get returns None for a missing token, and then `or` takes the unknown token."""


@mistake(
    "the ID 0 counts as missing",
    why="0 is false: ask `token in self.token_to_id`.",
    pitfall="special-tokens",
)
def encode_zero_is_false_for_all(self, text, add_special_tokens=False):
    """get returns None for a missing token, and then `or` takes the unknown token, for [BOS] and [EOS] too."""
    tokens = [token for word in self._words(text) for token in self.tokenize(word)]
    tokens = [self.bos_token, *tokens, self.eos_token] if add_special_tokens else tokens
    return [self.token_to_id.get(token) or self.token_to_id.get(self.unk_token) for token in tokens]


@mistake(
    "tokenize gets more than one word",
    why="tokenize takes one word: call it for each word of self._words(text).",
    pitfall="across-words",
    change={"[token for word in self._words(text) for token in self.tokenize(word)]": "self.tokenize(text)"},
)
def encode_tokenizes_the_text():
    """self.tokenize splits into tokens, so I give it the text."""


@mistake(
    "[BOS] and [EOS] are put into the text",
    why="In a text, their names are plain characters: put their IDs around the text's IDs.",
    pitfall="special-tokens",
)
def encode_writes_special_tokens(self, text, add_special_tokens=False):
    """The text with [BOS] before it and [EOS] after it is what has to be encoded."""
    return AnswerKey.encode(self, f"{self.bos_token} {text} {self.eos_token}" if add_special_tokens else text)


@mistake(
    "the unknown token is looked up for every token",
    why="Python evaluates the default of get in any case: look up the unknown token only when it is needed.",
    pitfall="unknown-token",
    has="X.get(Y, A[B]) or X.setdefault(Y, A[B])",
    change={UNKNOWN: "if False:", ID_OF: "self.token_to_id.get(token, self.token_to_id[self.unk_token])"},
)
def encode_unknown_as_default():
    """I call get with the unknown token's ID as the default, in one line."""


@mistake(
    "an empty text gets no special tokens",
    why="add_special_tokens alone decides: an empty text gets both.",
    pitfall="special-tokens",
    change={"if add_special_tokens:": "if add_special_tokens and ids:"},
)
def encode_nothing_around_nothing():
    """There is nothing for them to go around."""


@mistake(
    "a word is looked up as a whole",
    why="self.tokenize(word) splits it into tokens; each of these has an ID.",
    pitfall="special-tokens",
    has="nowhere: X.replace(...) or X.removesuffix(...) or self.tokenize(...)",
    change={"for token in self.tokenize(word)": "for token in [word]"},
)
def encode_whole_words():
    """The vocabulary contains the words that were learned."""


@mistake(
    "a word that is a token is not merged",
    why="The merges need not lead to that token: one learned earlier can take a symbol from it. Always use tokenize.",
    pitfall="merge-order",
    change={"in self.tokenize(word)": f"in ([{WHOLE}] if {WHOLE} in self.token_to_id else self.tokenize(word))"},
)
def encode_looks_up_whole_words():
    """A word that is a token already need not be split, and looking it up is faster."""


@mistake(
    "an unknown token with the ID 0 counts as none",
    why="0 is false, but it is an ID: compare with None, or ask `self.unk_token in self.token_to_id`.",
    pitfall="unknown-token",
    change={"and self.unk_token not in self.token_to_id:": "and not self.token_to_id.get(self.unk_token):"},
)
def encode_unknown_zero():
    """get returns None if there is no unknown token."""


@mistake(
    "a missing [BOS] or [EOS] is ignored",
    why="It was requested and does not exist: raise a ValueError.",
    pitfall="special-tokens",
    change={
        'raise ValueError(f"{name!r} is not among the special tokens {list(self.special_tokens)}.")': "pass",
        BOTH: "[*map(self.token_to_id.get, {self.bos_token} & {*self.token_to_id}), *ids, *map(self.token_to_id.get, {self.eos_token} & {*self.token_to_id})]",
    },
)  # fmt: skip
def encode_adds_what_there_is():
    """I add each of the two if it is there."""
