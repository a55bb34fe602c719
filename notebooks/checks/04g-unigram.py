"""Checks and hints for the answers in notebook 04g. coach/notebook_answers.py says how they are written."""

from collections import Counter

from coach.notebook_answers import answer
from coach.teaching import call, check
from g2c.tokenizer import UnigramTokenizer


@answer(
    hints=[
        "If text[:end] is a token, it can be the first one. What comes after it is a segmentation of the rest.",
        "segmentations(tokenizer, text[end:]) gives all lists for the rest; put the first token before each.",
    ],
    wrong=[
        "if text[:end] in tokenizer.scores:\n            found += segmentations(tokenizer, text[end:])",
        "found += [[text[:end], *rest] for rest in segmentations(tokenizer, text[end:])]",
        "if text[:end] in tokenizer.scores:\n            found.append([text[:end], text[end:]])",
        "if any(text[:end] in token for token in tokenizer.scores):\n"
        "    found += [[text[:end], *rest] for rest in segmentations(tokenizer, text[end:])]",
    ],
)
def segmentations(function):
    tokenizer = UnigramTokenizer({"<unk>": 0, "a": -1, "b": -1, "ab": -1, "bab": -1})
    outcome = call(function, tokenizer, "abab").shown_as('segmentations(a tokenizer with a, b, ab and bab, "abab")')
    idea = "The first token is a or ab; after a the rest is b + a + b, b + ab or bab, after ab it is a + b or ab."
    check(outcome, [["a", "b", "a", "b"], ["a", "b", "ab"], ["a", "bab"], ["ab", "a", "b"], ["ab", "ab"]], idea=idea)


class Sampler(UnigramTokenizer):
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
    tokenizer = Sampler({"<unk>": 0, "t": -1, "op": -1, "top": -1})
    outcome = call(function, tokenizer, "top", 8, 0.5).shown_as(shown)
    check(
        outcome, Counter({"t op": 4, "top": 4}), idea="Eight draws with eight seeds: four times t op, four times top."
    )


@answer(
    hints=[
        "Two numbers: how many IDs encode gives, and how many characters the text has.",
        "len(tokenizer.encode(text)) is the first, len(text) the second.",
    ],
    wrong=[
        "return len(text) / len(tokenizer.encode(text))",
        "return len(set(tokenizer.encode(text))) / len(text)",
        "return len(tokenizer.encode(text)) / len(text.encode())",
        "return round(len(tokenizer.encode(text)) / len(text), 2)",
        "return len(tokenizer.best_path(text)) / len(text)",
        "return len(tokenizer.encode(text)) / len(text.replace(' ', ''))",
    ],
)
def tokens_per_character(function):
    tokenizer = UnigramTokenizer({"<unk>": 0, "▁na": -1, "na": -1, "ï": -1})
    idea = "▁na, na, ▁na, na, ▁na and ï: six tokens for thirteen characters, the spaces included."
    check(call(function, tokenizer, "nana nana naï"), 6 / 13, idea=idea)
