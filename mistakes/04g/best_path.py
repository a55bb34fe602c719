"""Wrong solutions of UnigramTokenizer.best_path."""

import math

from g2c.course.diagnosis.bank import mistake

# What most of them do right.


def walked_back(last_edge):
    tokens = []
    position = len(last_edge) - 1
    while position > 0:
        tokens.append(last_edge[position].token)
        position = last_edge[position].start
    return tokens[::-1]


@mistake(
    "the tokens are in reverse order",
    why="You collect them from the end: reverse the list.",
    pitfall="walk-back",
    change={"return tokens[::-1]": "return tokens"},
)
def path_backwards():
    """From the end back to the start, and each token appended."""


@mistake(
    "the best token is taken at each position",
    why="Compare whole paths: the cost of the rest of the text counts too.",
    pitfall="viterbi",
)
def path_best_next_token(self, text, without=None):
    """At each place the token with the highest score."""
    tokens, position = [], 0
    while position < len(text):
        edges = [edge for edge in self.lattice(text, without) if edge.start == position]
        edge = max(edges, key=lambda edge: edge.score)
        tokens.append(edge.token)
        position = edge.end
    return tokens


@mistake(
    "the score of the edge alone is compared",
    why="Compare the score of the whole path: the best at the start plus the edge.",
    pitfall="viterbi",
)
def path_edge_alone(self, text, without=None):
    """The best edge that ends at each position."""
    best = [0.0] + [-math.inf] * len(text)
    last_edge = [None] * (len(text) + 1)
    for edge in self.lattice(text, without):
        score = edge.score
        if score > best[edge.end]:
            best[edge.end], last_edge[edge.end] = score, edge
    return walked_back(last_edge)


@mistake("the number of tokens is compared and not their scores", why="Add the scores of the edges.", pitfall="viterbi")
def path_fewest_tokens(self, text, without=None):
    """The best path has the fewest tokens."""
    best = [0.0] + [-math.inf] * len(text)
    last_edge = [None] * (len(text) + 1)
    for edge in self.lattice(text, without):
        score = best[edge.start] - 1
        if score > best[edge.end]:
            best[edge.end], last_edge[edge.end] = score, edge
    return walked_back(last_edge)


@mistake(
    "edges are returned instead of tokens",
    why="Return the token of each edge.",
    pitfall="walk-back",
    change={"tokens.append(last_edge[position].token)": "tokens.append(last_edge[position])"},
)
def path_gives_edges():
    """The path consists of edges."""


@mistake(
    "the longest token is taken at each position",
    why="Compare whole paths: a long token may cost more than two short ones.",
    pitfall="viterbi",
)
def path_greedy(self, text, without=None):
    """From the left, the longest token."""
    tokens, position = [], 0
    while position < len(text):
        edge = max((edge for edge in self.lattice(text, without) if edge.start == position), key=lambda edge: edge.end)
        tokens.append(edge.token)
        position = edge.end
    return tokens


@mistake("the token that may not be used is used", why="Pass `without` to self.lattice.", pitfall="without")
def path_ignores_without(self, text, without=None):
    """The lattice of the text."""
    best = [0.0] + [-math.inf] * len(text)
    last_edge = [None] * (len(text) + 1)
    for edge in self.lattice(text):
        score = best[edge.start] + edge.score
        if score > best[edge.end]:
            best[edge.end], last_edge[edge.end] = score, edge
    return walked_back(last_edge)


@mistake(
    "in a tie the last path wins",
    why="Replace the best path only by one with a higher score.",
    pitfall="ties",
)
def path_last_of_equals(self, text, without=None):
    """Greater or equal."""
    best = [0.0] + [-math.inf] * len(text)
    last_edge = [None] * (len(text) + 1)
    for edge in self.lattice(text, without):
        score = best[edge.start] + edge.score
        if score >= best[edge.end]:
            best[edge.end], last_edge[edge.end] = score, edge
    return walked_back(last_edge)


@mistake(
    "the walk back ends too early",
    why="Continue until the position is 0.",
    pitfall="walk-back",
    change={"while position > 0:": "while position > 1:"},
)
def path_loses_the_first():
    """Back as long as the position is above 1."""


@mistake(
    "the path with the lowest score is taken",
    why="A low loss is a high score: look for the highest.",
    pitfall="viterbi",
)
def path_lowest_score(self, text, without=None):
    """The loss is to be low, so I take the lowest."""
    best = [0.0] + [math.inf] * len(text)
    last_edge = [None] * (len(text) + 1)
    for edge in self.lattice(text, without):
        score = best[edge.start] + edge.score
        if score < best[edge.end]:
            best[edge.end], last_edge[edge.end] = score, edge
    return walked_back(last_edge)


@mistake(
    "the scores are divided by the lengths of the tokens",
    why="The loss is the sum of the scores as they are: add the score of the edge.",
    pitfall="viterbi",
)
def path_score_by_length(self, text, without=None):
    """Long tokens have low scores, so I divide a score by the length of its token."""
    best = [0.0] + [-math.inf] * len(text)
    last_edge = [None] * (len(text) + 1)
    for edge in self.lattice(text, without):
        score = best[edge.start] + edge.score / (edge.end - edge.start)
        if score > best[edge.end]:
            best[edge.end], last_edge[edge.end] = score, edge
    return walked_back(last_edge)


@mistake(
    "positions begin with the score 0.0",
    why="0.0 is better than any path. What has not been reached has the score -math.inf.",
    pitfall="viterbi",
)
def path_starts_at_zero(self, text, without=None):
    """At the beginning all scores are 0."""
    best = [0.0] * (len(text) + 1)
    last_edge = [None] * (len(text) + 1)
    for edge in self.lattice(text, without):
        score = best[edge.start] + edge.score
        if score > best[edge.end]:
            best[edge.end], last_edge[edge.end] = score, edge
    return walked_back(last_edge)


@mistake(
    "the score is returned with the tokens",
    why="Return the list of tokens alone.",
    pitfall="walk-back",
    change={"return tokens[::-1]": "return tokens[::-1], best[-1]"},
)
def path_without_scores():
    """The tokens and their score belong together."""


@mistake(
    "the way back follows the length of the token's name",
    why="The unknown token stands for one character, whatever its name: go back to the start of the edge.",
    pitfall="walk-back",
    change={"position = last_edge[position].start": "position -= len(last_edge[position].token)"},
)
def path_back_by_length():
    """A token covers as many characters as it has."""


@mistake(
    "no path can begin",
    why="The empty path up to position 0 has the score 0.0; only the other positions begin with -math.inf.",
    pitfall="viterbi",
    change={"[0.0] + [-math.inf] * len(text)": "[-math.inf] * (len(text) + 1)"},
)
def path_without_a_beginning():
    """Nothing has been reached yet."""
