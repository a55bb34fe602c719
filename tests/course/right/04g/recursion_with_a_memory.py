"""Functions of a position that call each other for the positions before, with functools.cache as their memory."""

import math
from collections import defaultdict
from functools import cache
from random import Random

from g2c.tokenizer.unigram import MIN_COUNT, log_sum_exp
from g2c.tokenizer.unigram import UnigramTokenizer as Exercise


class UnigramTokenizer(Exercise):
    def segmentation_loss(self, tokens):
        table = {**self.scores, self.unk_token: self.unk_score}
        tokens = list(tokens)
        unknown = [token for token in tokens if token not in table]
        if unknown:
            raise ValueError(f"These are no tokens: {', '.join(unknown)}")
        return 0.0 - math.fsum(table[token] for token in tokens)

    def best_path(self, text, without=None):
        ends = defaultdict(list)
        for edge in self.lattice(text, without):
            ends[edge.end].append(edge)
        best, via = [0.0], [None]
        for position in range(1, len(text) + 1):
            # max keeps the first of several, which is the longest: it starts first.
            via.append(max(ends[position], key=lambda edge: best[edge.start] + edge.score))
            best.append(best[via[-1].start] + via[-1].score)

        def path(position):
            while position > 0:
                yield via[position].token
                position = via[position].start

        return list(path(len(text)))[::-1]

    def expected_counts(self, text):
        starts, ends = defaultdict(list), defaultdict(list)
        for edge in self.lattice(text):
            starts[edge.start].append(edge)
            ends[edge.end].append(edge)

        @cache
        def forward(position):
            return log_sum_exp(forward(e.start) + e.score for e in ends[position]) if position else 0.0

        @cache
        def backward(position):
            if position == len(text):
                return 0.0
            return log_sum_exp(e.score + backward(e.end) for e in starts[position])

        # Asked in this order, no question needs more than one further answer: a long text would exceed the recursion.
        for position in range(len(text) + 1):
            forward(position), backward(len(text) - position)
        counts = {}
        for edge in self.lattice(text):
            share = math.exp(forward(edge.start) + edge.score + backward(edge.end) - forward(len(text)))
            counts.setdefault(edge.token, []).append(share)
        return {token: sum(shares) for token, shares in counts.items()}

    def em_step(self, words):
        counts = defaultdict(float)
        for word in words:
            for token, count in self.expected_counts(word).items():
                counts[token] += count * words[word]

        def kept(token):
            count = counts[token]
            if len(token) == 1:
                return max(count, MIN_COUNT)
            return count if count >= MIN_COUNT else None

        new = {token: kept(token) for token in self.scores if token != self.unk_token}
        total = sum(count for count in new.values() if count is not None)
        result = {}
        for token, score in self.scores.items():
            if token == self.unk_token:
                result[token] = score
            elif new[token] is not None:
                result[token] = math.log(new[token]) - math.log(total)
        return result

    def removal_losses(self, words):
        losses = {token: 0.0 for token in self.scores if len(token) > 1 and token != self.unk_token}
        for word, frequency in words.items():
            for token in self.best_path(word):
                if token in losses:
                    without = self.segmentation_loss(self.best_path(token, without=token))
                    losses[token] += frequency * (without - self.segmentation_loss([token]))
        return losses

    def sample_path(self, text, seed, alpha=1.0):
        rng = Random(seed)
        ends = defaultdict(list)
        for edge in self.lattice(text):
            ends[edge.end].append(edge)
        forward = {0: 0.0}
        for position in range(1, len(text) + 1):
            forward[position] = log_sum_exp(forward[e.start] + alpha * e.score for e in ends[position])

        def tokens():
            position = len(text)
            while position > 0:
                weights = [math.exp(forward[e.start] + alpha * e.score - forward[position]) for e in ends[position]]
                edge = rng.choices(ends[position], weights=weights, k=1)[0]
                yield edge.token
                position = edge.start

        return list(reversed(list(tokens())))
