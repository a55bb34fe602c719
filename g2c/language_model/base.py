"""The given part of NGramModel: its state, its training, and the contexts of a text.

    artifact --from_artifact--> token IDs --count--> counts --probability--> the next token

The six methods that count, smooth, measure, draw and heal are the exercise, in ngram.py. Nothing here needs to change.
"""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Self

from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.tokenizer import load_artifact
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.checks import check_number

Context = tuple[int, ...]
"""The token IDs before a token."""

Counts = dict[Context, dict[int, int]]
"""Context -> the ID of each token that follows it -> how often it does."""

NO_END_ID = -1
"""The `end_id` of a vocabulary without a token that ends a document. No token has this ID."""

COUNTED_IDS = 2_000_000
"""The highest number of token IDs that `from_artifact` counts."""


class NGramBase:
    """An n-gram model without the methods that students write. See `NGramModel`.

    Args:
        n: the length of an n-gram: a token is predicted from the n - 1 tokens before it.
        vocab_size: the model chooses among the token IDs from 0 to vocab_size - 1.
        end_id: the ID of the token that ends a document, `<|endoftext|>`.
        discount: the number from 0 to 1 that is subtracted from each count.

    Raises TypeError or ValueError if an argument is not a number, or is out of its range.
    """

    if TYPE_CHECKING:
        # The methods of the exercise that this class calls.
        def count(self, ids: Sequence[int]) -> Counts: ...
        def count_continuations(self, counts: Counts) -> Counts: ...
        def probability(self, token_id: int, context: Context) -> float: ...

    def __init__(self, n: int = 3, vocab_size: int = 256, *, end_id: int = NO_END_ID, discount: float = 0.75) -> None:
        self.n = check_number("n", n, at_least=1)
        self.vocab_size = check_number("vocab_size", vocab_size, at_least=1)
        if not 0 <= discount <= 1:
            raise ValueError(f"discount is {discount}, but it must be a number from 0 to 1.")
        self.end_id = end_id
        self.discount = discount
        self.start: Context = (end_id,) * (n - 1)
        self.counts: Counts = {}
        self.totals: dict[Context, int] = {}

    @classmethod
    def for_tokenizer(cls, tokenizer: BPEBase, n: int, *, discount: float = 0.75) -> Self:
        """Make an untrained model for a tokenizer, whose `<|endoftext|>` ends a document.

        >>> NGramModel.for_tokenizer(BPETokenizer.with_course_special_tokens(), 3).start
        (256, 256)
        """
        end_id = tokenizer.special_to_id.get(DOCUMENT_SEPARATOR, NO_END_ID)
        # Published tokenizers have gaps between their IDs; to the model, these are tokens that never occur.
        return cls(n, max(tokenizer.vocab) + 1, end_id=end_id, discount=discount)

    @classmethod
    def from_artifact(cls, name_or_folder: str | PathLike[str], n: int) -> tuple[Self, BPEBase]:
        """Train a model on an artifact's token IDs, and return it with the artifact's tokenizer.

        It counts at most the first `COUNTED_IDS` token IDs; each takes about a kilobyte of memory. Raises CourseError
        if there is no such artifact, or if it is damaged.
        """
        artifact = load_artifact(name_or_folder, mmap=True)
        model = cls.for_tokenizer(artifact.tokenizer, n)
        model.train(artifact.ids[:COUNTED_IDS].tolist())
        return model, artifact.tokenizer

    def train(self, ids: Sequence[int]) -> None:
        """Learn from a corpus. Earlier training is discarded.

        `count` counts the tokens after contexts of n - 1 tokens. From these counts, `count_continuations` makes those
        for contexts of n - 2 tokens, and so on, down to the empty context.

        >>> model = NGramModel(2, vocab_size=3)
        >>> model.train([0, 1, 0, 2])
        >>> model.counts
        {(-1,): {0: 1}, (0,): {1: 1, 2: 1}, (1,): {0: 1}, (): {0: 2, 1: 1, 2: 1}}
        >>> model.totals
        {(-1,): 1, (0,): 2, (1,): 1, (): 4}
        """
        counts = self.count(ids)
        self.counts = dict(counts)
        for _ in range(self.n - 1):
            counts = self.count_continuations(counts)
            self.counts.update(counts)
        self.totals = {context: sum(following.values()) for context, following in self.counts.items()}

    def context_of(self, ids: Sequence[int]) -> Context:
        """Return the context of the token after `ids`: the last n - 1 tokens of its document.

        If the document has fewer, end tokens come before them.

        >>> model = NGramModel(4, vocab_size=10, end_id=9)
        >>> model.context_of([1, 2, 3, 4]), model.context_of([1, 2, 9, 3])
        ((2, 3, 4), (9, 9, 3))
        """
        recent = tuple(ids[max(0, len(ids) - len(self.start)) :])
        if self.end_id in recent:
            recent = recent[len(recent) - recent[::-1].index(self.end_id) :]
        return (self.start + recent)[len(recent) :]

    def token_probabilities(self, ids: Sequence[int]) -> Iterator[float]:
        """Yield the probability of each token of a text, given those before it."""
        for position, token_id in enumerate(ids):
            yield self.probability(token_id, self.context_of(ids[max(0, position - self.n + 1) : position]))

    def distribution(self, context: Context) -> list[float]:
        """Return the probability of every token after a context, in the order of the token IDs."""
        return [self.probability(token_id, context) for token_id in range(self.vocab_size)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={self.n}, vocab_size={self.vocab_size}, contexts={len(self.counts)})"
