"""Wrong solutions of UnigramTokenizer.em_step."""

import math

from g2c.course.diagnosis.bank import mistake
from g2c.tokenizer.unigram import MIN_COUNT

# What most of them do right.


def added_up(tokenizer, words):
    counts = {}
    for word, frequency in words.items():
        for token, count in tokenizer.expected_counts(word).items():
            counts[token] = counts.get(token, 0.0) + count * frequency
    return counts


def what_stays(tokenizer, counts):
    kept = {}
    for token in tokenizer.scores:
        count = counts.get(token, 0.0)
        if token != tokenizer.unk_token and (len(token) == 1 or count >= MIN_COUNT):
            kept[token] = max(count, MIN_COUNT)
    return kept


def scores_of(tokenizer, kept):
    total = sum(kept.values())
    scores = {}
    for token, old in tokenizer.scores.items():
        if token == tokenizer.unk_token:
            scores[token] = old
        elif token in kept:
            scores[token] = math.log(kept[token] / total)
    return scores


@mistake(
    "the tokenizer's own scores are changed", why="Return the new scores and leave self.scores as it is.", pitfall="em"
)
def em_changes_the_tokenizer(self, words):
    """New scores are there to be used."""
    self.scores = scores_of(self, what_stays(self, added_up(self, words)))
    return self.scores


@mistake(
    "a character that is not used has no probability",
    why="Raise its count to MIN_COUNT: the logarithm of 0 does not exist.",
    pitfall="left-out",
)
def em_character_not_raised(self, words):
    """Single characters stay as they are."""
    counts = added_up(self, words)
    kept = {}
    for token in self.scores:
        count = counts.get(token, 0.0)
        if token != self.unk_token and (len(token) == 1 or count >= MIN_COUNT):
            kept[token] = count
    return scores_of(self, kept)


@mistake("the frequency of the words is ignored", why="Multiply the counts of a word by its frequency.", pitfall="em")
def em_ignores_frequency(self, words):
    """The counts of all words are added up."""
    counts = {}
    for word in words:
        for token, count in self.expected_counts(word).items():
            counts[token] = counts.get(token, 0.0) + count
    kept = what_stays(self, counts)
    return scores_of(self, kept)


@mistake(
    "tokens that are hardly used stay",
    why="A token of several characters with a count below MIN_COUNT is left out.",
    pitfall="left-out",
)
def em_keeps_everything(self, words):
    """Rare tokens are removed later."""
    counts = added_up(self, words)
    kept = {}
    for token in self.scores:
        count = counts.get(token, 0.0)
        if token != self.unk_token:
            kept[token] = max(count, MIN_COUNT)
    return scores_of(self, kept)


@mistake(
    "a token with exactly the minimum count is left out",
    why="Only a count below MIN_COUNT is too low.",
    pitfall="left-out",
)
def em_limit_too_high(self, words):
    """Up to MIN_COUNT a token is left out."""
    counts = added_up(self, words)
    kept = {}
    for token in self.scores:
        count = counts.get(token, 0.0)
        if token != self.unk_token and (len(token) == 1 or count > MIN_COUNT):
            kept[token] = max(count, MIN_COUNT)
    return scores_of(self, kept)


@mistake(
    "single characters are left out",
    why="A single character always stays, with a count of at least MIN_COUNT.",
    pitfall="left-out",
)
def em_loses_characters(self, words):
    """What is hardly used is left out."""
    counts = added_up(self, words)
    kept = {}
    for token in self.scores:
        count = counts.get(token, 0.0)
        if token != self.unk_token and count >= MIN_COUNT:
            kept[token] = max(count, MIN_COUNT)
    return scores_of(self, kept)


@mistake("the unknown token is lost", why="It keeps its score and its place.", pitfall="unknown")
def em_loses_unknown(self, words):
    """The unknown token has no count."""
    counts = added_up(self, words)
    kept = what_stays(self, counts)
    total = sum(kept.values())
    scores = {}
    for token in self.scores:
        if token in kept:
            scores[token] = math.log(kept[token] / total)
    return scores


@mistake(
    "only the best segmentations are counted",
    why="Use expected_counts: every segmentation counts, weighted by its probability.",
    pitfall="em",
)
def em_of_best_paths(self, words):
    """The tokens of the best segmentations are counted."""
    counts = {}
    for word, frequency in words.items():
        for token in self.best_path(word):
            counts[token] = counts.get(token, 0.0) + frequency
    kept = what_stays(self, counts)
    return scores_of(self, kept)


@mistake(
    "probabilities are returned instead of their logarithms",
    why="A score is the logarithm of a probability.",
    pitfall="em",
    change={"math.log(kept[token] / total)": "kept[token] / total"},
)
def em_probabilities():
    """The new scores are the shares."""


@mistake(
    "the sum is taken before tokens are left out",
    why="Decide what stays first: the probabilities of the tokens that stay add up to 1.",
    pitfall="left-out",
    change={"total = sum(kept.values())": "total = sum(counts.values())"},
)
def em_sum_too_early():
    """The sum of all counts, then the shares."""


@mistake(
    "the unknown token is part of the sum",
    why="Leave the unknown token out of the sum.",
    pitfall="unknown",
    change={"total = sum(kept.values())": "total = sum(kept.values()) + counts.get(self.unk_token, 0.0)"},
)
def em_unknown_counts():
    """All counts make the sum."""


@mistake(
    "the counts are divided by the number of words",
    why="Divide by the sum of the counts of the tokens that stay: their probabilities add up to 1.",
    pitfall="em",
)
def em_divides_by_words(self, words):
    """Counts divided by the number of words."""
    counts = added_up(self, words)
    scores = {}
    for token, old in self.scores.items():
        count = counts.get(token, 0.0)
        if token == self.unk_token:
            scores[token] = old
        elif len(token) == 1 or count >= MIN_COUNT:
            scores[token] = math.log(max(count, MIN_COUNT) / sum(words.values()))
    return scores
