"""Wrong solutions of WordBPETokenizer.learn_merge."""

import re

from coach.diagnosis.bank import mistake
from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey

BEST = "pair = max(counts, key=counts.get)"
APPEND = "self.merges.append(pair)"
JOINED = "{self._merge(symbols, pair): frequency for symbols, frequency in words.items()}"


@mistake(
    "the new token gets an ID here",
    why="train, which is given, numbers the tokens: append the pair to merges, and nothing else.",
    pitfall="append",
    group="TestLearnMerge",
    change={
        APPEND: f'{APPEND}\nself.id_to_token[len(self.token_to_id)] = "".join(pair)\nself.token_to_id["".join(pair)] = len(self.token_to_id)'
    },
)
def learn_adds_the_id():
    """A new token needs an ID, so I give it the next one."""


@mistake(
    "the pair is added at the front",
    why="merges is in the order learned: append at the end.",
    pitfall="append",
    change={APPEND: "self.merges.insert(0, pair)"},
)
def learn_at_the_front():
    """The newest merge comes first."""


@mistake(
    "the pair is joined at one place in a word only",
    why="A word can contain the pair several times: go on after the first place, as self._merge does.",
    pitfall="overlap",
    change={
        "self._merge(symbols, pair)": "self._merge(symbols[: (end := [*zip(symbols, symbols[1:]), pair].index(pair) + 2)], pair) + symbols[end:]"
    },
)
def learn_joins_once():
    """I find the pair in the word, and put the joined symbol in its place."""


@mistake(
    "symbols are read as regular expressions",
    why="A backslash, a dot and a star have a meaning in a pattern, a backslash also in the replacement: use self._merge.",
    pitfall="symbols",
)
def learn_replaces_with_a_template(self, words):
    """re.sub replaces the pair in the word's text."""
    learned = AnswerKey.learn_merge(self, words)
    if learned is None:
        return None
    _, pair, count = learned
    pattern = re.compile(r"(?<!\S)" + re.escape(" ".join(pair)) + r"(?!\S)")
    joined = [tuple(pattern.sub("".join(pair), " ".join(symbols)).split()) for symbols in words]
    return dict(zip(joined, words.values())), pair, count


@mistake(
    "symbols are joined as text",
    why='The text "a b" also occurs in "ca b", whose symbols are ca and b: self._merge compares whole symbols.',
    pitfall="symbols",
    change={"self._merge(symbols, pair)": 'tuple(" ".join(symbols).replace(" ".join(pair), "".join(pair)).split())'},
)
def learn_joins_text():
    """str has a replace that does exactly this, so I write the word as text."""


@mistake(
    "a count other than the pair's is returned",
    why="Return the pair's count, as _get_pair_counts counted it.",
    pitfall="frequency",
    has="nowhere: return A, B, C[B]",
    change=[
        {"counts[pair]": f"sum({one} for word, frequency in words.items() if pair in zip(word, word[1:]))"}
        for one in ("1", "frequency")
    ],
)
def learn_counts_words():
    """The count says how many words contain the pair."""


@mistake(
    "the joined symbol is added, not the pair",
    why="merges contains pairs: (left, right).",
    pitfall="append",
    change={APPEND: 'self.merges.append("".join(pair))'},
)
def learn_enters_the_symbol():
    """The step has learned the new symbol."""


@mistake(
    "the pair is not added to merges",
    why="Append the pair to merges: encoding applies only what is listed there.",
    pitfall="append",
    change={APPEND: ""},
)
def learn_forgets_merges():
    """I return the pair, which is enough."""


@mistake(
    "in a tie the largest pair wins",
    why="The pair seen first wins: compare the counts alone. Comparing (count, pair) compares the pairs as well.",
    pitfall="ties",
    change={BEST: "pair = max(((count, pair) for pair, count in counts.items()))[1]"},
)
def learn_largest_of_equals():
    """max over (count, pair) gives the highest count."""


@mistake(
    "in a tie the last pair wins",
    why="The pair seen first wins: of equal counts, keep the first, as > does and >= does not.",
    pitfall="ties",
    change={"max(counts,": "max(reversed(counts),"},
)
def learn_last_of_equals():
    """With >= I keep the best pair so far."""


@mistake(
    "the least frequent pair is taken",
    why="Take the highest count: max, not min.",
    pitfall="ties",
    change={BEST: "pair = sorted(counts, key=counts.get)[0]"},
)
def learn_least_frequent():
    """I sort by count and take the first."""


@mistake(
    "words of one symbol are left out",
    why="Return all words, in their order and with their frequencies.",
    pitfall="words-back",
    change={"in words.items()": "in words.items() if len(symbols) > 1"},
)
def learn_leaves_out_finished_words():
    """A word of one symbol has no pair, so it is no longer needed."""


@mistake(
    "the frequencies are lost",
    why="A word keeps its frequency, whichever symbols are joined in it.",
    pitfall="words-back",
    change={"frequency for symbols, frequency in words.items()": "1 for symbols in words"},
)
def learn_loses_frequencies():
    """The new words are a dictionary again."""


@mistake(
    "words without the pair are lost",
    why="They stay as they are, and stay in the dictionary.",
    pitfall="words-back",
    has="X in Y or X not in Y or X != Y or X == Y or if X: ... or any(X)",
    change={"in words.items()": "in words.items() if self._merge(symbols, pair) != symbols"},
)
def learn_loses_words():
    """Only words with the pair have to be changed."""


@mistake(
    "the counts are not used",
    why="max(counts) compares the keys; give it key=counts.get.",
    pitfall="ties",
    change={BEST: "pair = max(counts)"},
)
def learn_max_of_pairs():
    """max of the counts is the best pair."""


@mistake(
    "merges is replaced instead of extended",
    why="Everything learned before must stay: append the pair.",
    pitfall="append",
    change={APPEND: "self.merges = [pair]"},
)
def learn_replaces_merges():
    """merges is the list of the merge."""


@mistake(
    "the words are returned unmerged",
    why="Join the pair in every word, and return those.",
    pitfall="words-back",
    change={JOINED: "dict(words)"},
)
def learn_returns_old_words():
    """The pair is learned; joining comes later."""


@mistake(
    "only one of the three results is returned",
    why="Return all three: the words, the pair, and its count.",
    pitfall="words-back",
    change={", pair, counts[pair]": ""},
)
def learn_returns_words_only():
    """The words are what the next step needs."""


@mistake(
    "in a tie the first pair in the alphabet wins",
    why="The pair seen first wins.",
    pitfall="ties",
    change={BEST: "pair = min(counts, key=lambda pair: (-counts[pair], pair))"},
)
def learn_smallest_of_equals():
    """I sort by count and then by alphabet, which makes the choice unique."""


@mistake(
    "nothing is learned although a pair is left",
    why="Any pair can be learned, even a single one that was seen once.",
    pitfall="nothing-left",
    change={"if not counts:": "if max(counts.values(), default=0) < 2:"},
)
def learn_stops_at_one():
    """A pair that was seen once is not a pattern."""


@mistake(
    "words without a pair are not handled",
    why="max of an empty sequence is an error: check first whether there is a pair, and return None.",
    pitfall="nothing-left",
    change={"if not counts:": "if False:"},
)
def learn_without_a_guard():
    """There is always a best pair."""


@mistake(
    "the list is extended by the pair's two symbols",
    why="extend and += add each item of the tuple: append the pair.",
    pitfall="append",
    change=[{APPEND: "self.merges.extend(pair)"}, {APPEND: "self.merges += pair"}],
)
def learn_extends():
    """extend makes the list longer by the pair."""


@mistake(
    "the pair is joined in the first word only",
    why="Every word that has the pair changes: go through all of them.",
    pitfall="words-back",
    change={
        f"return {JOINED}": "first = next(one for one in words if self._merge(one, pair) != one)\nwords = dict(words)\nwords[self._merge(first, pair)] = words.pop(first)\nreturn words"
    },
)
def learn_joins_in_one_word():
    """I look for the word with the pair and put the joined one in its place."""


@mistake(
    "merges is used like a dictionary",
    why="In this module, merges is a list of pairs, in the order learned: append the pair.",
    pitfall="append",
    change={APPEND: "self.merges[pair] = len(self.merges)"},
)
def learn_as_in_04():
    """As in module 04, merges maps a pair to its number."""


@mistake(
    "in a tie the longest pair wins",
    why="The pair seen first wins: compare the counts alone.",
    pitfall="ties",
    change={BEST: "pair = max(counts, key=lambda pair: (counts[pair], len(pair[0] + pair[1])))"},
)
def learn_longest_of_equals():
    """A longer symbol saves more tokens."""
