"""Wrong solutions of UnigramTokenizer.removal_losses."""

from g2c.course.diagnosis.bank import mistake
from g2c.solutions.unigram import UnigramTokenizer as AnswerKey

# What most of them do right.


def counts_of(tokenizer, words):
    counts = {}
    for word, frequency in words.items():
        for token in tokenizer.best_path(word):
            counts[token] = counts.get(token, 0) + frequency
    return counts


def losses_of(tokenizer, counts):
    losses = {}
    for token in tokenizer.scores:
        if token != tokenizer.unk_token and len(token) > 1:
            instead = tokenizer.segmentation_loss(tokenizer.best_path(token, without=token))
            losses[token] = counts.get(token, 0) * (instead - tokenizer.segmentation_loss([token]))
    return losses


@mistake(
    "only the count decides",
    why="Multiply the count by what it costs to write the token's text without it.",
    pitfall="removal",
)
def removal_counts_only(self, words):
    """What is used least is missed least."""
    counts = counts_of(self, words)
    losses = {}
    for token in self.scores:
        if token != self.unk_token and len(token) > 1:
            losses[token] = float(counts.get(token, 0))
    return losses


@mistake("the count is left out", why="Multiply the difference by how often the token is used.", pitfall="removal")
def removal_differences_only(self, words):
    """What is easy to replace is missed least."""
    losses = {}
    for token in self.scores:
        if token != self.unk_token and len(token) > 1:
            instead = self.segmentation_loss(self.best_path(token, without=token))
            losses[token] = instead - self.segmentation_loss([token])
    return losses


@mistake("expected counts are used and not best paths", why="Count in the best paths of the words.", pitfall="removal")
def removal_expected_counts(self, words):
    """How often a token is used, say the expected counts."""
    counts = {}
    for word, frequency in words.items():
        for token, count in self.expected_counts(word).items():
            counts[token] = counts.get(token, 0) + count * frequency
    return losses_of(self, counts)


@mistake("the frequency of the words is ignored", why="A token is used as often as its word occurs.", pitfall="removal")
def removal_ignores_frequency(self, words):
    """Each word is split once."""
    counts = {}
    for word in words:
        for token in self.best_path(word):
            counts[token] = counts.get(token, 0) + 1
    return losses_of(self, counts)


@mistake(
    "the words are split anew, not the token",
    why="Step 2 asks what it costs to write the text of the token itself in other tokens.",
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
)
def removal_of_characters_too(self, words):
    """Every token can be removed."""
    counts = counts_of(self, words)
    losses = {}
    for token in self.scores:
        if token != self.unk_token:
            instead = self.segmentation_loss(self.best_path(token, without=token))
            losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
    return losses


@mistake(
    "a token counts once for each word", why="A token that occurs twice in a path is used twice.", pitfall="removal"
)
def removal_once_a_word(self, words):
    """Which words use the token?"""
    counts = {}
    for word, frequency in words.items():
        for token in set(self.best_path(word)):
            counts[token] = counts.get(token, 0) + frequency
    return losses_of(self, counts)


@mistake(
    "the loss of the token itself is not subtracted",
    why="Only the difference is lost: subtract what the token costs now.",
    pitfall="removal",
)
def removal_own_loss_missing(self, words):
    """Without the token its text costs the loss of the other path."""
    counts = counts_of(self, words)
    losses = {}
    for token in self.scores:
        if token != self.unk_token and len(token) > 1:
            instead = self.segmentation_loss(self.best_path(token, without=token))
            losses[token] = counts.get(token, 0) * instead
    return losses


@mistake(
    "the text is spelled in single characters",
    why="Other tokens may fit: take the best path without the token.",
    pitfall="removal",
)
def removal_spells_it_out(self, words):
    """Without the token its text is spelled in characters."""
    counts = counts_of(self, words)
    losses = {}
    for token in self.scores:
        if token != self.unk_token and len(token) > 1:
            instead = self.segmentation_loss([c if c in self.scores else self.unk_token for c in token])
            losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
    return losses


@mistake(
    "tokens that are not used are left out",
    why="They have the removal loss 0: exactly these are removed first.",
    pitfall="removal",
)
def removal_used_tokens_only(self, words):
    """Tokens that are not used are not missed."""
    counts = counts_of(self, words)
    losses = {}
    for token in self.scores:
        if token in counts and token != self.unk_token and len(token) > 1:
            instead = self.segmentation_loss(self.best_path(token, without=token))
            losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
    return losses


@mistake(
    "the token is replaced by itself", why="The best path must not use the token: without=token.", pitfall="without"
)
def removal_with_the_token(self, words):
    """The best path of the token's text."""
    counts = counts_of(self, words)
    losses = {}
    for token in self.scores:
        if token != self.unk_token and len(token) > 1:
            instead = self.segmentation_loss(self.best_path(token))
            losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
    return losses


@mistake(
    "the unknown token is in the result",
    why="Its name has several characters, but it stands for no text and is never removed.",
    pitfall="removal",
)
def removal_of_unknown(self, words):
    """Tokens with more than one character."""
    counts = counts_of(self, words)
    losses = {}
    for token in self.scores:
        if len(token) > 1:
            other = self.segmentation_loss(self.best_path(token, token))
            losses[token] = counts.get(token, 0) * (other - self.segmentation_loss([token]))
    return losses


@mistake(
    "the difference has the wrong sign",
    why="Without the token the loss is higher: subtract the loss with it from the loss without it.",
    pitfall="removal",
)
def removal_turned_round(self, words):
    """What it costs now minus what it costs then."""
    return {token: -loss for token, loss in AnswerKey.removal_losses(self, words).items()}
