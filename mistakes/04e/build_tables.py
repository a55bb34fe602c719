"""Wrong solutions of build_tables."""

from coach.diagnosis.bank import mistake

WORDS, FREQUENCIES = "[list(word) for word in word_counts]", "list(word_counts.values())"
NEIGHBORS = "for pair in zip(word, word[1:]):"
NOTE = "tables.pair_words.setdefault(pair, set()).add(number)"


@mistake(
    "words_touched counts the building",
    why="It counts what apply_merge does.",
    pitfall="only-touched",
    change={NOTE: f"{NOTE}\ntables.words_touched = len(tables.words)"},
)
def build_counts_touching():
    """Building looks at each word, too."""


@mistake(
    "words of one byte are left out",
    why="They have no pair, but a place in words and frequencies: a word's place is its number.",
    pitfall="words",
    change={WORDS: "[list(word) for word in word_counts if len(word) > 1]"},
)
def build_without_single_bytes():
    """A word of one byte has no pair."""


@mistake(
    "each word counts once",
    why="A pair's count goes up by the word's frequency for each of its places.",
    pitfall="frequency",
    change={"tables.frequencies[number]": "1"},
)
def build_counts_words_once():
    """Each word is in the dictionary once, so each of its pairs counts once."""


@mistake(
    "words without a pair have no number",
    why="All words keep their numbers, whether they have pairs or not.",
    pitfall="words",
    change={"tables =": "word_counts = {word: n for word, n in word_counts.items() if len(word) > 1}\ntables ="},
)
def build_drops_short_words():
    """A word of one byte has no pair, so I leave it out."""


@mistake(
    "the counts are floats",
    why="A count is a whole number: begin at 0.",
    pitfall="frequency",
    change={"get(pair, 0)": "get(pair, 0.0)"},
)
def build_floats():
    """Counts may become frequencies later, so I begin at 0.0."""


@mistake(
    "the frequency is set and not added",
    why="The same pair occurs again, in this word or another: add to its count.",
    pitfall="frequency",
    change={"pair_counts.get(pair, 0) + tables.": ""},
)
def build_frequency_set():
    """Pairs are counted where they begin."""


@mistake(
    "only the most frequent of the words counts",
    why="Add up the frequencies of all words with the pair.",
    pitfall="frequency",
    change={
        "tables.pair_counts.get(pair, 0) + tables.frequencies[number]": "max(tables.pair_counts.get(pair, 0), tables.frequencies[number])"
    },
)
def build_largest_frequency():
    """The pair is as frequent as the word it is in."""


@mistake(
    "only the last word of a pair is kept",
    why="Add the number to the set that is already there.",
    pitfall="pair-words",
    change={NOTE: "tables.pair_words[pair] = {number}"},
)
def build_last_word_only():
    """For each pair I note the word that it is in."""


@mistake(
    "pair_words does not contain sets of numbers",
    why="Each pair has a set: setdefault(pair, set()).add(number).",
    pitfall="pair-words",
    change={NOTE: "tables.pair_words.setdefault(pair, []).append(number)"},
)
def build_lists_of_numbers():
    """A list of numbers is easier than a set."""


@mistake(
    "the words are numbered from 1",
    why="The first word has the number 0: it is its place in tables.words.",
    pitfall="pair-words",
    change={NOTE: "tables.pair_words.setdefault(pair, set()).add(number + 1)"},
)
def build_numbers_from_one():
    """The first word has the number 1."""


@mistake(
    "pairs reach from one word into the next",
    why="Each word is counted by itself.",
    pitfall="words",
    change={NEIGHBORS: f"word = word + [*tables.words, []][number + 1][:1]\n{NEIGHBORS}"},
)
def build_one_row():
    """I put all words one after the other and count the pairs of the whole."""


@mistake(
    "all pairs share one set",
    why="dict.fromkeys(pairs, set()) uses the same set as every value: create one set for each pair.",
    pitfall="pair-words",
    change={
        "for number, word": "tables.pair_words = dict.fromkeys((pair for word in tables.words for pair in zip(word, word[1:])), set())\nfor number, word",
        NOTE: "tables.pair_words[pair].add(number)",
    },
)
def build_one_set_for_all():
    """dict.fromkeys makes an entry for each pair at once."""


@mistake(
    "a pair counts once for each word",
    why="Every occurrence in the word counts, even if the word had the pair before.",
    pitfall="frequency",
    change=[{NEIGHBORS: f"for pair in {kind}(zip(word, word[1:])):"} for kind in ("set", "dict.fromkeys")],
)
def build_pairs_as_set():
    """The frequency says how often the word occurs, so each of its pairs counts that often."""


@mistake(
    "a neighbor is looked for after the last ID",
    why="n IDs have n - 1 pairs: zip(word, word[1:]) stops in time.",
    pitfall="words",
    change={NEIGHBORS: "for position in range(len(word)):\n    pair = word[position], word[position + 1]"},
)
def build_past_the_end():
    """I go through all positions and look at the ID there and the one after it."""


@mistake(
    "the words are reordered",
    why="Ties follow the order of word_counts: keep it.",
    pitfall="words",
    change=[
        {"tables =": f"word_counts = dict(sorted(word_counts.items(){key}))\ntables ="}
        for key in ("", ", key=lambda item: -item[1]")
    ],
)
def build_sorted_words():
    """The order of the words makes no difference."""


@mistake(
    "a frequency is counted twice",
    why="Add the frequency once for each place of the pair in the word.",
    pitfall="frequency",
    change={"frequencies[number]": "frequencies[number] ** 2"},
)
def build_squares_frequencies():
    """The word occurs that often, and so does each of its pairs."""


@mistake(
    "words where their numbers belong",
    why="The number stays the same when the word changes.",
    pitfall="pair-words",
    change={NOTE: "tables.pair_words.setdefault(pair, set()).add(bytes(word))"},
)
def build_words_in_sets():
    """The pair should know its words, so I put the words into the set."""


@mistake(
    "the words are not lists",
    why="list(word) makes a list of IDs, which merging can replace.",
    pitfall="words",
    change=[{WORDS: "list(word_counts)"}, {WORDS: "[*map(tuple, word_counts)]"}],
)
def build_words_stay_bytes():
    """Other sequences can be indexed like a list."""


@mistake(
    "pairs of two equal IDs are left out",
    why="(108, 108) is a pair like any other.",
    pitfall="overlap",
    change={"zip(word, word[1:])": "[two for two in zip(word, word[1:]) if two[0] != two[1]]"},
)
def build_no_equal_ids():
    """A pair has two different IDs."""


@mistake(
    "frequencies stays empty",
    why="apply_merge looks up each word's frequency by its number: frequencies has one for each word.",
    pitfall="frequency",
    change={f"frequencies={FREQUENCIES}": "", "tables.frequencies[number]": f"{FREQUENCIES}[number]"},
)
def build_leaves_out_frequencies():
    """The frequencies are in the counts of the pairs already."""
