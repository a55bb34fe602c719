"""Answer key of module 04g. What each method takes and returns is documented in g2c/tokenizer/unigram.py."""

import math
from random import Random

from g2c.tokenizer import unigram
from g2c.tokenizer.unigram import MIN_COUNT, log_sum_exp


class UnigramTokenizer(unigram.UnigramTokenizer):
    def segmentation_loss(self, tokens):
        loss = 0.0
        for token in tokens:
            if token != self.unk_token and token not in self.scores:
                raise ValueError(f"The token {token!r} is not in the vocabulary.")
            # The score of the unknown token in the table is not used.
            loss -= self.unk_score if token == self.unk_token else self.scores[token]
        return loss

    def best_path(self, text, without=None):
        best = [0.0] + [-math.inf] * len(text)
        last_edge = [None] * (len(text) + 1)
        for edge in self.lattice(text, without):
            # The whole path up to the end of the edge is compared, not the edge alone.
            score = best[edge.start] + edge.score
            if score > best[edge.end]:
                best[edge.end], last_edge[edge.end] = score, edge
        tokens = []
        position = len(text)
        while position > 0:
            tokens.append(last_edge[position].token)
            position = last_edge[position].start
        return tokens[::-1]

    def expected_counts(self, text):
        edges = self.lattice(text)
        arriving, leaving = [[] for _ in range(len(text) + 1)], [[] for _ in range(len(text) + 1)]
        for edge in edges:
            arriving[edge.end].append(edge)
            leaving[edge.start].append(edge)
        forward, backward = [0.0] * (len(text) + 1), [0.0] * (len(text) + 1)
        for p in range(1, len(text) + 1):
            forward[p] = log_sum_exp(forward[edge.start] + edge.score for edge in arriving[p])
        for p in reversed(range(len(text))):
            backward[p] = log_sum_exp(edge.score + backward[edge.end] for edge in leaving[p])
        counts = {}
        for edge in edges:
            # Only here, where the large numbers cancel, is it safe to leave the logarithms.
            used = math.exp(forward[edge.start] + edge.score + backward[edge.end] - forward[-1])
            counts[edge.token] = counts.get(edge.token, 0.0) + used
        return counts

    def em_step(self, words):
        counts = {}
        for word, frequency in words.items():
            for token, count in self.expected_counts(word).items():
                counts[token] = counts.get(token, 0.0) + count * frequency
        kept = {}
        for token in self.scores:
            count = counts.get(token, 0.0)
            if token != self.unk_token and (len(token) == 1 or count >= MIN_COUNT):
                kept[token] = max(count, MIN_COUNT)
        # The sum is taken over what stays, so that the new probabilities add up to 1.
        total = sum(kept.values())
        scores = {}
        for token, old in self.scores.items():
            if token == self.unk_token:
                scores[token] = old
            elif token in kept:
                scores[token] = math.log(kept[token] / total)
        return scores

    def removal_losses(self, words):
        counts = {}
        for word, frequency in words.items():
            for token in self.best_path(word):
                counts[token] = counts.get(token, 0) + frequency
        losses = {}
        for token in self.scores:
            if token != self.unk_token and len(token) > 1:
                # What it costs to write the token's text without it decides, not how often it occurs alone.
                instead = self.segmentation_loss(self.best_path(token, without=token))
                losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
        return losses

    def sample_path(self, text, seed, alpha=1.0):
        rng = Random(seed)
        arriving = [[] for _ in range(len(text) + 1)]
        for edge in self.lattice(text):
            arriving[edge.end].append(edge)
        forward = [0.0] * (len(text) + 1)
        for p in range(1, len(text) + 1):
            forward[p] = log_sum_exp(forward[edge.start] + alpha * edge.score for edge in arriving[p])
        tokens = []
        position = len(text)
        while position > 0:
            edges = arriving[position]
            # forward[edge.start] stands for everything that may come before the edge.
            weights = [math.exp(forward[edge.start] + alpha * edge.score - forward[position]) for edge in edges]
            edge = rng.choices(edges, weights)[0]
            tokens.append(edge.token)
            position = edge.start
        return tokens[::-1]
