"""Checks and hints for the answers in notebook 04g. coach/notebook_answers.py says how they are written."""

from collections import Counter
from types import SimpleNamespace

from coach.notebook_answers import answer
from coach.teaching import call, check


@answer(
    hints=[
        "If text[:end] is a token, it can be the first one. What comes after it is a segmentation of the rest.",
        "segmentations(tokenizer, text[end:]) gives all lists for the rest; put the first token before each.",
    ],
    wrong=[
        "if text[:end] in tokenizer.scores:\n            found += segmentations(tokenizer, text[end:])",
        "found += [[text[:end], *rest] for rest in segmentations(tokenizer, text[end:])]",
        "if text[:end] in tokenizer.scores:\n            found.append([text[:end], text[end:]])",
    ],
)
def segmentations(function):
    tokenizer = SimpleNamespace(scores={"a": -1, "b": -1, "ab": -1, "ba": -1})
    outcome = call(function, tokenizer, "aba").shown_as('segmentations(a tokenizer with a, b, ab and ba, "aba")')
    idea = "The first token is a or ab; after a the rest is b + a or ba, after ab it is a."
    check(outcome, [["a", "b", "a"], ["a", "ba"], ["ab", "a"]], idea=idea)


class Sampler:
    """A tokenizer that draws one of two segmentations, by the seed."""

    def sample_path(self, text, seed, alpha=1.0):
        return [text[:1], text[1:]] if seed < 8 * alpha else [text]


@answer(
    hints=[
        "tokenizer.sample_path(text, seed, alpha) draws one. Counter counts whatever you go through.",
        '" ".join(...) of the tokens is the text to count; draw with each seed of range(number).',
    ],
    wrong=[
        'return Counter(" ".join(tokenizer.sample_path(text, seed)) for seed in range(number))',
        'return Counter([" ".join(tokenizer.sample_path(text, 0, alpha))] * number)',
        "return Counter(token for seed in range(number) for token in tokenizer.sample_path(text, seed, alpha))",
    ],
)
def draws(function):
    shown = 'draws(a tokenizer, "top", 8, 0.5)'
    outcome = call(function, Sampler(), "top", 8, 0.5).shown_as(shown)
    check(
        outcome, Counter({"t op": 4, "top": 4}), idea="Eight draws with eight seeds: four times t op, four times top."
    )


class ThreeTokens:
    """A tokenizer for which every text is three tokens."""

    def encode(self, text):
        return [1, 2, 1]


@answer(
    hints=[
        "Two numbers: how many IDs encode gives, and how many characters the text has.",
        "len(tokenizer.encode(text)) is the first, len(text) the second.",
    ],
    wrong=[
        "return len(text) / len(tokenizer.encode(text))",
        "return len(set(tokenizer.encode(text))) / len(text)",
        "return len(tokenizer.encode(text)) / len(text.encode())",
    ],
)
def tokens_per_character(function):
    outcome = call(function, ThreeTokens(), "naïve").shown_as('tokens_per_character(a tokenizer, "naïve")')
    check(outcome, 0.6, idea="Three tokens for five characters.")
