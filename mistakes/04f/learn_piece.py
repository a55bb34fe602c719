"""Wrong solutions of WordPieceTokenizer.learn_piece."""

from collections import Counter

from coach.diagnosis.bank import mistake

BEST = "pair = max(scores, key=scores.get)"
ADD = "self._add_token(self.join_symbols(pair, pair)[0])"


def counts_of(words):
    counts = Counter()
    for symbols, frequency in words.items():
        for pair in zip(symbols, symbols[1:]):
            counts[pair] += frequency
    return counts


@mistake(
    "the halves are added and not the joined symbol",
    why="The halves are in the vocabulary already: add the symbol that they make together.",
    pitfall="vocabulary",
    change={ADD: "for half in pair:\n    self._add_token(half)"},
)
def learn_adds_both_halves():
    """The token is the two symbols of the pair."""


@mistake(
    'the token that is added has a "##" inside',
    why="Add the symbol that join_symbols makes of the pair.",
    pitfall="prefix",
    change={ADD: "self._add_token(pair[0] + pair[1])"},
)
def learn_adds_with_prefixes():
    """The new token is left + right."""


@mistake(
    'the token that is added has lost its own "##"',
    why='Only the right half loses its "##": a token that continues a word still begins with it.',
    pitfall="prefix",
    change={ADD: 'self._add_token((pair[0] + pair[1]).replace("##", ""))'},
)
def learn_removes_every_prefix():
    """The joined symbol has no "##" any more."""


@mistake(
    'characters "#" of the text are removed with the prefix',
    why='Only the first "##" is the prefix: removeprefix("##") removes it alone, lstrip and replace remove more.',
    pitfall="prefix",
    change=[
        {ADD: 'self._add_token(pair[0] + pair[1].lstrip("#"))'},
        {ADD: 'self._add_token(pair[0] + pair[1].replace("##", ""))'},
    ],
)
def learn_strips_the_prefix():
    """The right symbol loses its "##"."""


@mistake(
    "the beginning of another symbol is joined",
    why='As text, "l ##ow" contains "l ##o": compare whole symbols, as self.join_symbols does.',
    pitfall="words-back",
    change={
        "self.join_symbols(symbols, pair):": 'tuple(" ".join(symbols).replace(" ".join(pair), pair[0] + pair[1].removeprefix("##")).split()):'
    },
)
def learn_replaces_text():
    """I write the word as text and use replace."""


@mistake(
    "the joined symbol is not added to the vocabulary",
    why="Call self._add_token with the joined symbol: encoding knows only the vocabulary.",
    pitfall="vocabulary",
    change={ADD: ""},
)
def learn_forgets_vocabulary():
    """The words change, that is all."""


@mistake(
    "the pair is joined at one place in a word only",
    why="A word can contain the pair several times: go on after the first place, as self.join_symbols does.",
    pitfall="words-back",
    change={
        "self.join_symbols(symbols, pair)": "self.join_symbols(symbols[: (end := [*zip(symbols, symbols[1:]), pair].index(pair) + 2)], pair) + symbols[end:]"
    },
)
def learn_joins_once():
    """I find the pair in the word, and put the joined symbol in its place."""


@mistake(
    "in a tie the last pair wins",
    why="The pair seen first wins.",
    pitfall="ties",
    change={BEST: "pair = max(reversed(scores), key=scores.get)"},
)
def learn_last_of_equals():
    """In a tie the newest pair wins."""


@mistake(
    "words without the pair are lost",
    why="They stay as they are, and stay in the dictionary.",
    pitfall="words-back",
    has="X in Y or X not in Y or X != Y or X == Y or if X: ... or any(X)",
    change={"in words.items()": "in words.items() if self.join_symbols(symbols, pair) != symbols"},
)
def learn_loses_words():
    """Only words with the pair have to be changed."""


@mistake(
    "the pair with the lowest score is taken",
    why="Take the highest score.",
    pitfall="score",
    has="min(...) or sorted(...)",
    change={BEST: "pair = min(scores, key=scores.get)"},
)
def learn_lowest_score():
    """A low score means that the two belong together."""


@mistake(
    "the scores are not used",
    why="max(scores) compares the keys; give it key=scores.get.",
    pitfall="score",
    has="max(X)",
    change={BEST: "pair = max(scores)"},
)
def learn_max_of_pairs():
    """max of the scores is the best pair."""


@mistake(
    "the most frequent pair is taken",
    why="WordPiece joins the pair with the highest score: take the maximum of pair_scores.",
    pitfall="score",
    has="nowhere: max(X) or min(...)",
    change=[{"key=scores.get": "key=counts_of(words).get"}, {"self.pair_scores(words)": "counts_of(words)"}],
)
def learn_most_frequent_pair():
    """The score says how good a pair is, and the most frequent pair is joined."""


@mistake(
    "id_to_token does not get the new token",
    why="Both tables belong together: self._add_token adds the token to both.",
    pitfall="vocabulary",
    change={ADD: "self.token_to_id.setdefault(self.join_symbols(pair, pair)[0], len(self.token_to_id))"},
)
def learn_only_half_the_vocabulary():
    """token_to_id is the vocabulary, so I enter the token there."""


@mistake(
    "the words are returned unmerged",
    why="Join the pair in every word, and return those.",
    pitfall="words-back",
    change={"{self.join_symbols(symbols, pair): count for symbols, count in words.items()}": "dict(words)"},
)
def learn_returns_old_words():
    """The pair is learned; joining comes later."""


@mistake(
    "in a tie the shortest pair wins",
    why="Compare the scores alone: the pair seen first wins.",
    pitfall="ties",
    change={BEST: "pair = min(scores, key=lambda pair: (-scores[pair], len(pair[0]) + len(pair[1])))"},
)
def learn_shortest_of_equals():
    """Among equal scores, the shorter piece is more useful."""


@mistake(
    "in a tie the alphabet decides",
    why="Compare the scores alone: the pair seen first wins.",
    pitfall="ties",
    change=[
        {BEST: "pair = max(scores, key=lambda pair: (scores[pair], pair))"},
        {BEST: "pair = min(scores, key=lambda pair: (-scores[pair], pair))"},
    ],
)
def learn_ties_by_alphabet():
    """max of (score, pair) is the best pair."""


@mistake(
    "words without a pair are not handled",
    why="max of an empty sequence is an error: check first whether there is a pair, and return None.",
    pitfall="nothing-left",
    change={"if not scores:": "if False:"},
)
def learn_without_a_guard():
    """There is always a best pair."""


@mistake(
    "the count is returned in place of the score",
    why="Return the pair's score, by which the pairs were compared.",
    pitfall="words-back",
    change={"scores[pair]": "counts_of(words)[pair]"},
)
def learn_returns_the_count():
    """The step returns words, pair and count, as in 04b."""


@mistake(
    "other symbols of the words are added too",
    why="One step adds one token: the symbol that join_symbols makes of the pair itself.",
    pitfall="vocabulary",
    change={
        ADD: "for symbols in words:\n    for symbol in self.join_symbols(symbols, pair):\n        self._add_token(symbol)"
    },
)
def learn_adds_all_symbols():
    """The joined words consist of the new symbols, so I add these."""
