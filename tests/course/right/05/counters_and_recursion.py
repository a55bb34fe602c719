"""Counters of windows over a padded list, sets for the continuations, recursion from the longest context, a list that
shrinks to top_k and top_p, and prompts healed from the front."""

import random
from bisect import bisect_left
from collections import Counter, defaultdict
from functools import reduce
from itertools import accumulate
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

    def sample(self, ids, length, seed, *, temperature=1.0, top_k=None, top_p=None, stop_id=None):
        rng, text = random.Random(seed), list(ids)
        for _ in range(length):
            chances = self.distribution(self.context_of(text))
            tokens = sorted(range(len(chances)), key=lambda token_id: (-chances[token_id], token_id))
            tokens = tokens[: top_k or len(tokens)]
            powers = [(chances[token_id] / chances[tokens[0]]) ** (1 / temperature) for token_id in tokens]
            shares = list(accumulate(power / sum(powers) for power in powers))
            fewest = len(shares) if top_p is None else bisect_left(shares, top_p) + 1
            tokens, powers = zip(*sorted(zip(tokens[:fewest], powers)))
            weights = list(powers)
            text += rng.choices(tokens, [weight / sum(weights) for weight in weights])
            if text[-1] == stop_id:
                break
        return text[len(ids) :]

    def heal(self, ids, vocab, seed):
        first = max((place + 1 for place, token_id in enumerate(ids) if token_id not in vocab), default=0)
        for place in range(first, len(ids)):
            spelled = b"".join(map(vocab.get, ids[place:]))
            possible = [token_id for token_id in sorted(vocab) if vocab[token_id][: len(spelled)] == spelled]
            if possible:
                chances = self.distribution(self.context_of(ids[:place]))
                drawn = random.Random(seed).choices(possible, weights=[chances[token_id] for token_id in possible])
                return [*ids[:place], *drawn]
        return list(ids)
