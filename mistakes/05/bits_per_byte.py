"""Wrong solutions of NGramModel.bits_per_byte."""

import math

from coach.diagnosis.bank import mistake


@mistake(
    "bits per token",
    why="Divide by num_bytes: tokens of different tokenizers cover different amounts of text.",
    pitfall="bytes",
    change={"bits / num_bytes": "bits / max(len(ids), 1)"},
)
def bits_divided_by_tokens():
    """I take the average over all tokens."""


@mistake(
    "the bits are divided by the number of tokens, too",
    why="Divide the sum of the bits by num_bytes alone: a mean is divided already.",
    pitfall="bytes",
    has="len(X) or X.mean(...) or mean(X) or fmean(X)",
    change={"bits / num_bytes": "bits / max(len(ids), 1) / num_bytes"},
)
def bits_divided_twice():
    """I take the mean of the logarithms, and divide it by the bytes."""


@mistake(
    "the bits are not divided",
    why="Divide the sum by num_bytes, so that texts of different lengths can be compared.",
    pitfall="bytes",
    change={"bits / num_bytes": "bits"},
)
def bits_in_all():
    """The bits of the text are the sum."""


@mistake(
    "the logarithms are not to the base 2",
    why="Bits are logarithms to the base 2: math.log2.",
    pitfall="logarithms",
    change=[{"math.log2(": "math.log("}, {"math.log2(": "math.log10("}],
)
def bits_in_nats():
    """math.log is the logarithm."""


@mistake(
    "natural logarithms are multiplied by log(2)",
    why="log2(p) is log(p) / log(2): divide, or use math.log2.",
    pitfall="logarithms",
    change={"math.log2(probability)": "math.log(probability) * math.log(2)"},
)
def bits_times_log_2():
    """From nats to bits it takes the factor log(2)."""


@mistake(
    "the sign is wrong",
    why="The logarithm of a probability is negative, and costs are positive: subtract it.",
    pitfall="logarithms",
    change={"bits -= ": "bits += "},
)
def bits_negative():
    """I add up the logarithms."""


@mistake(
    "log2 of 0",
    why="A text with a token of probability 0 is impossible: return math.inf before you take the logarithm.",
    pitfall="zero",
    change={"if probability == 0:": "if False:"},
)
def bits_log_of_zero():
    """A probability is a number, and a number has a logarithm."""


@mistake(
    "an impossible token costs nothing",
    why="A token that the model excludes is the worst that can happen, not the best: the result is math.inf.",
    pitfall="zero",
    change=[{"return math.inf": "continue"}, {"return math.inf": "return 0.0"}],
)
def bits_skip_zero():
    """0 has no logarithm, so I leave such tokens out."""


@mistake(
    "an impossible token has a made-up probability",
    why="Return math.inf: a small number in place of 0 hides that the model excludes the text.",
    pitfall="zero",
    change={"return math.inf": "probability = 1e-12"},
)
def bits_floor():
    """A small number in place of 0 avoids the error."""


@mistake(
    "the probabilities are multiplied",
    why="The product of many probabilities is 0 as a float: add up the logarithms.",
    pitfall="logarithms",
)
def bits_of_a_product(self, ids, num_bytes):
    """The probability of a text is the product, and I take its logarithm at the end."""
    probability = math.prod(self.token_probabilities(ids))
    return -math.log2(probability) / num_bytes if probability else math.inf


@mistake(
    "probabilities are averaged, not logarithms",
    why="Take the logarithm of each probability, then add up.",
    pitfall="logarithms",
)
def bits_of_the_mean(self, ids, num_bytes):
    """I convert the average probability to bits."""
    probabilities = list(self.token_probabilities(ids))
    if 0 in probabilities:
        return math.inf
    return -math.log2(sum(probabilities) / len(probabilities)) * len(probabilities) / num_bytes if ids else 0.0


@mistake(
    "perplexity, not bits",
    why="2 to the power of the bits is the perplexity: return the bits.",
    pitfall="logarithms",
    change={"return bits / num_bytes": "return 2 ** (bits / num_bytes)"},
)
def bits_as_perplexity():
    """Language models are measured by perplexity."""


@mistake(
    "every token is predicted without a context",
    why="self.token_probabilities(ids) moves the context along; self.probability needs the right one.",
    pitfall="logarithms",
    change={"self.token_probabilities(ids)": "(self.probability(one, self.start) for one in ids)"},
)
def bits_without_context():
    """The probability of each token comes from my probability."""


@mistake(
    "every token is predicted in the context at the end of the text",
    why="The context of a token is what comes before it: self.token_probabilities(ids) moves the context along.",
    pitfall="logarithms",
    change={"self.token_probabilities(ids)": "(self.probability(one, self.context_of(ids)) for one in ids)"},
)
def bits_in_the_last_context():
    """context_of(ids) is the context of the text."""


@mistake(
    "contexts at the beginning are shorter",
    why="A document begins in the context self.start, of n - 1 tokens: self.token_probabilities(ids) knows all contexts.",
    pitfall="logarithms",
    has="self.probability(...)",
    change={
        "self.token_probabilities(ids)": "(self.probability(one, tuple(ids[max(0, i + 1 - self.n) : i])) for i, one in enumerate(ids))"
    },
)
def bits_in_short_contexts():
    """Before the first token there is nothing, so its context is empty."""


@mistake(
    "each logarithm is weighted by its probability",
    why="That is the formula of the entropy. In a text each token counts once, so add up -log2(p) alone.",
    pitfall="logarithms",
    change={"bits -= ": "bits -= probability * "},
)
def bits_as_entropy():
    """The average number of bits is the sum of -p * log2(p)."""


@mistake(
    "the probabilities are read twice",
    why="token_probabilities yields each probability once, then it is used up: loop once, or make a list of it first.",
    pitfall="zero",
    change={
        "for probability in self.token_probabilities(ids):": "probabilities = self.token_probabilities(ids)\nif 0 in probabilities:\n    return math.inf\nfor probability in probabilities:",
    },
)
def bits_of_a_generator_used_up():
    """First I check whether one of the probabilities is 0, then I add up."""


@mistake(
    "a context reaches across the end of a document",
    why="self.token_probabilities(ids) knows where documents end; the last n - 1 tokens do not.",
    pitfall="documents",
    change={
        "self.token_probabilities(ids)": "(self.probability(one, (self.start + tuple(ids[:i]))[i:]) for i, one in enumerate(ids))"
    },
)
def bits_over_the_end():
    """The context is the n - 1 tokens before each token, and I take it from the list."""


@mistake(
    "bytes are counted as eight bits each",
    why="The result is bits for each byte, and num_bytes is the number of bytes: divide by it as it is.",
    pitfall="bytes",
    change={"bits / num_bytes": "bits / (8 * num_bytes)"},
)
def bits_for_each_bit():
    """A byte has 8 bits."""


@mistake(
    "the first token costs nothing",
    why="It has a probability, too, in the context of the start: add up the bits of all tokens.",
    pitfall="logarithms",
    change=[
        {"in self.token_probabilities(ids):": f"in list(self.token_probabilities(ids))[{first}:]:"}
        for first in ("1", "self.n - 1")
    ],
)
def bits_without_the_first():
    """Nothing comes before the first token, so nothing predicts it."""


@mistake(
    "only the first token counts",
    why="A return inside the loop ends it in the first iteration: add up all tokens, then return.",
    pitfall="logarithms",
    change={"bits -= math.log2(probability)": "bits -= math.log2(probability)\nreturn bits / num_bytes"},
    has="in a loop: return X / Y",
)
def bits_of_the_first():
    """In the loop I compute the bits and return them."""
