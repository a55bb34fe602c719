"""Wrong solutions of UnigramTokenizer.removal_losses."""

from coach.diagnosis.bank import mistake

INSTEAD = "self.best_path(token, without=token)"
DIFFERENCE = "(instead - self.segmentation_loss([token]))"


@mistake(
    "only the count decides",
    why="Multiply the count by the cost of writing the token's text without it.",
    pitfall="removal",
    change={f"counts.get(token, 0) * {DIFFERENCE}": "float(counts.get(token, 0))"},
)
def removal_counts_only():
    """The token that is used least is missed least."""


@mistake(
    "the count is left out",
    why="Multiply the difference by how often the token is used.",
    pitfall="removal",
    change={"counts.get(token, 0) * ": ""},
)
def removal_differences_only():
    """The token that is easiest to replace is missed least."""


@mistake(
    "the token's text is counted wherever it occurs",
    why="A best path may write it in other tokens: count in the best paths of the words.",
    pitfall="removal",
    change={"counts.get(token, 0) *": "sum(word.count(token) * times for word, times in words.items()) *"},
)
def removal_counts_substrings():
    """A token is used wherever a word contains it."""


@mistake(
    "expected counts are used and not best paths",
    why="Count in the best paths of the words.",
    pitfall="removal",
    change={
        "for token in self.best_path(word):": "for token, count in self.expected_counts(word).items():",
        "+ frequency": "+ count * frequency",
    },
)
def removal_expected_counts():
    """The expected counts say how often a token is used."""


@mistake(
    "the frequency of the words is ignored",
    why="A token is used as often as its word occurs.",
    pitfall="removal",
    change={"+ frequency": "+ 1"},
)
def removal_ignores_frequency():
    """Each word is split once."""


@mistake(
    "whole words are split again, not just the token's text",
    why="What counts is the cost of writing the token's own text in other tokens.",
    pitfall="removal",
)
def removal_in_the_word(self, words):
    """Without the token the word has another best path, and the difference between the two is the loss."""
    losses = {}
    for token in self.scores:
        if token == self.unk_token or len(token) == 1:
            continue
        losses[token] = 0.0
        for word, frequency in words.items():
            loss = self.segmentation_loss(self.best_path(word))
            losses[token] += frequency * (self.segmentation_loss(self.best_path(word, without=token)) - loss)
    return losses


@mistake(
    "single characters are in the result",
    why="They are never removed: only tokens of several characters.",
    pitfall="removal",
    change={" and len(token) > 1": ""},
)
def removal_of_characters_too():
    """Every token can be removed."""


@mistake(
    "a token counts once for each word",
    why="A token that occurs twice in a path is used twice.",
    pitfall="removal",
    change={"self.best_path(word)": "set(self.best_path(word))"},
)
def removal_once_a_word():
    """I ask which words use the token."""


@mistake(
    "tokens reach from one word into the next",
    why="Find the best path of each word by itself, and count its tokens as often as the word occurs.",
    pitfall="removal",
    change={"self.best_path(word)": "self.best_path(word * frequency)", "+ frequency": "+ 1"},
)
def removal_across_words():
    """I repeat a word as often as it occurs, and take the best path of all of it."""


@mistake(
    "the loss of the token itself is not subtracted",
    why="Only the difference is lost: subtract the cost of the token itself.",
    pitfall="removal",
    change={DIFFERENCE: "instead"},
)
def removal_own_loss_missing():
    """Without the token its text costs the loss of the other path."""


@mistake(
    "the loss of the token itself is added",
    why="A score is negative, and the loss is -score: subtract self.segmentation_loss([token]), or add the score.",
    pitfall="removal",
    change={DIFFERENCE: "(instead + self.segmentation_loss([token]))"},
)
def removal_subtracts_the_score():
    """The score of the token is what it cost, so I subtract it."""


@mistake(
    "the text is spelled in single characters",
    why="Other tokens may fit: take the best path without the token.",
    pitfall="removal",
    change={INSTEAD: "[one if one in self.scores else self.unk_token for one in token]"},
)
def removal_spells_it_out():
    """Without the token its text is spelled in characters."""


@mistake(
    "tokens that are not used are left out",
    why="Their removal loss is 0, so they are removed first.",
    pitfall="removal",
    change={"for token in self.scores:": "for token in [token for token in self.scores if token in counts]:"},
)
def removal_used_tokens_only():
    """Tokens that are not used are not missed."""


@mistake(
    "the token is replaced by itself",
    why="The best path of its own text must not use the token: best_path(token, without=token).",
    pitfall="without",
    has="nowhere: self.best_path(X, Y) or self.best_path(X, without=Y)",
    change={", without=token": ""},
)
def removal_with_the_token():
    """I take the best path of the token's text."""


@mistake(
    "the unknown token is in the result",
    why="Its name has several characters, but it stands for no text and is never removed.",
    pitfall="removal",
    change={"token != self.unk_token and ": ""},
)
def removal_of_unknown():
    """I take the tokens with more than one character."""


@mistake(
    "the difference has the wrong sign",
    why="Without the token the loss is higher: subtract the loss with it from the loss without it.",
    pitfall="removal",
    change={"counts.get(token, 0) * ": "-counts.get(token, 0) * "},
)
def removal_turned_round():
    """The loss is the cost now minus the cost afterward."""


@mistake(
    "the name of the unknown token is hard-coded",
    why="Its name is in self.unk_token.",
    pitfall="removal",
    change={"token != self.unk_token": 'token != "<unk>"'},
)
def removal_fixed_unknown():
    """The unknown token is <unk>."""
