"""Wrong solutions of UnigramTokenizer.sample_path."""

import math
from random import Random

from coach.diagnosis.bank import mistake
from g2c.solutions.unigram import log_sum_exp


@mistake(
    "alpha is missing in forward",
    why="forward is computed with alpha * score as well.",
    pitfall="sampling",
    change=[
        {"alpha * edge.score for": "edge.score for"},
        {
            "alpha * edge.score for": "edge.score for",
            "alpha * edge.score - forward[position])": "edge.score - forward[position]) ** alpha",
        },
    ],
)
def sample_alpha_in_weights_only():
    """alpha belongs to the draw."""


@mistake(
    "an edge without an alternative is not drawn",
    why="Draw once for each token, even if only one edge ends there: otherwise the next draw gets its random number.",
    pitfall="sampling",
    has="len(X) > 1 or len(X) == 1 or len(X) < 2",
    change={"rng.choices(edges, weights)": "(rng.choices(edges, weights) if len(edges) > 1 else edges)"},
)
def sample_skips_single_edges():
    """With a single edge there is nothing to draw."""


@mistake(
    "the tokens are in reverse order",
    why="You collect them from the end: reverse the list.",
    pitfall="walk-back",
    change={"return tokens[::-1]": "return tokens"},
)
def sample_backwards():
    """I walk from the end back to the start, and append each token."""


@mistake(
    "the best segmentation is always taken",
    why="Draw each segmentation with its probability.",
    pitfall="sampling",
    has="nowhere: X.choices(...)",
)
def sample_best_path(self, text, seed, alpha=1.0):
    """The best segmentation is the most probable one."""
    return self.best_path(text)


@mistake(
    "all edges are drawn with the same probability",
    why="Draw them with their weights.",
    pitfall="sampling",
    change={"rng.choices(edges, weights)": "rng.choices(edges)"},
)
def sample_equal_weights():
    """Any edge that ends here is possible."""


@mistake(
    "tokens are drawn from the front by their score",
    why="Begin at the end: there forward says how much probability each edge carries.",
    pitfall="sampling",
)
def sample_from_the_front(self, text, seed, alpha=1.0):
    """From the left, I draw each edge with its probability."""
    rng = Random(seed)
    lattice, tokens, position = self.lattice(text), [], 0
    while position < len(text):
        edges = [edge for edge in lattice if edge.start == position]
        edge = rng.choices(edges, [math.exp(alpha * edge.score) for edge in edges])[0]
        tokens.append(edge.token)
        position = edge.end
    return tokens


@mistake(
    "the tokens are drawn from the first to the last",
    why="Then the same seed gives another segmentation: begin at the end, with forward.",
    pitfall="sampling",
)
def sample_forward(self, text, seed, alpha=1.0):
    """With the sums from the end, each token can be drawn from the left, by what can follow it."""
    rng = Random(seed)
    leaving = [[] for _ in text]
    for edge in self.lattice(text):
        leaving[edge.start].append(edge)
    backward = [0.0] * (len(text) + 1)
    for place in reversed(range(len(text))):
        backward[place] = log_sum_exp(alpha * edge.score + backward[edge.end] for edge in leaving[place])
    tokens, place = [], 0
    while place < len(text):
        weights = [math.exp(alpha * edge.score + backward[edge.end] - backward[place]) for edge in leaving[place]]
        edge = rng.choices(leaving[place], weights)[0]
        tokens.append(edge.token)
        place = edge.end
    return tokens


@mistake(
    "alpha has no influence",
    why="Multiply each score by alpha, in forward and in the weights.",
    pitfall="sampling",
    change={"alpha * edge.score for": "edge.score for", "alpha * edge.score -": "edge.score -"},
)
def sample_ignores_alpha():
    """The scores are given."""


@mistake(
    "the scores are divided by alpha",
    why="A temperature divides; alpha multiplies each score.",
    pitfall="sampling",
    change={"alpha * edge.score for": "edge.score / alpha for", "alpha * edge.score -": "edge.score / alpha -"},
    has="X / alpha",
)
def sample_divides_by_alpha():
    """alpha is like a temperature."""


@mistake(
    "every draw begins with the same random number",
    why="A generator with the same seed begins again: make rng once, before the loop.",
    pitfall="sampling",
    change={"rng.choices(edges, weights)": "Random(seed).choices(edges, weights)"},
)
def sample_new_generator():
    """Each draw takes Random(seed).choices(edges, weights)."""


@mistake(
    "the seed is not used",
    why="Use Random(seed): the same seed gives the same segmentation, and different seeds give different ones.",
    pitfall="sampling",
    has="nowhere: F(seed)",
    change={"Random(seed)": "Random(0)"},
)
def sample_own_seed():
    """A fixed seed makes the draw repeatable."""


@mistake(
    "the weights of a long text become 0",
    why="Subtract forward[position] before you leave the logarithms.",
    pitfall="logarithms",
    change={" - forward[position]": ""},
)
def sample_weights_not_divided():
    """The weight is exp of forward plus score."""


@mistake(
    "the paths before an edge have no influence",
    why="Add forward[start]: all paths that lead to the edge.",
    pitfall="sampling",
    change={"math.exp(forward[edge.start] + alpha * edge.score - forward[position])": "math.exp(alpha * edge.score)"},
)
def sample_without_forward():
    """An edge is drawn by its score."""


@mistake(
    "alpha is missing in the draw",
    why="The weights of the draw use the same alpha * score as the sums.",
    pitfall="sampling",
    change={"alpha * edge.score -": "edge.score -"},
    has="nowhere: X / alpha",
)
def sample_alpha_in_sums_only():
    """The sums are computed with alpha, the draw with the scores."""
