"""Wrong solutions of WordPieceTokenizer.pair_scores."""

from collections import Counter
from math import log  # noqa: F401 (for a change)

from coach.diagnosis.bank import mistake
from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey

PRODUCT = "(symbol_counts[left] * symbol_counts[right])"


@mistake(
    "the score is the count of the pair",
    why="Divide by the product of the counts of the two symbols.",
    pitfall="score",
    has="nowhere: X / Y or X /= Y",
    change={"count / (symbol_counts[left] * symbol_counts[right])": "count"},
)
def scores_are_counts():
    """The pair that occurs most often is the best one, as in byte-pair encoding."""


@mistake(
    "the score is the logarithm",
    why="A logarithm ranks the pairs in the same order, but the score is the quotient itself.",
    pitfall="score",
    change={f"count / {PRODUCT}": f"log(count / {PRODUCT})"},
)
def scores_are_logarithms():
    """Probabilities become small, so I take their logarithm."""


@mistake(
    "the scores are rounded",
    why="Rounding makes ties of scores that differ: return the quotient as it is.",
    pitfall="ties",
    change={f"count / {PRODUCT}": f"round(count / {PRODUCT}, 3)"},
)
def scores_are_rounded():
    """A few digits are enough."""


@mistake(
    "the score is rounded down to an integer",
    why="The scores are below 1: divide with /.",
    pitfall="score",
    change={"count / (": "count // ("},
)
def scores_divide_as_integers():
    """The counts are integers, so I divide with //."""


@mistake(
    "the score is divided by only one of the two counts",
    why="Divide by the product of both counts: the left and the right symbol are treated alike.",
    pitfall="score",
    has="nowhere: X / (Y * Z) or X / Y / Z",
    change=[{PRODUCT: "symbol_counts[left]"}, {PRODUCT: "symbol_counts[right]"}],
)
def scores_divide_by_left():
    """How likely is one symbol beside the other?"""


@mistake(
    "the counts are added instead of multiplied",
    why="The score divides by the product of the two counts.",
    pitfall="score",
    change=[
        {"[left] * symbol": "[left] + symbol"},
        {"count / (": "2 * count / (", "[left] * symbol": "[left] + symbol"},
    ],
)
def scores_divide_by_sum():
    """The score compares the pair with all occurrences of its symbols, so I add these up."""


@mistake(
    "the score is divided twice",
    why="Each division rounds. Multiply the counts first, which is exact, and divide once: then ties are real ties.",
    pitfall="ties",
    has="X / Y / Z or X /= Y",
    change={PRODUCT: "symbol_counts[left] / symbol_counts[right]"},
)
def scores_divide_twice():
    """Dividing by one count and then by the other is dividing by the product."""


@mistake(
    "the frequency of the words is ignored",
    why="A word that occurs 5 times has each of its symbols and pairs 5 times: add its frequency.",
    pitfall="score",
    change=[
        {"(symbol, 0) + frequency": "(symbol, 0) + 1", "(pair, 0) + frequency": "(pair, 0) + 1"},
        {"(pair, 0) + frequency": "(pair, 0) + 1"},
    ],
)
def scores_ignore_frequency():
    """Each time that I meet a symbol or a pair I add 1."""


@mistake(
    "the last symbol of each word is not counted",
    why="The last symbol begins no pair, but still occurs: count all symbols of the word.",
    pitfall="symbol-count",
    change=[{"in symbols:": "in symbols[:-1]:", "[right]": found} for found in ("[right]", ".get(right, 1)")],
)
def scores_last_symbol_missing():
    """I count the symbols in the loop over the pairs, each as the left one of its pair."""


@mistake(
    "the score is multiplied by the counts of the symbols",
    why="The score divides by the product: frequent symbols must occur together often.",
    pitfall="score",
    change={"count / (": "count * ("},
)
def scores_multiply():
    """A good pair has good symbols: I multiply the counts."""


@mistake(
    "words of one symbol are not counted",
    why="Their symbol occurs too, and that lowers the score of its pairs.",
    pitfall="symbol-count",
    change={"for symbol in symbols:": "if len(symbols) < 2:\n    continue\nfor symbol in symbols:"},
)
def scores_skip_short_words():
    """A word of one symbol has no pair, so I skip it."""


@mistake(
    "the pairs are not in order of first appearance",
    why="In a tie the pair seen first wins, and only the order of the dictionary says which pair that is.",
    pitfall="ties",
)
def scores_sorted(self, words):
    """Sorted by score, the best one is easy to find."""
    scores = AnswerKey.pair_scores(self, words)
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


@mistake(
    "a symbol is counted once for each pair that it is in",
    why="A symbol inside a word is in two pairs and occurs once: count the symbols themselves.",
    pitfall="symbol-count",
    change={"in symbols:": "in [symbol for pair in zip(symbols, symbols[1:]) for symbol in pair]:"},
)
def scores_symbols_from_pairs():
    """A symbol occurs as often as the pairs that it begins or ends."""


@mistake(
    "a symbol counts once for each word",
    why="A symbol that occurs twice in a word counts twice.",
    pitfall="symbol-count",
    change={"for symbol in symbols:": "for symbol in dict.fromkeys(symbols):"},
)
def scores_symbols_once_a_word():
    """A word either has a symbol or does not."""


@mistake(
    "symbols are counted without the frequency of their word",
    why="A symbol occurs as often as its word: add the frequency for symbols too.",
    pitfall="symbol-count",
    change={"(symbol, 0) + frequency": "(symbol, 0) + 1"},
)
def scores_symbols_without_frequency():
    """The frequency belongs to the pairs; for a symbol I add 1."""


@mistake(
    "the product is not in parentheses",
    why="a / b * c is (a / b) * c: put the product in parentheses.",
    pitfall="score",
    change={PRODUCT: "symbol_counts[left] * symbol_counts[right]"},
)
def scores_without_parentheses():
    """The score is the count divided by the count of left times the count of right."""


@mistake(
    "a symbol and its continuation are counted together",
    why="a begins a word and ##a continues one: they are different symbols, with different counts.",
    pitfall="symbol-count",
    change={
        "for symbol in symbols:": 'for symbol in (symbol.removeprefix("##") for symbol in symbols):',
        "] * symbol_counts[right": '.removeprefix("##")] * symbol_counts[right.removeprefix("##")',
    },
)
def scores_without_prefix():
    """##a and a are the same letter."""


@mistake(
    "the left symbol's count is used twice",
    why="Divide by the product of the counts of both symbols.",
    pitfall="score",
    has="X[A] * X[A] or X[A] ** 2",
    change={"* symbol_counts[right]": "* symbol_counts[left]"},
)
def scores_divide_by_left_twice():
    """I typed freq / (count of a * count of b) too fast."""


@mistake(
    "symbols are counted only where they are in a pair",
    why="A symbol counts wherever it occurs, on either side of a pair and alone: count the symbols themselves.",
    pitfall="symbol-count",
    has="X[A] * Y[B]; nowhere: X[A] * X[B]",
)
def scores_left_and_right_apart(self, words):
    """I count how often a symbol is the left half of a pair, and how often the right half."""
    left, right, pair_counts = Counter(), Counter(), Counter()
    for symbols, frequency in words.items():
        for a, b in zip(symbols, symbols[1:]):
            pair_counts[a, b] += frequency
            left[a] += frequency
            right[b] += frequency
    return {(a, b): count / (left[a] * right[b]) for (a, b), count in pair_counts.items()}


@mistake(
    "the counts are divided by their sums first",
    why="With probabilities in place of the counts the pairs rank as before, but the score divides the counts themselves.",
    pitfall="score",
    change=[
        {f"count / {PRODUCT}": f"count / {total} / ({PRODUCT} / sum(symbol_counts.values()) ** 2)"}
        for total in ("sum(pair_counts.values())", "sum(symbol_counts.values())")
    ],
)
def scores_of_probabilities():
    """The score compares probabilities: that of the pair with those of its two symbols."""


@mistake(
    "the count is divided by the number of all pairs",
    why="That is the pair's share. Divide by the product of the counts of its two symbols.",
    pitfall="score",
    has="sum(...) or X.sum(...) or X.total() or total",
    change={PRODUCT: "sum(pair_counts.values())"},
)
def scores_are_shares():
    """The score is the share of the pair among all pairs."""
