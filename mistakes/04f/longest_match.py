"""Wrong solutions of WordPieceTokenizer.longest_match."""

from coach.diagnosis.bank import mistake
from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey

NOTHING_FITS = "else:\n            return [self.unk_token]"


@mistake(
    "the token with the ID 0 is not found",
    why="0 is false: ask whether the token is in self.token_to_id.",
    pitfall="greedy",
    change={"if prefix + word[start:end] in self.token_to_id:": "if self.token_to_id.get(prefix + word[start:end]):"},
)
def match_zero_is_false():
    """get returns None for a text that is no token."""


@mistake(
    "the longest token anywhere in the word is taken first",
    why="Go from the left: the longest token at the beginning, then the longest that continues.",
    pitfall="greedy",
    has="X[A:A + B] or X in word or word.find(...) or word.index(...) or word.partition(...)",
)
def match_any_token_longest(self, word):
    """I take the longest token in the word, then split the parts to its left and right."""
    if len(word) > self.max_input_chars_per_word:
        return [self.unk_token]

    def split(start, end):
        if start == end:
            return []
        for length in range(end - start, 0, -1):
            for place in range(start, end - length + 1):
                token = ("##" if place else "") + word[place : place + length]
                if token in self.token_to_id:
                    return [*split(start, place), token, *split(place + length, end)]
        return [self.unk_token]

    tokens = split(0, len(word))
    return [self.unk_token] if self.unk_token in tokens else tokens


@mistake(
    "a word that is too long is truncated",
    why="It becomes the unknown token as a whole.",
    pitfall="too-long",
    change={"if len(word) > self.max_input_chars_per_word:": "word = word[: self.max_input_chars_per_word]\nif False:"},
)
def match_cuts_long_words():
    """A word that is too long is cut."""


@mistake(
    "the rest of the word is lost",
    why="A word that cannot be split to its end is unknown: return the unknown token alone.",
    pitfall="whole-word",
    change={NOTHING_FITS: "else:\n    return tokens"},
)
def match_drops_the_rest():
    """When nothing fits, I stop and return the tokens so far."""


@mistake(
    "a character that no token covers is left out",
    why="A word that cannot be split to its end is unknown: return the unknown token alone.",
    pitfall="whole-word",
    has="X += 1 or X = X + 1",
    change={NOTHING_FITS: "else:\n    start += 1\n    continue"},
)
def match_skips_a_character():
    """When nothing fits, I go on after the character."""


@mistake(
    "the name of the unknown token is hard-coded",
    why="Its name is in self.unk_token.",
    pitfall="whole-word",
    change={
        "word:\n        return [self.unk_token]": 'word:\n    return ["[UNK]"]',
        NOTHING_FITS: 'else:\n    return ["[UNK]"]',
    },
)
def match_fixed_unknown():
    """The unknown token is [UNK]."""


@mistake(
    "the limit counts bytes",
    why="max_input_chars_per_word counts characters: len(word).",
    pitfall="too-long",
    change={"len(word) > self": "len(word.encode()) > self"},
)
def match_limit_in_bytes():
    """The length of a word is the number of its bytes."""


@mistake(
    "a word of exactly the maximum length is rejected",
    why="Only a longer word is too long: compare with >.",
    pitfall="too-long",
    change={"len(word) > self": "len(word) >= self"},
)
def match_limit_one_too_low():
    """A word of max_input_chars_per_word characters is too long already."""


@mistake(
    "a word that is too long is looked up",
    why="If a word has more than max_input_chars_per_word characters, return the unknown token alone.",
    pitfall="too-long",
    change={"if len(word) > self.max_input_chars_per_word:": "if False:"},
)
def match_no_limit():
    """A long word is a word like any other."""


@mistake(
    "the last character is left out of every candidate",
    why="The end of a slice is not part of it: begin with len(word).",
    pitfall="greedy",
    has="len(X) - 1; nowhere: range(len(X) - 1)",
    change={"for end in range(len(word), start, -1):": "for end in range(len(word) - 1, start, -1):"},
)
def match_one_character_short():
    """range(len(word) - 1, ...) begins at the last character."""


@mistake(
    'the tokens are returned without "##"',
    why="Return the tokens as they are in the vocabulary, with their prefix.",
    pitfall="prefix",
    change={"tokens.append(prefix + word[start:end])": "tokens.append(word[start:end])"},
)
def match_returns_without_prefix():
    """The ## is for the lookup only."""


@mistake(
    "the shortest token is taken",
    why="Try the longest candidate first: the ends go from the end of the word backwards.",
    pitfall="greedy",
    has="nowhere: range(A, B, -1) or reversed(...) or X -= 1",
    change={"for end in range(len(word), start, -1):": "for end in range(start + 1, len(word) + 1):"},
)
def match_shortest():
    """From the left, I take the first token that fits."""


@mistake(
    "a shorter beginning is tried when nothing fits",
    why="WordPiece is greedy: the longest token is taken, and there is no second try.",
    pitfall="whole-word",
)
def match_tries_shorter_beginnings(self, word):
    """If the rest does not fit, a shorter token may be right."""

    def split(start):
        if start == len(word):
            return []
        for end in range(len(word), start, -1):
            token = ("##" if start else "") + word[start:end]
            if token in self.token_to_id and (rest := split(end)) is not None:
                return [token, *rest]
        return None

    tokens = split(0) if len(word) <= self.max_input_chars_per_word else None
    return [self.unk_token] if tokens is None else tokens


@mistake(
    "an unknown token for each place where nothing fits",
    why="Return one unknown token for the whole word.",
    pitfall="whole-word",
    change={NOTHING_FITS: "else:\n    tokens.append(self.unk_token)\n    start += 1\n    continue"},
)
def match_unknown_character():
    """The character that does not fit is unknown, and then I go on."""


@mistake(
    "only the rest of the word becomes unknown",
    why="The unknown token stands for the whole word: drop the tokens found before.",
    pitfall="whole-word",
    change={NOTHING_FITS: "else:\n    return [*tokens, self.unk_token]"},
)
def match_unknown_rest():
    """I keep the tokens that were found; the rest is unknown."""


@mistake(
    'the rest of a word is looked up without "##"',
    why='After the beginning of the word, put "##" before each candidate.',
    pitfall="prefix",
    change={'prefix = "##" if tokens else ""': 'prefix = ""'},
)
def match_without_prefix():
    """A token is a token, wherever it is."""


@mistake(
    "tokens that begin words are used inside a word",
    why='Inside a word only tokens with "##" in front fit, and at its beginning only those without.',
    pitfall="prefix",
)
def match_any_token(self, word):
    """I sort the vocabulary by length and take the first token that the rest starts with."""
    if len(word) > self.max_input_chars_per_word:
        return [self.unk_token]
    tokens, rest = [], word
    while rest:
        for token in sorted(self.token_to_id, key=len, reverse=True):
            text = token.removeprefix("##")
            if text and rest.startswith(text):
                tokens.append(token)
                rest = rest[len(text) :]
                break
        else:
            return [self.unk_token]
    return tokens


@mistake(
    "the beginning of a word gets the prefix",
    why="## marks a token that continues a word: the first one has none.",
    pitfall="greedy",
    has='"" if X else "##" or "" if X else PREFIX or "##" if not X else "" or PREFIX if not X else "" or if not X: ... or if X == 0: ...',
    change={'"##" if tokens else ""': '"" if tokens else "##"'},
)
def match_prefix_at_the_beginning():
    """The prefix comes first."""


@mistake(
    'the "##" counts as part of the word',
    why='Move on by the characters of the word that the token covers, without its "##".',
    pitfall="prefix",
    change={"start = end": "start += len(tokens[-1])"},
)
def match_moves_by_the_prefix_too():
    """After a token, the next one starts after all of its characters."""


@mistake(
    'a token of nothing but "#" is never found',
    why='lstrip("#") removes every "#" at the beginning; removeprefix("##") removes the prefix alone.',
    pitfall="prefix",
)
def match_strips_every_prefix(self, word):
    """I compare each token without its prefix, the longest first."""
    if len(word) > self.max_input_chars_per_word:
        return [self.unk_token]
    tokens, rest = [], word
    while rest:
        for token in sorted(self.token_to_id, key=len, reverse=True):
            text = token.lstrip("#")
            if text and token.startswith("##") == bool(tokens) and rest.startswith(text):
                tokens.append(token)
                rest = rest[len(text) :]
                break
        else:
            return [self.unk_token]
    return tokens


@mistake(
    "the word is lowercased here",
    why="self._words has done so already, where lowercase=True asks for it.",
    pitfall="greedy",
)
def match_lowercases(self, word):
    """BERT's models do not tell capitals from lowercase letters."""
    return AnswerKey.longest_match(self, word.lower())


@mistake(
    "single characters are not tried",
    why="range excludes its end: with start there, the last candidate is one character.",
    pitfall="greedy",
    change={"range(len(word), start, -1)": "range(len(word), start + 1, -1)"},
)
def match_no_single_characters():
    """The ends go from the end of the word down to start + 1."""
