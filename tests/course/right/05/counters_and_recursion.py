"""Counters of windows over a padded list, sets for the continuations, recursion from the longest context, and a list
that shrinks to top_k."""

import random
from collections import Counter, defaultdict
from functools import reduce
from math import inf, log2

from g2c.language_model import ngram


class NGramModel(ngram.NGramModel):
    def count(self, ids):
        counts = defaultdict(Counter)
        window = list(self.start)
        for token_id in ids:
            counts[tuple(window)][token_id] += 1
            window.append(token_id)
            window = list(self.start) if token_id == self.end_id else window[1:]
        return counts

    def count_continuations(self, counts):
        grams = {(context[0], context[1:], token_id) for context in counts for token_id in counts[context]}
        shorter = defaultdict(dict)
        for _, context, token_id in grams:
            shorter[context][token_id] = shorter[context].get(token_id, 0) + 1
        return dict(shorter)

    def probability(self, token_id, context):
        if context in self.counts:
            following = self.counts[context]
            discounted = max(0.0, following.get(token_id, 0.0) - self.discount)
            taken = self.discount * len(following)
        else:
            following, discounted, taken = {None: 1}, 0.0, 1.0
        lower = self.probability(token_id, context[1:]) if context else 1 / self.vocab_size
        return (discounted + taken * lower) / sum(following.values())

    def bits_per_byte(self, ids, num_bytes):
        probabilities = list(self.token_probabilities(ids))
        if min(probabilities, default=1) <= 0:
            return inf
        return reduce(lambda bits, one: bits + log2(1 / one), probabilities, 0.0) / num_bytes

    def sample(self, ids, length, seed, *, temperature=1.0, top_k=None, stop_id=None):
        rng, text = random.Random(seed), list(ids)
        for _ in range(length):
            chances = self.distribution(self.context_of(text))
            tokens = sorted(range(len(chances)), key=lambda token_id: (-chances[token_id], token_id))
            tokens = sorted(tokens if top_k is None else tokens[:top_k])
            most = max(chances[token_id] for token_id in tokens)
            weights = [(chances[token_id] / most) ** (1 / temperature) for token_id in tokens]
            text += rng.choices(tokens, [weight / sum(weights) for weight in weights])
            if text[-1] == stop_id:
                break
        return text[len(ids) :]
