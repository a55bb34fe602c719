"""Answer key of module 05. What each method takes and returns is documented in g2c/language_model/ngram.py."""

import math
from random import Random

from g2c.language_model import ngram


class NGramModel(ngram.NGramModel):
    def count(self, ids):
        counts = {}
        context = self.start
        for token_id in ids:
            following = counts.setdefault(context, {})
            following[token_id] = following.get(token_id, 0) + 1
            # [1:] drops the first token; for n = 1 it drops the only one, and () stays ().
            context = self.start if token_id == self.end_id else (*context, token_id)[1:]
        return counts

    def count_continuations(self, counts):
        shorter = {}
        for context, following in counts.items():
            continued = shorter.setdefault(context[1:], {})
            for token_id in following:
                # 1 for each context, however often the token followed it.
                continued[token_id] = continued.get(token_id, 0) + 1
        return shorter

    def probability(self, token_id, context):
        probability = 1 / self.vocab_size
        for length in range(self.n):
            # From the front: [-length:] is everything when the length is 0.
            known = context[len(context) - length :]
            if known not in self.counts:
                break
            following, total = self.counts[known], self.totals[known]
            own = max(following.get(token_id, 0) - self.discount, 0) / total
            probability = own + self.discount * len(following) / total * probability
        return probability

    def bits_per_byte(self, ids, num_bytes):
        bits = 0.0
        for probability in self.token_probabilities(ids):
            if probability == 0:
                return math.inf
            bits -= math.log2(probability)
        # A token is a different amount of text for each tokenizer; a byte is not.
        return bits / num_bytes

    def sample(self, ids, length, seed, *, temperature=1.0, top_k=None, top_p=None, stop_id=None):
        # One generator for all tokens: another one with the same seed would begin again.
        rng = Random(seed)
        new = []
        while len(new) < length and (not new or new[-1] != stop_id):
            probabilities = self.distribution(self.context_of([*ids, *new]))
            highest = max(probabilities)
            weights = [(probability / highest) ** (1 / temperature) for probability in probabilities]
            if top_k is not None:
                kept = set(sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True)[:top_k])
                weights = [weight if token_id in kept else 0 for token_id, weight in enumerate(weights)]
            if top_p is not None:
                limit, reached = top_p * sum(weights), 0
                for token_id in sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True):
                    weight = weights[token_id]
                    # The token that reaches the limit still stays.
                    weights[token_id] = weight if reached < limit else 0
                    reached += weight
            new.extend(rng.choices(range(self.vocab_size), weights))
        return new

    def heal(self, ids, vocab, seed):
        end, kept, allowed = b"", list(ids), []
        for place in reversed(range(len(ids))):
            if ids[place] not in vocab:
                break
            end = vocab[ids[place]] + end
            found = [token_id for token_id, text in vocab.items() if text.startswith(end)]
            # Go on if there is none: a longer end may be the beginning of a token.
            if found:
                kept, allowed = list(ids[:place]), found
        if not allowed:
            return kept
        context = self.context_of(kept)
        weights = [self.probability(token_id, context) for token_id in allowed]
        return kept + Random(seed).choices(allowed, weights)
