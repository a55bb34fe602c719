"""Wrong solutions of UnigramTokenizer.best_path."""

import math

from coach.diagnosis.bank import mistake

SCORE = "best[edge.start] + edge.score"


@mistake(
    "the tokens are in reverse order",
    why="You collect them from the end: reverse the list.",
    pitfall="walk-back",
    change={"return tokens[::-1]": "return tokens"},
)
def path_backwards():
    """I walk from the end back to the start, and append each token."""


@mistake(
    "the best token is taken at each position",
    why="Compare whole paths: the cost of the rest of the text counts too.",
    pitfall="viterbi",
    has="max(...) or sorted(...) or X.sort(...)",
)
def path_best_next_token(self, text, without=None):
    """At each position I take the token with the highest score."""
    edges, tokens, position = self.lattice(text, without), [], 0
    while position < len(text):
        edge = max((edge for edge in edges if edge.start == position), key=lambda edge: edge.score)
        tokens.append(edge.token)
        position = edge.end
    return tokens


@mistake(
    "the score of the edge alone is compared",
    why="Compare the score of the whole path: the best at the start plus the edge.",
    pitfall="viterbi",
    has="nowhere: X + Y.score or X - Y.score",
    change={SCORE: "edge.score"},
)
def path_edge_alone():
    """I keep the best edge that ends at each position."""


@mistake(
    "the number of tokens is compared and not their scores",
    why="Add the scores of the edges.",
    pitfall="viterbi",
    has="nowhere: X.score",
    change={SCORE: "best[edge.start] - 1"},
)
def path_fewest_tokens():
    """The best path has the fewest tokens."""


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
    has="nowhere: X.score",
)
def path_greedy(self, text, without=None):
    """From the left, I take the longest token."""
    edges, tokens, position = self.lattice(text, without), [], 0
    while position < len(text):
        edge = max((edge for edge in edges if edge.start == position), key=lambda edge: edge.end)
        tokens.append(edge.token)
        position = edge.end
    return tokens


@mistake(
    "the token that may not be used is used",
    why="Pass `without` to self.lattice.",
    pitfall="without",
    has="nowhere: self.lattice(X, without) or self.lattice(X, without=without) or X == without or X != without",
    change={"(text, without)": "(text)"},
)
def path_ignores_without():
    """I go through the lattice of the text."""


@mistake(
    "edges of the token are skipped, and none takes their place",
    why="Pass `without` to self.lattice: where no other token fits, it adds an edge with the unknown token.",
    pitfall="without",
    has="X == without or X != without or without == X or without != X",
    change={"(text, without)": "(text)", "score =": "if edge.token == without:\n    continue\nscore ="},
)
def path_skips_without():
    """I go through the lattice and leave out the edges of the token."""


@mistake(
    "the text of an unknown character is returned",
    why="Return the token of each edge: for an unknown character, it is self.unk_token.",
    pitfall="unknown",
    change={"last_edge[position].token": "text[last_edge[position].start : position]"},
)
def path_of_the_text():
    """A token is the text from the start of its edge to its end."""


@mistake(
    "in a tie the wrong path wins",
    why="Take the edges in the lattice's order, and replace the best path only by one with a higher score.",
    pitfall="ties",
    has="X >= Y or X <= Y or reversed(X) or sorted(...)",
    change={"score > best": "score >= best"},
)
def path_last_of_equals():
    """Of two equal paths, either will do."""


@mistake(
    "in a tie the edges are compared as well",
    why="max over (score, edge) compares the edges of equal scores: with key=, it compares the scores alone.",
    pitfall="ties",
    has="max(...)",
)
def path_of_the_highest_pair(self, text, without=None):
    """max over (score, edge) gives the highest score."""
    edges, best = self.lattice(text, without), [(0.0, None)]
    for end in range(1, len(text) + 1):
        best.append(max((best[edge.start][0] + edge.score, edge) for edge in edges if edge.end == end))
    tokens, position = [], len(text)
    while position > 0:
        tokens.append(best[position][1].token)
        position = best[position][1].start
    return tokens[::-1]


@mistake(
    "the walk back ends too early",
    why="Continue until the position is 0.",
    pitfall="walk-back",
    change={"while position > 0:": "while position > 1:"},
)
def path_loses_the_first():
    """I go back as long as the position is above 1."""


@mistake(
    "the path with the lowest score is taken",
    why="A low loss is a high score: look for the highest.",
    pitfall="viterbi",
    change={"-math.inf": "math.inf", "score > best": "score < best"},
)
def path_lowest_score():
    """The loss is to be low, so I take the lowest."""


@mistake(
    "the scores are divided by the lengths of the tokens",
    why="The loss is the sum of the scores as they are: add the score of the edge.",
    pitfall="viterbi",
    change={SCORE: f"{SCORE} / (edge.end - edge.start)"},
)
def path_score_by_length():
    """Long tokens have low scores, so I divide a score by the length of its token."""


@mistake(
    "the scores at the beginning let no path through",
    why="Position 0 begins with 0.0, the score of the empty path; all others begin with -math.inf, below any path.",
    pitfall="viterbi",
    change={"[0.0] + [-math.inf] * len(text)": "[0.0] * (len(text) + 1)"},
)
def path_starts_at_zero():
    """I fill the list with one number."""


@mistake(
    "the start value is above the score of a long path",
    why="Scores have no lower limit: use -math.inf.",
    pitfall="viterbi",
    change={"-math.inf": "-100.0"},
)
def path_starts_too_high():
    """A large negative number is below every score."""


@mistake(
    "built from the end, a tie is decided by the first token",
    why="The last token decides: find the best path to each position, from the beginning of the text.",
    pitfall="ties",
    has="for E in reversed(X): ... or for E in X[::-1]: ... or for E in range(A, B, -1): ... or for E in sorted(...): ...; nowhere: X >= Y or X <= Y",
)
def path_from_the_end(self, text, without=None):
    """For each position, I keep the best path from there to the end."""
    best, next_edge = [-math.inf] * len(text) + [0.0], [None] * len(text)
    for edge in sorted(self.lattice(text, without), key=lambda edge: -edge.start):
        if edge.score + best[edge.end] > best[edge.start]:
            best[edge.start], next_edge[edge.start] = edge.score + best[edge.end], edge
    tokens, position = [], 0
    while position < len(text):
        tokens.append(next_edge[position].token)
        position = next_edge[position].end
    return tokens


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
    has="X -= len(Y) or X - len(Y)",
    change={"position = last_edge[position].start": "position -= len(last_edge[position].token)"},
)
def path_back_by_length():
    """A token covers as many characters as it has."""


@mistake(
    "in a tie the path with fewer tokens wins",
    why="Compare the scores alone: in a tie the edge that was seen earlier stays.",
    pitfall="ties",
    change={
        "[0.0] + [-math.inf] * len(text)": "[(0.0, 0)] + [(-math.inf, 0)] * len(text)",
        SCORE: "(best[edge.start][0] + edge.score, best[edge.start][1] - 1)",
    },
)
def path_with_fewer_tokens():
    """Of two paths with the same score, the one with fewer tokens is better."""


@mistake(
    "the probability of a long text becomes 0",
    why="Then all its paths are equal. Stay in logarithms: add the scores.",
    pitfall="logarithms",
    has="exp(...) or X.exp(...) or e ** X or X.e ** Y",
    change={
        "[0.0] + [-math.inf] * len(text)": "[1.0] + [0.0] * len(text)",
        SCORE: "best[edge.start] * math.exp(edge.score)",
        "score > best[edge.end]": "last_edge[edge.end] is None or score > best[edge.end]",
    },
)
def path_by_probabilities():
    """The best path has the highest product of probabilities."""
