"""Module 04g: Unigram, the tokenizer of T5 and ALBERT. You complete this file.

Every token has a score, the logarithm of its probability. A text has many segmentations, and together they form a
lattice: positions between the characters, and an edge for each token that fits between two of them.

    0 --h-- 1 --u-- 2 --g-- 3 --s-- 4        h -3   u -3   g -3   s -2
    0 -----hu------ 2                        hu -4
            1 -----ug------ 3                ug -2
    0 ---------hug--------- 3                hug -4

    hug + s         -4 - 2     = -6          the best path
    h + ug + s      -3 - 2 - 2 = -7
    hu + g + s      -4 - 3 - 2 = -9
    h + u + g + s              = -11

Training starts with many tokens and estimates their probabilities from how often all segmentations use them. It then
removes the tokens that matter least, until the vocabulary has the requested size.

Fill in the six TODOs from top to bottom; the tests follow the same order:

    pytest tests/test_unigram.py
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from numbers import Real
from random import Random
from typing import NamedTuple

from g2c.tokenizer.base import warn_vocabulary_not_reached
from g2c.tokenizer.checks import check_number, check_text, check_tokens
from g2c.tokenizer.vocabulary import Vocabulary, word_counts

SPACE = "\u2581"
"""Stands for a space at the beginning of a word, as in SentencePiece."""

UNKNOWN_PENALTY = 10.0
"""An unknown character's score is this far below the lowest score in the vocabulary, as in SentencePiece."""

MIN_COUNT = 0.5
"""`em_step` drops a token of several characters if its expected count is lower."""

SEED_FACTOR = 8
"""`train` starts from a vocabulary of up to this many times the requested size."""

MAX_LENGTH = 8
"""`train` learns tokens of up to this many characters."""

SHRINK = 0.75
"""`train` keeps this share of the vocabulary each time it removes tokens."""


class Edge(NamedTuple):
    """A token at one position in a text: it covers the characters from `start` up to, but not including, `end`."""

    start: int
    end: int
    token: str
    score: float


class UnigramTokenizer(Vocabulary):
    """The unigram language model as a tokenizer (Kudo 2018).

    The state; the constructor takes the first two:

        scores       dict[str, float]    token -> natural logarithm of its probability, rounded to 12 decimals, in the
                                         order of the IDs; the score of `unk_token` is not used
        unk_token    str                 the token for a character that no token covers
        unk_score    float               the score of an unknown character: 10 below the lowest score of a token

    Raises TypeError if a token is not a string or a score not a number, and ValueError if the vocabulary lacks
    `unk_token`, a score is not finite, or a token is empty or contains a lone surrogate.
    """

    def __init__(self, scores: Mapping[str, float] | None = None, *, unk_token: str = "<unk>") -> None:
        self.unk_token = unk_token
        self.scores = {unk_token: 0.0} if scores is None else scores

    @property
    def scores(self) -> dict[str, float]:
        """Token -> score. Assigning another dictionary replaces the vocabulary.

        Scores are rounded to 12 decimals. A program that reads more digits from a file may get a slightly different
        number, and then choose differently between two paths with the same loss.
        """
        return self._scores

    @scores.setter
    def scores(self, scores: Mapping[str, float]) -> None:
        _check_scores(scores, self.unk_token)
        self._scores = {token: round(float(score), 12) for token, score in scores.items()}
        known = [score for token, score in self._scores.items() if token != self.unk_token]
        self.unk_score = min(known, default=0.0) - UNKNOWN_PENALTY
        self._longest = max(map(len, self._scores))
        self._set_tokens(self._scores)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(vocab_size={self.vocab_size})"

    # --- what you write -----------------------------------------------------------------------------------------------

    def segmentation_loss(self, tokens: Iterable[str]) -> float:
        """Compute the loss of a segmentation: the negative logarithm of its probability.

        1. A segmentation's probability is the product of its tokens' probabilities, so its logarithm is the sum of
           their scores. The loss is the negative of that sum.
        2. The score of `self.unk_token` is `self.unk_score`.
        3. If any other token is not in `self.scores`, raise a ValueError that names it.

        Returns the loss, which is 0.0 for no tokens.

        >>> tokenizer = UnigramTokenizer({"<unk>": 0, "hug": -4, "s": -2})
        >>> tokenizer.segmentation_loss(["hug", "s"])
        6.0
        >>> tokenizer.segmentation_loss(["hug", "<unk>"])
        18.0

        The trap: `scores` has an entry for the unknown token, too, but its score is not used. An unknown character's
        score is `unk_score`, here -4 - 10.
        """
        raise NotImplementedError("TODO: segmentation_loss")

    def best_path(self, text: str, without: str | None = None) -> list[str]:
        """Find the segmentation with the lowest loss (Viterbi 1967).

        The given `self.lattice(text, without)` lists the edges: every token at every position where it fits.

        Args:
            text: any str.
            without: a token that may not be used, or None.

        Returns the tokens from left to right. Of several paths to a position with the same score, the one whose last
        edge was seen earlier wins: the one with the longest last token.

        >>> tokenizer = UnigramTokenizer({"<unk>": 0, "h": -3, "u": -3, "g": -3, "ug": -2, "hug": -4})
        >>> tokenizer.best_path("hug"), tokenizer.best_path("hug", without="hug")
        (['hug'], ['h', 'ug'])

        Read: docs/04g-unigram.md#the-best-path
        """
        raise NotImplementedError("TODO: best_path")

    def expected_counts(self, text: str) -> dict[str, float]:
        """Count how often each token is used in all segmentations of a text, weighted by their probability.

        A long text's probability is so small that it becomes 0 as a float, so stay in logarithms; the given
        `log_sum_exp` adds probabilities that are given as logarithms.

        Returns a dictionary, token -> expected count, in the order in which the tokens appear in `self.lattice(text)`.

        >>> from math import log
        >>> tokenizer = UnigramTokenizer({"<unk>": 0, "a": log(1 / 2), "aa": log(1 / 4)})
        >>> {token: round(count, 6) for token, count in tokenizer.expected_counts("aa").items()}
        {'a': 1.0, 'aa': 0.5}
        >>> {token: round(count, 6) for token, count in tokenizer.expected_counts("aaa").items()}
        {'a': 1.666667, 'aa': 0.666667}

        Read: docs/04g-unigram.md#expected-counts
        """
        raise NotImplementedError("TODO: expected_counts")

    def em_step(self, words: Mapping[str, int]) -> dict[str, float]:
        """Compute new scores from the expected counts of all words: one step of expectation maximization.

        A multi-character token is dropped if its count in all words is below MIN_COUNT. A single character always
        stays, and its count becomes at least MIN_COUNT. A token's new probability is its share of the counts that stay.

        `words` is a dictionary, word -> frequency.

        Returns a dictionary, token -> new score, in the order of `self.scores`; the unknown token keeps its score. The
        tokenizer itself does not change.

        >>> from math import log
        >>> tokenizer = UnigramTokenizer({"<unk>": 0, "a": log(1 / 2), "aa": log(1 / 4)})
        >>> {token: round(score, 3) for token, score in tokenizer.em_step({"aa": 6, "a": 1}).items()}
        {'<unk>': 0.0, 'a': -0.357, 'aa': -1.204}
        >>> tokenizer.em_step({"a": 1})
        {'<unk>': 0.0, 'a': 0.0}

        Read: docs/04g-unigram.md#learning-the-scores
        """
        raise NotImplementedError("TODO: em_step")

    def removal_losses(self, words: Mapping[str, int]) -> dict[str, float]:
        """Compute how much the loss of the words would rise if a token were removed, for each token.

        The estimate for a token is a product: how often the best paths of all words use it, times how much more its own
        text costs without it.

        `words` is a dictionary, word -> frequency.

        Returns a dictionary, token -> removal loss, for the tokens of several characters, in the order of
        `self.scores`. It contains neither single characters nor the unknown token, which `train` never removes.

        >>> tokenizer = UnigramTokenizer({"<unk>": 0, "h": -3, "u": -3, "g": -3, "ug": -2, "hug": -4})
        >>> tokenizer.removal_losses({"hug": 5, "ug": 2})
        {'ug': 8.0, 'hug': 5.0}
        >>> tokenizer.removal_losses({"hug": 5})
        {'ug': 0.0, 'hug': 5.0}

        Read: docs/04g-unigram.md#removing-tokens
        """
        raise NotImplementedError("TODO: removal_losses")

    def sample_path(self, text: str, seed: int, alpha: float = 1.0) -> list[str]:
        """Draw a random segmentation, each with the probability that the model gives it.

        One `Random(seed)` draws the tokens from the last to the first, each with one call of `choices` from the edges
        that end where the next token starts, in lattice order.

        Args:
            text: any str.
            seed: the same seed gives the same segmentation.
            alpha: multiplies each score. 1.0 draws each segmentation with its probability, and 0.0 all with equal
                probability. The higher it is, the more often the best one is drawn.

        Returns the tokens from left to right.

        >>> tokenizer = UnigramTokenizer({"<unk>": 0, "h": -3, "u": -3, "g": -3, "ug": -2, "hug": -4})
        >>> [" ".join(tokenizer.sample_path("hug", seed)) for seed in range(4)]
        ['h ug', 'hug', 'h ug', 'hug']
        >>> [" ".join(tokenizer.sample_path("hug", seed, alpha=0.0)) for seed in range(4)]
        ['h u g', 'hug', 'h u g', 'hug']

        Read: docs/04g-unigram.md#sampling
        """
        raise NotImplementedError("TODO: sample_path")

    # --- given --------------------------------------------------------------------------------------------------------

    def lattice(self, text: str, without: str | None = None) -> list[Edge]:
        """List every token at every position where it fits, sorted by start and then by end, except `without`.

        A character that is not a token by itself has an edge with the unknown token, so a path always exists. Raises
        TypeError if `text` is not a str, and ValueError if it contains a lone surrogate.

        >>> for edge in UnigramTokenizer({"<unk>": 0, "a": -1, "ab": -2}).lattice("ab"):
        ...     print(*edge)
        0 1 a -1.0
        0 2 ab -2.0
        1 2 <unk> -12.0
        """
        check_text(text)
        edges = []
        for start in range(len(text)):
            if text[start] not in self.scores or text[start] in (self.unk_token, without):
                edges.append(Edge(start, start + 1, self.unk_token, self.unk_score))
            for end in range(start + 1, min(len(text), start + self._longest) + 1):
                token = text[start:end]
                if token in self.scores and token not in (self.unk_token, without):
                    edges.append(Edge(start, end, token, self.scores[token]))
        return edges

    def train(self, text_or_counts: str | Mapping[str, int], vocab_size: int, *, min_frequency: int = 1) -> list[int]:
        """Learn a vocabulary with its scores. Earlier training is discarded.

        The seed vocabulary contains all characters and, of the substrings that occur at least twice, those with the
        highest product of count and length: at most SEED_FACTOR times `vocab_size` tokens. Then your `em_step` runs
        twice, and a quarter of the vocabulary is removed: the tokens with the lowest `removal_losses` or, in a tie, the
        later ones. This is repeated until `vocab_size` is reached. If the seed has fewer tokens, a
        `VocabularyNotReached` warning says so.

        Args:
            text_or_counts: a text, which is split into words as in `encode`, or a dictionary word -> frequency.
            vocab_size: the number of tokens after training, including the unknown token.
            min_frequency: ignore words that occur less often.

        Returns the size of the seed vocabulary, and of the vocabulary after each removal. Raises TypeError or
        ValueError if an argument is not valid, or if `removal_losses` returns no token that could be removed.
        """
        check_number("min_frequency", min_frequency, at_least=1)
        counts = word_counts(text_or_counts, self._words)
        words = {word: count for word, count in counts.items() if count >= min_frequency}
        characters = {character for word in words for character in word}
        check_number("vocab_size", vocab_size, at_least=1 + len(characters))
        self.scores = _seed({self.unk_token: 0.0}, words, SEED_FACTOR * vocab_size)
        sizes = [self.vocab_size]
        while self.vocab_size > vocab_size:
            for _ in range(2):
                scores = self.em_step(words)
                if len(scores) < vocab_size:
                    break
                self.scores = scores
            losses = self.removal_losses(words)
            removed = min(self.vocab_size - vocab_size, math.ceil((1 - SHRINK) * self.vocab_size), len(losses))
            kept = sorted(losses, key=lambda token: -losses[token])[: len(losses) - removed]
            self._keep({*kept, *(token for token in self.scores if token not in losses)})
            if self.vocab_size == sizes[-1]:
                raise ValueError(
                    f"Training cannot continue: removal_losses returned no token of the vocabulary, which has "
                    f"{self.vocab_size} tokens, not {vocab_size}. It needs a loss for each token of several characters."
                )
            sizes.append(self.vocab_size)
        if self.vocab_size < vocab_size:
            warn_vocabulary_not_reached(self.vocab_size, vocab_size)
        return sizes

    def _keep(self, tokens: set[str]) -> None:
        """Remove all other tokens, and scale the probabilities of the rest to a sum of 1."""
        kept = {token: score for token, score in self.scores.items() if token in tokens}
        total = log_sum_exp(score for token, score in kept.items() if token != self.unk_token)
        self.scores = {token: score - (total if token != self.unk_token else 0) for token, score in kept.items()}

    def encode(self, text: str, seed: int | None = None, alpha: float = 1.0) -> list[int]:
        """Turn text into IDs, with your `best_path`, or with your `sample_path` if a seed is given.

        Neighboring unknown characters in a word become one unknown token, as in the libraries. Raises TypeError if
        `text` is not a str, and ValueError if it contains a lone surrogate.
        """
        ids: list[int] = []
        rng = Random(seed)
        for word in self._words(text):
            before = None
            # With one seed for all words, a word that occurs twice would be split in the same way both times.
            for token in self.best_path(word) if seed is None else self.sample_path(word, rng.getrandbits(32), alpha):
                if not token == before == self.unk_token:
                    ids.append(self.token_to_id[token])
                before = token
        return ids

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """Turn IDs back into text. `skip_special_tokens` leaves out the unknown token.

        Raises ValueError if an ID is not in the vocabulary, and names it.

        >>> UnigramTokenizer({"<unk>": 0, "▁a": -1, "b": -2}).decode([1, 2, 1, 0])
        'ab a<unk>'
        """
        tokens = [token for token in self._tokens(ids) if not (skip_special_tokens and token == self.unk_token)]
        # As in the libraries, every "▁" is removed from the first token, not only the one at its beginning.
        return "".join(tokens[:1]).replace(SPACE, "") + "".join(tokens[1:]).replace(SPACE, " ")

    def _words(self, text: str) -> list[str]:
        """Split a text before each space, and write spaces as "▁". The first word begins with "▁", too.

        >>> UnigramTokenizer()._words("to be,  or")
        ['▁to', '▁be,', '▁', '▁or']
        """
        check_text(text)
        if not text:
            return []
        text = text.replace(" ", SPACE)
        first, *rest = text.removeprefix(SPACE).split(SPACE)
        return [SPACE + word for word in (first, *rest)]


def log_sum_exp(values: Iterable[float]) -> float:
    """Add probabilities that are given as logarithms, and return the logarithm of the sum; -inf for none.

    >>> round(math.exp(log_sum_exp([math.log(0.2), math.log(0.3)])), 6)
    0.5
    >>> log_sum_exp([-2000.0, -2000.0]) > -2000
    True
    """
    values = list(values)
    highest = max(values, default=-math.inf)
    if highest == -math.inf:
        return highest
    return highest + math.log(math.fsum(math.exp(value - highest) for value in values))


def _seed(special: dict[str, float], words: Mapping[str, int], size: int) -> dict[str, float]:
    """Return the vocabulary that training starts from: token -> score."""
    characters: Counter[str] = Counter()
    substrings: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            characters[word[start]] += count
            for end in range(start + 2, min(len(word), start + MAX_LENGTH) + 1):
                substrings[word[start:end]] += count
    ranked = sorted(substrings, key=lambda token: (-substrings[token] * len(token), token))
    chosen = [token for token in ranked if substrings[token] >= 2][: max(0, size - len(characters) - len(special))]
    counts = {token: characters[token] for token in sorted(characters)} | {token: substrings[token] for token in chosen}
    total = sum(counts.values())
    return special | {token: math.log(count / total) for token, count in counts.items() if token not in special}


def _check_scores(scores: Mapping[str, float], unk_token: str) -> None:
    if unk_token not in scores:
        raise ValueError(
            f"The vocabulary has no unknown token {unk_token!r}. Add it, or name another token as unk_token."
        )
    check_tokens(scores)
    for token, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, Real):
            raise TypeError(f"The score of the token {token!r} must be a number, but it is {score!r}.")
        if not math.isfinite(score):
            raise ValueError(f"The score of the token {token!r} is {score}, but it must be finite.")
