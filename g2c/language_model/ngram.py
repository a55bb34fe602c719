"""Module 05: an n-gram language model on your own token IDs. You complete this file.

A language model says how probable each token is to come next. This one looks at the n - 1 tokens before it, the
context, and knows from the corpus which tokens followed that context, and how often. With n = 3:

    the corpus        to be or not to be that is
    be or      ->     not: 1
    to be      ->     or: 1, that: 1
    is that    ->     never seen: fall back on what followed "that" alone

Fill in the five TODOs from top to bottom; the tests follow the same order:

    pytest tests/test_ngram.py
"""

import math  # noqa: F401 (for your bits_per_byte)
from collections.abc import Sequence
from random import Random  # noqa: F401 (for your sample)

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
        """Make the counts for contexts that are one token shorter: how many different longer contexts a token followed.

        1. Begin with an empty dictionary.
        2. For each context in `counts`, the shorter context is the same without its first token.
        3. For each token that follows the context: add 1 to the token's count after the shorter context.

        `counts` is the result of `count` or of this method. Do not modify it.
        Returns a dictionary, shorter context -> next token -> the number of longer contexts that it followed.

        >>> NGramModel(2, vocab_size=9).count_continuations({(1,): {5: 1}, (2,): {5: 1, 6: 40}, (3,): {5: 1}})
        {(): {5: 3, 6: 1}}

        Token 6 is frequent, but only after 2; anywhere else, it is a bad guess. Token 5 followed three different
        tokens, so it may well follow a fourth.

        The trap: add 1 for each context, no matter how often the token followed it.
        """
        raise NotImplementedError("TODO: count_continuations")

    def probability(self, token_id: int, context: Context) -> float:
        """Compute how probable a token is after a context.

        1. Start with the probability that each token has if nothing is known: 1 / vocab_size.
        2. Go through the lengths 0, 1, ... n - 1, and take that many tokens from the end of the context. If these are
           not in `self.counts`, stop: longer ones are not there either.
        3. Otherwise, look up the tokens that followed them in `self.counts`, and the sum of the counts in
           `self.totals`.
        4. The token's own share is its count minus the discount, but at least 0, divided by the sum.
        5. The share that the discount took is the discount times the number of different tokens that followed, divided
           by the sum. It goes to all tokens, in proportion to their probability after the shorter context.
        6. The new probability is the token's own share, plus the share that the discount took times the probability so
           far.

        Args:
            token_id: the next token, from 0 to vocab_size - 1.
            context: the n - 1 tokens before it.

        Returns the probability. After the same context, those of all tokens add up to 1.

        >>> model = NGramModel(2, vocab_size=4, discount=0.5)
        >>> model.counts = {(): {1: 2, 2: 1, 3: 1}, (1,): {2: 1, 3: 1}}
        >>> model.totals = {(): 4, (1,): 2}
        >>> model.probability(2, (9,))
        0.21875
        >>> model.probability(2, (1,))
        0.359375

        (9,) was never seen, so the empty context decides: an own share of (1 - 0.5) / 4, plus 0.5 * 3 / 4 times the
        uniform 1 / 4. After (1,), the own share is (1 - 0.5) / 2, plus 0.5 * 2 / 2 times 0.21875.

        The trap: context[-length:] is the whole context if the length is 0. Count from the front instead:
        context[len(context) - length:].
        """
        raise NotImplementedError("TODO: probability")

    def bits_per_byte(self, ids: Sequence[int], num_bytes: int) -> float:
        """Measure how well the model predicts a text: how many bits it needs per byte.

        1. `self.token_probabilities(ids)`, which is given, yields the probability of each token of the text.
        2. A token of probability p costs -log2(p) bits; 1/8, for example, costs 3. Add up the bits.
        3. If a probability is 0, the text is impossible, and the result is `math.inf`.
        4. Divide the sum by the number of bytes.

        Args:
            ids: the text as token IDs.
            num_bytes: the length of the text in bytes, at least 1.

        Returns bits per byte; lower is better. A model of single bytes that has learned nothing needs 8.

        >>> model = NGramModel(1, vocab_size=8)
        >>> model.bits_per_byte([7, 0, 7, 3], num_bytes=6)
        2.0

        The trap: divide by bytes, not by tokens. Each tokenizer's tokens cover different amounts of text, so bits per
        token cannot be compared. A byte is always a byte.
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
        stop_id: int | None = None,
    ) -> list[int]:
        """Continue a text: draw its next tokens one by one.

        1. Create one random generator, rng = Random(seed), and an empty list for the new IDs. For each new token:
        2. `self.distribution(self.context_of(...))`, which is given, lists the probabilities of all tokens in the order
           of their IDs. Pass `context_of` the whole text so far: `ids` followed by the new IDs.
        3. Turn each probability into a weight: divide it by the highest one, and raise that to the power 1 /
           temperature. A low temperature favors probable tokens; a high one makes all tokens more equal.
        4. With `top_k`, keep only the `top_k` highest weights, and set all others to 0; of equal weights, keep those of
           the lowest IDs.
        5. Draw: rng.choices(range(self.vocab_size), weights) returns a list with one ID. Append it to the new IDs.
        6. Stop after `length` new tokens, or as soon as `stop_id` is drawn.

        Args:
            ids: the text so far, which may be empty. Do not modify this list.
            length: the highest number of tokens to draw.
            seed: the same seed gives the same tokens.
            temperature: above 0.
            top_k: at least 1; None keeps all tokens.
            stop_id: the ID of a token that ends the text, such as `<|end|>`; None if no token does.

        Returns the new IDs alone, including `stop_id` if it was drawn.

        >>> model = NGramModel(2, vocab_size=3)
        >>> model.train([0, 1, 2] * 50)
        >>> model.sample([0, 1], 5, seed=1, top_k=1)
        [2, 0, 1, 2, 0]
        >>> model.sample([0, 1], 5, seed=1, top_k=1, stop_id=0)
        [2, 0]

        The trap: a new generator with the same seed begins again. Create it once, before the loop.
        """
        raise NotImplementedError("TODO: sample")
