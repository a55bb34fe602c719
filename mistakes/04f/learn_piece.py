"""Wrong solutions of WordPieceTokenizer.learn_piece."""

from g2c.course.diagnosis.bank import mistake
from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


@mistake(
    "the halves are added and not the joined symbol",
    why="The halves are in the vocabulary already: add what they make together.",
    pitfall="vocabulary",
    change={"self._add_token(self.join_symbols(pair, pair)[0])": "for half in pair:\n    self._add_token(half)"},
)
def learn_adds_both_halves():
    """The token is the two symbols of the pair."""


@mistake(
    'the token that is added has a "##" inside',
    why="Add what join_symbols makes of the pair.",
    pitfall="prefix",
    change={"self._add_token(self.join_symbols(pair, pair)[0])": "self._add_token(pair[0] + pair[1])"},
)
def learn_adds_with_prefixes():
    """The new token is left + right."""


@mistake(
    "the joined symbol is not added to the vocabulary",
    why="Call self._add_token with the joined symbol: encoding knows only the vocabulary.",
    pitfall="vocabulary",
    change={"self._add_token(self.join_symbols(pair, pair)[0])": ""},
)
def learn_forgets_vocabulary():
    """The words change, that is all."""


@mistake(
    "the most frequent pair is taken",
    why="WordPiece joins the pair with the highest score: take the maximum of pair_scores.",
    pitfall="score",
)
def learn_highest_count(self, words):
    """As in BPE, the most frequent pair is joined."""
    counts = {}
    for symbols, frequency in words.items():
        for pair in zip(symbols, symbols[1:]):
            counts[pair] = counts.get(pair, 0) + frequency
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self._add_token(self.join_symbols(pair, pair)[0])
    return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, counts[pair]


@mistake(
    "in a tie the last pair wins",
    why="The pair seen first wins.",
    pitfall="ties",
    change={"pair = max(scores, key=scores.get)": "pair = max(reversed(scores), key=scores.get)"},
)
def learn_last_of_equals():
    """In a tie the newest pair wins."""


@mistake(
    "words without the pair are lost",
    why="They stay as they are, and stay in the dictionary.",
    pitfall="words-back",
    change={"in words.items()": "in words.items() if self.join_symbols(symbols, pair) != symbols"},
)
def learn_loses_words():
    """Only words with the pair have to be changed."""


@mistake(
    "the pair with the lowest score is taken",
    why="Take the highest score.",
    pitfall="score",
    change={"pair = max(scores, key=scores.get)": "pair = min(scores, key=scores.get)"},
)
def learn_lowest_score():
    """A low score means that the two belong together."""


@mistake(
    "the scores are not used",
    why="max(scores) compares the keys; give it key=scores.get.",
    pitfall="score",
    change={"pair = max(scores, key=scores.get)": "pair = max(scores)"},
)
def learn_max_of_pairs():
    """max of the scores is the best pair."""


@mistake(
    "the most frequent pair is taken",
    why="WordPiece joins the pair with the highest score: take the maximum of pair_scores.",
    pitfall="score",
)
def learn_most_frequent_pair(self, words):
    """The score says how good a pair is, and the most frequent pair is joined."""
    scores = self.pair_scores(words)
    if not scores:
        return None
    counts = dict.fromkeys(scores, 0)
    for symbols, frequency in words.items():
        for pair in zip(symbols, symbols[1:]):
            counts[pair] += frequency
    pair = max(counts, key=counts.get)
    self._add_token(self.join_symbols(pair, pair)[0])
    return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]


@mistake(
    "id_to_token does not get the new token",
    why="Both tables belong together: self._add_token adds the token to both.",
    pitfall="vocabulary",
    change={
        "self._add_token(self.join_symbols(pair, pair)[0])": "self.token_to_id.setdefault(self.join_symbols(pair, pair)[0], len(self.token_to_id))"
    },
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
    change={
        "pair = max(scores, key=scores.get)": "pair = min(scores, key=lambda pair: (-scores[pair], len(pair[0]) + len(pair[1])))"
    },
)
def learn_shortest_of_equals():
    """Of equal scores the shorter piece is more useful."""


@mistake(
    "in a tie the last pair in the alphabet wins",
    why="Compare the scores alone: the pair seen first wins.",
    pitfall="ties",
    change={"pair = max(scores, key=scores.get)": "pair = max(scores, key=lambda pair: (scores[pair], pair))"},
)
def learn_ties_by_alphabet():
    """max of (score, pair) is the best pair."""


@mistake(
    "words without a pair are not handled",
    why="max of nothing is an error: ask first whether there is a pair, and return None.",
    pitfall="nothing-left",
    change={"if not scores:": "if False:"},
)
def learn_without_a_guard():
    """There is always a best pair."""


@mistake(
    "the count is where the score belongs",
    why="Return the pair's score, which is what the pairs were compared by.",
    pitfall="words-back",
)
def learn_returns_the_count(self, words):
    """The step returns words, pair and count, as in 04b."""
    step = AnswerKey.learn_piece(self, words)
    if step is None:
        return None
    new, pair, _ = step
    return new, pair, sum(n * list(zip(symbols, symbols[1:])).count(pair) for symbols, n in words.items())


@mistake(
    "in a tie the first pair in the alphabet wins",
    why="Compare the scores alone, max(scores, key=scores.get): the pair seen first wins.",
    pitfall="ties",
    change={"pair = max(scores, key=scores.get)": "pair = min(scores, key=lambda pair: (-scores[pair], pair))"},
)
def learn_ties_first_in_alphabet():
    """min of (-score, pair) is the best pair."""
