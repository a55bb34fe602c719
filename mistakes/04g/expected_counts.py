"""Wrong solutions of UnigramTokenizer.expected_counts."""

import math

from coach.diagnosis.bank import mistake
from g2c.solutions.unigram import log_sum_exp

USED = "math.exp(forward[edge.start] + edge.score + backward[edge.end] - forward[-1])"


@mistake("the probability of a long text becomes 0", why="Stay in logarithms until the end.", pitfall="logarithms")
def counts_as_probabilities(self, text):
    """I turn the scores into probabilities at once."""
    edges = self.lattice(text)
    forward, backward = [1.0] + [0.0] * len(text), [0.0] * len(text) + [1.0]
    for edge in edges:
        forward[edge.end] += forward[edge.start] * math.exp(edge.score)
    for edge in reversed(edges):
        backward[edge.start] += math.exp(edge.score) * backward[edge.end]
    counts = {}
    for edge in edges:
        used = forward[edge.start] * math.exp(edge.score) * backward[edge.end] / forward[-1]
        counts[edge.token] = counts.get(edge.token, 0.0) + used
    return counts


@mistake(
    "the best path is used instead of the sum over all paths",
    why="Add the probabilities of all paths: log_sum_exp, not max.",
    pitfall="expected",
    change=[
        {"forward[p] = log_sum_exp": "forward[p] = max", "backward[p] = log_sum_exp": "backward[p] = max"},
        {"forward[p] = log_sum_exp": "forward[p] = max"},
        {"backward[p] = log_sum_exp": "backward[p] = max"},
    ],
    has="max(...)",
)
def counts_maximum():
    """Of several ways to a position the best one counts."""


@mistake(
    "the probabilities are not divided by the text's",
    why="Subtract forward[len(text)], the logarithm of the text's probability; backward[len(text)] is 0.",
    pitfall="expected",
    change={" - forward[-1]": ""},
)
def counts_not_divided():
    """forward + score + backward says how probable the edge is."""


@mistake(
    "only the best segmentation is counted",
    why="Every segmentation counts, weighted by its probability.",
    pitfall="expected",
)
def counts_of_best_path(self, text):
    """To find how often each token is used, I count in the best segmentation."""
    counts = {}
    for token in self.best_path(text):
        counts[token] = counts.get(token, 0.0) + 1.0
    return counts


@mistake(
    "only the best segmentation is counted",
    why="Every segmentation counts, weighted by its probability.",
    pitfall="expected",
    change={
        "counts = {}": "counts, best = {}, self.best_path(text)",
        USED: "best.count(edge.token) / sum(one.token == edge.token for one in edges)",
    },
)
def counts_of_best_path_with_zeros():
    """To find how often each token is used, I count in the best segmentation."""


@mistake(
    "every edge counts as 1",
    why="An edge counts with the probability that a segmentation uses it.",
    pitfall="expected",
    change={USED: "1.0"},
)
def counts_of_edges():
    """Every place where a token fits is a use of it."""


@mistake(
    "a token at several places keeps only one probability",
    why="Add up the probabilities of all its edges.",
    pitfall="expected",
    change={"counts.get(edge.token, 0.0) + used": "used"},
)
def counts_set_not_added():
    """The count of a token is the probability of its edge."""


@mistake(
    "the unknown token is left out",
    why="It is used like any other; em_step decides what becomes of it.",
    pitfall="unknown",
    change={"used = math.exp(": "if edge.token == self.unk_token:\n    continue\nused = math.exp("},
)
def counts_skip_unknown():
    """The unknown token is not a token."""


@mistake(
    "logarithms are added where probabilities belong",
    why="Adding logarithms multiplies probabilities: use log_sum_exp.",
    pitfall="logarithms",
    change={"forward[p] = log_sum_exp": "forward[p] = sum", "backward[p] = log_sum_exp": "backward[p] = sum"},
)
def counts_sum_of_logarithms():
    """I add up all paths."""


@mistake(
    "the paths after an edge are left out",
    why="Add backward[end]: all paths from the edge to the end of the text.",
    pitfall="expected",
    change=[
        {"+ backward[edge.end] for": "for", "+ backward[edge.end] -": "-"},
        {USED: "math.exp(forward[edge.start] + edge.score - forward[edge.end])"},
    ],
)
def counts_without_backward():
    """The paths before an edge decide how probable it is."""


@mistake(
    "the score of the edge itself is left out",
    why="forward ends before the edge and backward begins after it: add its score.",
    pitfall="expected",
    change={"+ edge.score + backward": "+ backward"},
)
def counts_without_score():
    """forward and backward contain all scores."""


@mistake(
    "the backward sums lack the scores",
    why="Each path costs the score of its first edge as well: edge.score + backward[edge.end].",
    pitfall="expected",
    change={"edge.score + backward[edge.end] for": "backward[edge.end] for"},
)
def counts_backward_without_scores():
    """The paths that leave a position are those from the ends of its edges."""


@mistake(
    "the backward sums are made from left to right",
    why="backward[p] needs the sums of later positions: begin at the end.",
    pitfall="expected",
    change=[
        {"reversed(range(len(text)))": "range(len(text))", ", [0.0] * (len(text) + 1)": f", {backward}"}
        for backward in ("[0.0] * (len(text) + 1)", "[-math.inf] * len(text) + [0.0]")
    ],
    has="nowhere: reversed(...) or X[::-1] or range(A, B, -1)",
)
def counts_backward_ascending():
    """The second loop runs like the first."""


@mistake(
    "every position begins with the logarithm 0.0",
    why="0.0 is the probability 1: only position 0 in forward and the end in backward have it. Where no path has arrived yet, it is -math.inf.",
    pitfall="expected",
    has="log_sum_exp(...) or X.logaddexp(...)",
)
def counts_from_zeros(self, text):
    """I fill both lists with zeros, then add each edge."""
    edges = self.lattice(text)
    forward, backward = [0.0] * (len(text) + 1), [0.0] * (len(text) + 1)
    for edge in edges:
        forward[edge.end] = log_sum_exp([forward[edge.end], forward[edge.start] + edge.score])
    for edge in reversed(edges):
        backward[edge.start] = log_sum_exp([backward[edge.start], edge.score + backward[edge.end]])
    counts = {}
    for edge in edges:
        used = math.exp(forward[edge.start] + edge.score + backward[edge.end] - forward[-1])
        counts[edge.token] = counts.get(edge.token, 0.0) + used
    return counts


@mistake(
    "tokens that the text does not contain are in the result",
    why="The result has the tokens of the lattice, in its order: begin with an empty dictionary.",
    pitfall="expected",
    change={"counts = {}": "counts = dict.fromkeys(self.scores, 0.0)"},
)
def counts_of_the_vocabulary():
    """Each token of the vocabulary begins with a count of 0."""


@mistake(
    "the tokens are sorted",
    why="They come in the order of the lattice.",
    pitfall="expected",
    change={"return counts": "return dict(sorted(counts.items()))"},
)
def expected_sorted():
    """A table is easier to read in alphabetical order."""
