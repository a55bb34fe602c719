"""Wrong solutions of WordBPETokenizer._get_pair_counts."""

from coach.diagnosis.bank import mistake

WORDS = "for symbols, frequency in words.items():"
NEIGHBORS = "for pair in zip(symbols, symbols[1:]):"
ADD = "counts[pair] = counts.get(pair, 0) + frequency"


@mistake(
    "pairs reach from one word into the next",
    why="Each word is counted by itself: its last symbol has no neighbor.",
    pitfall="across-words",
    change=[
        {
            WORDS: "row = [symbol for symbols, frequency in words.items() for _ in range(frequency) for symbol in symbols]\nfor symbols, frequency in [(row, 1)]:"
        },
        {WORDS: f"before = ()\n{WORDS}\n    symbols, before = before + symbols, symbols[-1:]"},
        {WORDS: "for symbols, frequency in [(sum(words, ()), 1)]:"},
    ],
)
def count_across_words():
    """I put all words in one row first, and count as in module 04."""


@mistake(
    "the last symbol of a word is counted alone",
    why="At the end, symbols[i : i + 2] has only one symbol: n symbols have n - 1 pairs.",
    pitfall="across-words",
    change={NEIGHBORS: "for position in range(len(symbols)):\n    pair = symbols[position : position + 2]"},
)
def count_the_last_symbol():
    """A slice of two symbols is a pair, and it never raises an error."""


@mistake(
    "a new pair begins with 1",
    why="The first time, too, a pair counts as often as the word occurs.",
    pitfall="frequency",
    change={ADD: "counts[pair] = counts[pair] + frequency if pair in counts else 1"},
)
def count_begins_with_one():
    """A pair that I have not seen has the count 1, and others grow by the frequency."""


@mistake(
    "only the pairs of the last word are counted",
    why="Create the dictionary once, before the loop over the words.",
    pitfall="frequency",
    has="in a loop: X = {} or X = dict() or X = Counter() or X = defaultdict(int)",
    change={WORDS: f"{WORDS}\n    counts = {{}}"},
)
def count_anew_for_each_word():
    """Each word's counts begin with an empty dictionary."""


@mistake(
    "symbols are cut into characters",
    why="A symbol may have several characters: pair the symbols as they are.",
    pitfall="symbols",
    change={NEIGHBORS: 'for pair in zip("".join(symbols), "".join(symbols)[1:]):'},
)
def count_characters():
    """A word is text, and its pairs are neighboring characters."""


@mistake(
    "the last symbol is paired with the first",
    why="The last symbol of a word has no neighbor after it.",
    pitfall="across-words",
    change={"zip(symbols, symbols[1:])": "zip(symbols, symbols[1:] + symbols[:1])"},
)
def count_around_the_end():
    """The last symbol is followed by the first one again."""


@mistake(
    "the counts are floats",
    why="A count is a whole number: begin at 0.",
    pitfall="frequency",
    change={ADD: "counts[pair] = counts.get(pair, 0.0) + frequency"},
)
def count_floats():
    """Counts may become frequencies later, so I begin at 0.0."""


@mistake(
    "every count is one too high",
    why="A new pair has the count 0 before the frequency is added.",
    pitfall="frequency",
    change={ADD: "counts[pair] = counts.get(pair, 1) + frequency"},
)
def count_from_one():
    """A pair that I have not met yet was seen once."""


@mistake(
    "the frequency of the words is ignored",
    why="A word that occurs 5 times has each of its pairs 5 times: add its frequency.",
    pitfall="frequency",
    change={"+ frequency": "+ 1"},
)
def count_ignores_frequency():
    """Each time that I meet a pair I add 1."""


@mistake(
    "only the most frequent of the words counts",
    why="Add up the frequencies of all words with the pair.",
    pitfall="frequency",
    has="max(...)",
    change={ADD: "counts[pair] = max(counts.get(pair, 0), frequency)"},
)
def count_largest_frequency():
    """The pair is as frequent as the word it is in."""


@mistake(
    "the last pair of each word is left out",
    why="n symbols have n - 1 pairs: the last pair ends with the last symbol.",
    pitfall="across-words",
    change={NEIGHBORS: "for pair in list(zip(symbols, symbols[1:]))[:-1]:"},
)
def count_leaves_out_the_last():
    """The loop ends two before the end, since a pair takes two symbols."""


@mistake(
    "a pair counts once for each word",
    why="A pair that occurs twice in a word counts twice, each time with the frequency of the word.",
    pitfall="frequency",
    change={NEIGHBORS: "for pair in dict.fromkeys(zip(symbols, symbols[1:])):"},
)
def count_once_a_word():
    """A word either contains a pair or does not."""


@mistake(
    "a neighbor is looked for after the last symbol",
    why="n symbols have n - 1 pairs: end the loop one earlier.",
    pitfall="across-words",
    change={NEIGHBORS: "for position in range(len(symbols)):\n    pair = symbols[position], symbols[position + 1]"},
)
def count_past_the_end():
    """Every symbol has a next one."""


@mistake(
    "the frequency is set and not added",
    why="The same pair occurs again, in this word or another: add to its count.",
    pitfall="frequency",
    change={ADD: "counts[pair] = frequency"},
)
def count_sets_frequency():
    """The count of a pair is the frequency of its word."""


@mistake(
    "the pairs are not in order of first appearance",
    why="In a tie the pair seen first wins, and only the order of the dictionary says which pair that is.",
    pitfall="ties",
    change={"return counts": "return dict(sorted(counts.items()))"},
)
def count_sorted():
    """Sorted output is tidier."""


@mistake(
    "text where a pair belongs",
    why='The key is the tuple (left, right); "ab" + "c" and "a" + "bc" differ.',
    pitfall="symbols",
    change={ADD: f'pair = "".join(pair)\n{ADD}'},
)
def count_text_as_key():
    """A pair is the two texts put together."""


@mistake(
    "left and right are not distinguished",
    why='("l", "o") and ("o", "l") are two different pairs: the left symbol comes first.',
    pitfall="across-words",
    change={"zip(symbols, symbols[1:])": "zip(symbols[1:], symbols)"},
)
def count_turned_pairs():
    """I look at the symbol and the one before it."""


@mistake(
    "the marker is left out",
    why="The end-of-word marker is a symbol like any other.",
    pitfall="across-words",
    change={ADD: "if self.end_of_word not in pair:\n    counts[pair] = counts.get(pair, 0) + frequency"},
)
def count_without_marker():
    """The marker is not part of the word."""


@mistake(
    "overlapping pairs are skipped while counting",
    why="Every pair of neighbors counts; only joining uses up a symbol.",
    pitfall="overlap",
)
def count_without_overlap(self, words):
    """In l l l the middle l can only be used once."""
    counts = {}
    for symbols, frequency in words.items():
        last = None
        for place, pair in enumerate(zip(symbols, symbols[1:])):
            if pair[0] == pair[1] and last == (pair, place - 1):
                last = None
                continue
            last = pair, place
            counts[pair] = counts.get(pair, 0) + frequency
    return counts
