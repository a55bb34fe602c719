"""Module 04a: what the classic mistakes in CharTokenizer and WordTokenizer would give, and how to say so."""

from collections.abc import Iterator

from g2c.course.teaching import Mistake, Outcome, describes_state, recognises, same, show


@describes_state("CharTokenizer")
def state_line(state: dict) -> str:
    unknown = f"unknown token {state['unk_token']!r}" if state["unk_token"] is not None else "no unknown token"
    return f"vocabulary {show(state['token_to_id'], 60)}; {unknown}"


# --- build_vocab ------------------------------------------------------------------------------------------------------

NOT_SORTED = Mistake(
    "the symbols are not sorted",
    "A set has no order to rely on, and no other order is asked for than that of sorted(symbols).",
    "order",
)
EVERY_OCCURRENCE = Mistake(
    "a symbol is numbered each time that it occurs",
    "It keeps one ID: number the different symbols, not the text.",
    "order",
)
FROM_ONE = Mistake("the first ID is 1", "IDs begin at 0.", "order")
UNKNOWN_FORGOTTEN = Mistake(
    "the unknown token is left out", "With an unk_token, it has ID 0 and the others start at 1.", "unknown-symbol"
)
UNKNOWN_LAST = Mistake(
    "the unknown token does not have ID 0", "It comes first; the others start at 1.", "unknown-symbol"
)
UNKNOWN_OVERWRITES = Mistake(
    "the unknown token takes a symbol's ID",
    "With an unk_token the others start at 1, so that all IDs differ.",
    "unknown-symbol",
)
UNKNOWN_TWICE = Mistake(
    "the unknown token is listed twice", "Take it out of the text's symbols; its ID is 0 and stays 0.", "unknown-symbol"
)
NONE_IN_VOCABULARY = Mistake(
    "None stands in the vocabulary", "unk_token=None means that there is no unknown token.", "unknown-symbol"
)
KEPT_FROM_BEFORE = Mistake(
    "symbols of an earlier call are still there",
    "Assign new dictionaries: what was built before is replaced.",
    "build-again",
)
ONE_DIRECTION = Mistake(
    "only one of the two dictionaries is set",
    "encode reads token_to_id, decode reads id_to_token: set both.",
    "two-dictionaries",
)
OTHER_WAY_ROUND = Mistake(
    "the dictionary is the other way round",
    "token_to_id has the symbol as its key, id_to_token the ID.",
    "two-dictionaries",
)
NUMBERS_OF_CHARACTERS = Mistake(
    "ord in place of numbering", "IDs are places in the sorted list: 0, 1, 2, and so on.", "order"
)
SYMBOLS_LOST = Mistake("symbols of the text are missing", "A space and a line end are symbols like any other.", "order")
CHARACTERS_OF_WORDS = Mistake(
    "characters where words belong",
    "self.symbols(text) gives the symbols of this tokenizer; list(text) only characters.",
    "hooks",
)


@recognises("CharTokenizer.build_vocab")
def build_vocab_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    built, inverted = outcome.result, outcome.aspect.endswith("id_to_token")
    if not isinstance(built, dict):
        return
    before, unknown = (outcome.state["id_to_token" if inverted else "token_to_id"], outcome.state["unk_token"])
    expected = set(outcome.owner._split(outcome.args[0]))
    if built == before and expected - {unknown}:
        yield ONE_DIRECTION
        return
    if built and all(isinstance(key, int) != inverted for key in built):
        yield OTHER_WAY_ROUND
        return
    # From here on: (symbol, ID), whichever of the two is the key.
    entries = [(symbol, token_id) for token_id, symbol in built.items()] if inverted else list(built.items())
    symbols, ids = ([symbol for symbol, _ in entries], [token_id for _, token_id in entries])
    if None in symbols:
        yield NONE_IN_VOCABULARY
    elif set(symbols) - {unknown} == set(outcome.args[0]) != expected:
        yield CHARACTERS_OF_WORDS
    elif entries and all(len(symbol) == 1 and token_id == ord(symbol) for symbol, token_id in entries):
        yield NUMBERS_OF_CHARACTERS
    elif set(symbols) - expected - {unknown}:
        yield KEPT_FROM_BEFORE
    elif unknown is not None and unknown not in symbols:
        yield UNKNOWN_FORGOTTEN
    elif unknown is not None and ids.count(0) > 1:
        yield UNKNOWN_OVERWRITES
    elif unknown in expected and (unknown, 0) not in entries or symbols.count(unknown) > 1:
        yield UNKNOWN_TWICE
    elif unknown is not None and (unknown, 0) not in entries:
        yield UNKNOWN_LAST
    elif ids and min(ids) == 1 and max(ids) == len(ids):
        yield FROM_ONE
    elif ids and max(ids) >= len(set(symbols)):
        yield EVERY_OCCURRENCE
    elif set(symbols) - {unknown} == expected - {unknown}:
        yield NOT_SORTED
    elif set(symbols) < expected:
        yield SYMBOLS_LOST


# --- encode -----------------------------------------------------------------------------------------------------------

ZERO_IS_FALSE = Mistake(
    "the symbol with ID 0 is taken for unknown",
    "0 counts as false: ask `symbol in token_to_id`, not whether the ID is true.",
    "zero",
)
BARE_KEY_ERROR = Mistake(
    "a KeyError for an unknown symbol",
    "Ask whether the symbol is there, and raise a ValueError that names it.",
    "unknown-symbol",
)
SKIPPED = Mistake(
    "unknown symbols are left out",
    "Text would be lost without a trace: without an unk_token this is a ValueError.",
    "unknown-symbol",
)
SKIPPED_WITH_UNKNOWN = Mistake(
    "unknown symbols are left out",
    "With an unk_token each of them becomes its ID, so that the loss can be seen.",
    "unknown-symbol",
)
SYMBOL_NOT_NAMED = Mistake("the error does not name the symbol", "Put the symbol into the message.", "unknown-symbol")
UNKNOWN_WITHOUT_TOKEN = Mistake(
    "an unknown symbol gets an ID, though there is no unknown token",
    "Without an unk_token it is a ValueError.",
    "unknown-symbol",
)
UNKNOWN_REFUSED = Mistake(
    "an unknown symbol is refused, though there is an unknown token",
    "With an unk_token it becomes that token's ID, 0.",
    "unknown-symbol",
)
CODE_POINTS = Mistake("ord in place of the vocabulary", "IDs are places in the vocabulary: look them up.", "zero")
TEXT_CHANGED = Mistake(
    "the text is changed before it is cut", "self.symbols(text) does all that has to be done to it.", "hooks"
)
UNKNOWN_IN_TEXT = Mistake(
    "the unknown token's text becomes the unknown token",
    "What is written in the text is cut into symbols like everything else.",
    "hooks",
)
UNKNOWN_TEXT = Mistake(
    "one unknown symbol makes the whole text unknown", "Each symbol has an ID of its own.", "unknown-symbol"
)
VOCABULARY_GROWS = Mistake(
    "encode adds to the vocabulary", "The IDs were given out by build_vocab; encode only looks them up.", "build-again"
)


@recognises("CharTokenizer.encode")
def encode_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    text, vocabulary, unknown = (outcome.args[0], outcome.state["token_to_id"], outcome.state["unk_token"])
    symbols = outcome.owner._split(text)
    known = [vocabulary[symbol] for symbol in symbols if symbol in vocabulary]
    missing = len(known) < len(symbols)
    if isinstance(outcome.result, list):
        unknown_id = vocabulary.get(unknown)
        for changed in (text.lower(), text.strip()):
            ids = [vocabulary.get(symbol, unknown_id) for symbol in outcome.owner._split(changed)]
            if changed != text and outcome.gave(ids):
                yield TEXT_CHANGED
        if unknown and unknown in text and len(outcome.result) < len(symbols):
            yield UNKNOWN_IN_TEXT
        if missing and len(symbols) > 1 and outcome.gave([unknown_id]):
            yield UNKNOWN_TEXT
    if outcome.owner.token_to_id != vocabulary:
        yield VOCABULARY_GROWS
    elif symbols != list(text) and (outcome.raised(LookupError, ValueError) or len(outcome.result) == len(text)):
        yield CHARACTERS_OF_WORDS
    elif missing and outcome.raised(LookupError):
        yield BARE_KEY_ERROR
    elif missing and outcome.raised(ValueError):
        yield SYMBOL_NOT_NAMED if unknown is None else UNKNOWN_REFUSED
    elif outcome.raised(ValueError):
        yield ZERO_IS_FALSE
    elif missing and same(outcome.result, known):
        yield SKIPPED if unknown is None else SKIPPED_WITH_UNKNOWN
    elif missing and unknown is None:
        yield UNKNOWN_WITHOUT_TOKEN
    elif 0 in known and len(outcome.result) <= len(symbols):
        yield ZERO_IS_FALSE
    if outcome.gave(list(map(ord, text))):
        yield CODE_POINTS


# --- decode -----------------------------------------------------------------------------------------------------------

UNKNOWN_ID_KEY_ERROR = Mistake(
    "a KeyError for an ID that does not exist",
    "Ask whether the ID is there, and raise a ValueError that names it.",
    "unknown-id",
)
UNKNOWN_ID_SKIPPED = Mistake(
    "an ID that does not exist is passed over",
    "Lost text must not go unseen: raise a ValueError that names the ID.",
    "unknown-id",
)
ID_NOT_NAMED = Mistake(
    "the error does not name the ID", "Put the ID that does not exist into the message.", "unknown-id"
)
NOT_JOINED = Mistake("a list where text belongs", "self._join puts the symbols together.", "hooks")
WORDS_GLUED = Mistake(
    "words are put together without a space",
    "decode gives the symbols to self._join, which knows what belongs between them.",
    "hooks",
)
CHARACTERS_APART = Mistake(
    "there are spaces between the characters",
    "decode gives the symbols to self._join; only for words that adds spaces.",
    "hooks",
)
UNKNOWN_DROPPED = Mistake(
    "the unknown token is left out", "It shows where text was lost: keep it like any other symbol.", "unknown-symbol"
)
FIRST_SYMBOL_LOST = Mistake("the symbol with ID 0 is lost", "0 counts as false: ask `is None` or use `in`.", "zero")
STRIPPED = Mistake(
    "spaces at the ends of the text are taken off", "They are symbols, and come back like all others.", "hooks"
)
TRUTH_OF_ARRAY = Mistake(
    "an array is asked for its truth",
    "IDs may come as an array: go through them, without asking `if ids`.",
    "unknown-id",
)


@recognises("CharTokenizer.decode")
def decode_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    ids, vocabulary = ([int(token_id) for token_id in outcome.args[0]], outcome.state["id_to_token"])
    symbols = [vocabulary[token_id] for token_id in ids if token_id in vocabulary]
    join, unknown = outcome.owner._join, outcome.state["unk_token"]
    if outcome.raised(ValueError) and "truth value" in str(outcome.error):
        yield TRUTH_OF_ARRAY
    elif len(symbols) < len(ids):
        if outcome.raised(LookupError, TypeError):
            yield UNKNOWN_ID_KEY_ERROR
        elif outcome.raised(ValueError):
            yield ID_NOT_NAMED
        elif outcome.error is None:
            yield UNKNOWN_ID_SKIPPED
    elif outcome.raised(ValueError) and 0 in ids:
        yield FIRST_SYMBOL_LOST
    elif isinstance(outcome.result, (list, tuple)):
        yield NOT_JOINED
    elif outcome.gave("".join(symbols)):
        yield WORDS_GLUED
    elif outcome.gave(" ".join(symbols)):
        yield CHARACTERS_APART
    elif unknown in symbols and outcome.gave(join([symbol for symbol in symbols if symbol != unknown])):
        yield UNKNOWN_DROPPED
    elif outcome.gave(join([vocabulary[token_id] for token_id in ids if token_id])):
        yield FIRST_SYMBOL_LOST
    elif outcome.gave(join(symbols).strip()):
        yield STRIPPED


# --- words ------------------------------------------------------------------------------------------------------------

NOT_LOWERED = Mistake("upper case is kept", '"The" and "the" shall be one word: text.lower() first.', "words")
SINGLE_SPACES = Mistake(
    "the text is cut at every single space",
    "Two spaces then have an empty word between them, and line ends stay: split without an argument.",
    "empty-words",
)
EMPTY_WORDS = Mistake(
    "there are empty words", "A run of white space is one border: split without an argument.", "empty-words"
)
NOT_CUT = Mistake("the text is not cut into words", "str.split cuts it, and returns a list.", "words")
PUNCTUATION_APART = Mistake(
    "punctuation is a word of its own", 'This tokenizer cuts at white space alone, so "be," is one word.', "words"
)
FOLDED = Mistake("casefold in place of lower", 'It changes more than capitals: "ß" becomes "ss".', "words")
SOME_WHITE_SPACE = Mistake(
    "only some kinds of white space are borders", "Unicode has more than the space: split without an argument.", "words"
)
WORDS_LOST = Mistake(
    "each word is there only once", "The words of the text are asked for, in order, and not its vocabulary.", "words"
)
PUNCTUATION = Mistake(
    "punctuation is taken off", 'This tokenizer cuts at white space alone, so "be," is one word.', "words"
)


@recognises("WordTokenizer._split", "CharTokenizer.symbols")
def split_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    text, words = outcome.args[0], outcome.result
    if isinstance(words, str) or same(words, list(text)) or same(words, list(text.lower())):
        yield NOT_CUT
    elif same(words, text.split()):
        yield NOT_LOWERED
    elif " " not in text and isinstance(words, list) and any(len(word.split()) > 1 for word in words):
        yield SOME_WHITE_SPACE
    elif same(words, text.lower().split(" ")) or same(words, text.split(" ")):
        yield SINGLE_SPACES
    elif isinstance(words, list) and "" in words:
        yield EMPTY_WORDS
    elif same(words, text.casefold().split()):
        yield FOLDED
    elif isinstance(words, list) and "".join(words) == "".join(text.lower().split()):
        yield PUNCTUATION_APART
    elif isinstance(words, list) and set(words) == set(text.lower().split()):
        yield WORDS_LOST
    elif isinstance(words, list) and not set("".join(words)) & set(",.;:!?"):
        yield PUNCTUATION


@recognises("WordTokenizer._join")
def join_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    words = outcome.args[0]
    if outcome.gave("".join(words)):
        yield Mistake("words are put together without a space", 'Put one between every two of them: " ".join.', "join")
    elif isinstance(outcome.result, str) and outcome.result.split() == words and " ".join(words) not in outcome.result:
        yield Mistake("something else than one space stands between words", 'Join them with " ".', "join")
    elif isinstance(outcome.result, str) and outcome.result.lower() == " ".join(words).lower():
        yield Mistake("the words are changed", "Put them together as they are.", "join")
    if isinstance(outcome.result, str) and outcome.result.strip() == " ".join(words):
        yield Mistake("a space before the first word or after the last", "Spaces stand between words only.", "join")
