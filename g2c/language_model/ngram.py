"""Module 05: an n-gram language model on your own token IDs. You complete this file.

A language model says how probable each token is to come next. This one looks at the last n - 1 tokens, the context, and
knows from the corpus which tokens followed that context, and how often. With n = 3:

    the corpus        to be or not to be that is
    be or      ->     not: 1
    to be      ->     or: 1, that: 1
    is that    ->     never seen: fall back on what followed "that" alone

Fill in the six TODOs from top to bottom; the tests follow the same order:

    pytest tests/test_ngram.py
"""

import math  # noqa: F401 (for your bits_per_byte)
from collections.abc import Mapping, Sequence
from random import Random  # noqa: F401 (for your sample and heal)

from g2c.language_model.base import Context, Counts, NGramBase


class NGramModel(NGramBase):
    """Interpolated Kneser-Ney smoothing (Kneser and Ney 1995; Chen and Goodman 1999).

    The state, set up by the inherited constructor:

        n           int                   a token is predicted from the n - 1 tokens before it, its context
        vocab_size  int                   the token IDs are 0 ... vocab_size - 1
        end_id      int                   the ID of <|endoftext|>, which ends a document; -1 if the tokenizer has none
        start       tuple[int, ...]       the context of a document's first token: n - 1 times end_id
        discount    float                 subtracted from each count, to leave a share for tokens never seen
        counts      Counts                context -> next token -> count, for contexts of 0 to n - 1 tokens
        totals      dict[Context, int]    context -> the sum of its counts
    """

    def count(self, ids: Sequence[int]) -> Counts:
        """Count what follows each context of n - 1 tokens.

        1. Begin with an empty dictionary, and with the context `self.start`.
        2. For each token ID, from left to right: add 1 to its count after the current context.
        3. Then move the context on by one token: append the ID and drop the first one.
        4. But after `self.end_id`, a new document begins: the context is `self.start` again.

        `ids` is the corpus as token IDs, in which `self.end_id` ends each document.
        Returns a dictionary, context -> next token -> count. Every context is a tuple of n - 1 IDs.

        >>> NGramModel(2, vocab_size=5).count([1, 2, 1, 2, 3])
        {(-1,): {1: 1}, (1,): {2: 2}, (2,): {1: 1, 3: 1}}
        >>> NGramModel(3, vocab_size=5, end_id=4).count([1, 4, 2])
        {(4, 4): {1: 1, 2: 1}, (4, 1): {4: 1}}

        The trap: for n = 1, the context is empty and must stay empty. A slice such as [-(n - 1):] becomes [-0:], the
        whole tuple.
        """
        raise NotImplementedError("TODO: count")

    def count_continuations(self, counts: Counts) -> Counts:
        """Compute the counts for contexts one token shorter: how many longer contexts each token followed.

        The shorter context is the same without its first token. A longer context counts once, no matter how often the
        token followed it.

        `counts` is the result of `count` or of this method. Do not modify it.
        Returns a dictionary, shorter context -> next token -> the number of longer contexts that it followed.

        >>> model = NGramModel(3, vocab_size=9)
        >>> model.count_continuations({(1, 2): {3: 7}, (5, 2): {3: 2, 4: 1}})
        {(2,): {3: 2, 4: 1}}
        >>> model.count_continuations({(1,): {5: 1}, (2,): {5: 1, 6: 40}, (3,): {5: 1}})
        {(): {5: 3, 6: 1}}

        Token 6 is frequent, but only after 2; anywhere else, it is a bad guess. Token 5 followed three different
        tokens, so it may well follow a fourth.

        Read: docs/05-language-model.md#smoothing, idea 3
        """
        raise NotImplementedError("TODO: count_continuations")

    def probability(self, token_id: int, context: Context) -> float:
        """Compute how probable a token is after a context: interpolated Kneser-Ney smoothing.

        The counts are in `self.counts`, their sums in `self.totals`. If a context is not there, the token is as
        probable as after the next shorter context; without the empty context, its probability is 1 / vocab_size. If a
        context is there, so are the shorter ones that it ends with.

        Args:
            token_id: the next token, from 0 to vocab_size - 1.
            context: the n - 1 tokens before it.

        Returns the probability. For one context, the probabilities of all tokens add up to 1.

        >>> model = NGramModel(2, vocab_size=4, discount=0.5)
        >>> model.counts = {(): {1: 2, 2: 1, 3: 1}, (1,): {2: 1, 3: 1}}
        >>> model.totals = {(): 4, (1,): 2}
        >>> model.probability(2, (9,))
        0.21875
        >>> model.probability(2, (1,))
        0.359375

        (9,) was never seen, so the empty context decides: (1 - 0.5) / 4 for token 2 itself, plus 0.5 * 3 / 4 times
        the uniform 1 / 4. After (1,), it is (1 - 0.5) / 2, plus 0.5 * 2 / 2 times 0.21875.

        Read: docs/05-language-model.md#smoothing, ideas 1 and 2
        """
        raise NotImplementedError("TODO: probability")

    def bits_per_byte(self, ids: Sequence[int], num_bytes: int) -> float:
        """Measure how well the model predicts a text: how many bits it needs per byte.

        The given `self.token_probabilities(ids)` yields the probability of each token of the text, once.

        Args:
            ids: the text as token IDs.
            num_bytes: the length of the text in bytes, at least 1.

        Returns bits per byte; lower is better. A model of single bytes that has learned nothing needs 8. A text without
        tokens needs 0.0. If a token has the probability 0, the text is impossible, and the result is `math.inf`.

        >>> NGramModel(1, vocab_size=8).bits_per_byte([7, 0, 7, 3], num_bytes=6)
        2.0
        >>> NGramModel(1, vocab_size=256).bits_per_byte([104, 105], num_bytes=2)
        8.0

        Read: docs/05-language-model.md#how-good-is-it
        """
        raise NotImplementedError("TODO: bits_per_byte")

    def sample(
        self,
        ids: Sequence[int],
        length: int,
        seed: int,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        stop_id: int | None = None,
    ) -> list[int]:
        """Continue a text: draw its next tokens one by one.

        The given `self.distribution(self.context_of(text))` lists the probabilities of all tokens, in the order of
        their IDs, after a text of any length. A token's weight is its probability to the power 1 / temperature. Then
        `top_k` and, after it, `top_p` set weights to 0; of equal weights, those of the lowest IDs stay. A single
        generator, rng = Random(seed), draws all tokens: rng.choices(range(self.vocab_size), weights) returns a list
        with one ID.

        Args:
            ids: the text so far, which may be empty. Do not modify this list.
            length: the maximum number of tokens to draw.
            seed: the same seed gives the same tokens.
            temperature: above 0, and as low as 0.0001; low values favor probable tokens.
            top_k: at least 1; only the `top_k` highest weights stay. None keeps all.
            top_p: above 0 and up to 1; of the weights that `top_k` leaves, only the highest stay, until they reach this
                share of the sum. None keeps all.
            stop_id: the ID of a token that ends the text once it is drawn, such as `<|end|>`; None if no token does.

        Returns the new IDs alone, including `stop_id` if it was drawn.

        >>> model = NGramModel(2, vocab_size=3)
        >>> model.train([0, 1, 2] * 50)
        >>> model.sample([0, 1], 5, seed=1, top_k=1)
        [2, 0, 1, 2, 0]
        >>> model.sample([0, 1], 5, seed=1, top_p=0.9, stop_id=0)
        [2, 0]

        Read: docs/05-language-model.md#writing
        """
        raise NotImplementedError("TODO: sample")

    def heal(self, ids: Sequence[int], vocab: Mapping[int, bytes], seed: int) -> list[int]:
        """Heal a prompt that may end within a token: take back the tokens at its end, and draw one token for them.

        A token of `vocab` can replace the last tokens of a prompt if its bytes begin with theirs. Take back the most
        that a single token can replace, even if none can replace fewer. Random(seed).choices draws among all tokens
        that can replace them, in ascending order of the IDs; the weights are their probabilities after the tokens that
        stay.

        Args:
            ids: the prompt, which may be empty. Do not modify this list.
            vocab: ID -> bytes, in ascending order, without special tokens: these are never drawn. A special token in
                the prompt stays, and so does everything before it.
            seed: the same seed gives the same token.

        Returns the prompt as new IDs, whose bytes begin with the prompt's. They are the same if nothing is taken back.
        Raises ValueError if all tokens to draw from have the probability 0, which can happen without a discount.

        >>> vocab = {0: b":", 1: b"/", 2: b"http", 3: b"://", 4: b"s"}
        >>> model = NGramModel(2, vocab_size=5)
        >>> model.train([2, 3, 4] * 50)
        >>> model.heal([2, 0], vocab, seed=1)
        [2, 3]
        >>> model.heal([2, 0, 1], vocab, seed=1)
        [2, 3]

        Read: docs/05-language-model.md#token-healing
        """
        raise NotImplementedError("TODO: heal")
