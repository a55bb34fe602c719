"""Wrong solutions of UnigramTokenizer.em_step."""

from coach.diagnosis.bank import mistake


@mistake(
    "the tokenizer's own scores are changed",
    why="Return the new scores and leave self.scores as it is.",
    pitfall="em",
    change={"return scores": "self.scores = scores\nreturn scores"},
)
def em_changes_the_tokenizer():
    """New scores are there to be used."""


@mistake(
    "a character that is not used has no probability",
    why="Raise its count to MIN_COUNT: the logarithm of 0 does not exist.",
    pitfall="left-out",
    change={"max(count, MIN_COUNT)": "count"},
)
def em_character_not_raised():
    """Single characters stay as they are."""


@mistake(
    "the frequency of the words is ignored",
    why="Multiply the counts of a word by its frequency.",
    pitfall="em",
    change={"count * frequency": "count"},
)
def em_ignores_frequency():
    """The counts of all words are added up."""


@mistake(
    "tokens that are hardly used stay",
    why="A token of several characters with a count below MIN_COUNT is left out.",
    pitfall="left-out",
    change={" and (len(token) == 1 or count >= MIN_COUNT)": ""},
)
def em_keeps_everything():
    """Rare tokens are removed later."""


@mistake(
    "a token with exactly the minimum count is left out",
    why="Only a count below MIN_COUNT is too low.",
    pitfall="left-out",
    change={"count >= MIN_COUNT": "count > MIN_COUNT"},
)
def em_limit_too_high():
    """A token with a count up to MIN_COUNT is left out."""


@mistake(
    "single characters are left out",
    why="A single character always stays, with a count of at least MIN_COUNT.",
    pitfall="left-out",
    change={"(len(token) == 1 or count >= MIN_COUNT)": "count >= MIN_COUNT"},
)
def em_loses_characters():
    """Tokens that are hardly used are left out."""


@mistake(
    "the unknown token is lost",
    why="It keeps its score and its place.",
    pitfall="unknown",
    change={"scores[token] = old": "pass"},
)
def em_loses_unknown():
    """The unknown token has no count."""


@mistake(
    "only the best segmentations are counted",
    why="Use expected_counts: every segmentation counts, weighted by its probability.",
    pitfall="em",
    change={"token, count in self.expected_counts(word).items()": "token in self.best_path(word)", "count * ": ""},
)
def em_of_best_paths():
    """The tokens of the best segmentations are counted."""


@mistake(
    "probabilities are returned instead of their logarithms",
    why="A score is the logarithm of a probability.",
    pitfall="em",
    change={"math.log(kept[token] / total)": "kept[token] / total"},
)
def em_probabilities():
    """The new scores are the shares."""


@mistake(
    "the logarithms are not natural ones",
    why="A score is a natural logarithm: math.log with one argument.",
    pitfall="em",
    change=[{"math.log(": "math.log2("}, {"math.log(": "math.log10("}],
)
def em_other_logarithm():
    """A logarithm is a logarithm."""


@mistake(
    "tokens are left out word by word",
    why="A token's count is that of all words together: add up first, then leave out.",
    pitfall="left-out",
    change=[
        {"counts[token] = counts": "if count >= MIN_COUNT or len(token) == 1:\n    counts[token] = counts"},
        {"counts[token] = counts": "if count * frequency >= MIN_COUNT or len(token) == 1:\n    counts[token] = counts"},
    ],
)
def em_leaves_out_in_each_word():
    """What is hardly used in a word is not worth counting."""


@mistake(
    "the sum is taken before tokens are left out",
    why="Decide what stays first: the probabilities of the tokens that stay add up to 1.",
    pitfall="left-out",
    change={"total = sum(kept.values())": "total = sum(counts.values())"},
)
def em_sum_too_early():
    """I take the sum of all counts, then compute the shares."""


@mistake(
    "the unknown token is part of the sum",
    why="Leave the unknown token out of the sum.",
    pitfall="unknown",
    change=[
        {"total = sum(kept.values())": "total = sum(kept.values()) + counts.get(self.unk_token, 0.0)"},
        {"token != self.unk_token and (len(token) == 1": "token == self.unk_token or (len(token) == 1"},
        {
            "token != self.unk_token and (len(token) == 1": "(token == self.unk_token or len(token) == 1",
            "if token == self.unk_token:": "if False:",
        },
    ],
)
def em_unknown_counts():
    """The sum is over all counts."""


@mistake(
    "the counts are divided by the number of words",
    why="Divide by the sum of the counts of the tokens that stay: their probabilities add up to 1.",
    pitfall="em",
    change={"total = sum(kept.values())": "total = sum(words.values())"},
)
def em_divides_by_words():
    """A share is the count divided by the number of words."""
