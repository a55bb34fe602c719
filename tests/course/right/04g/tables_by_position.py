"""Whole paths in a dictionary by position, sums that grow edge by edge, and Counters."""

from collections import Counter
from math import exp, inf, log
from random import Random

from g2c.tokenizer.unigram import MIN_COUNT, log_sum_exp
from g2c.tokenizer.unigram import UnigramTokenizer as Exercise


class UnigramTokenizer(Exercise):
    def score(self, token):
        if token == self.unk_token:
            return self.unk_score
        try:
            return self.scores[token]
        except KeyError:
            raise ValueError(f"{token!r} is not a token") from None

    def segmentation_loss(self, tokens):
        return -sum(map(self.score, tokens), 0.0)

    def best_path(self, text, without=None):
        best = {0: (0.0, [])}
        for start, end, token, score in self.lattice(text, without):
            before, path = best[start]
            if end not in best or before + score > best[end][0]:
                best[end] = before + score, [*path, token]
        return best[len(text)][1]

    def sums(self, edges, length, alpha=1.0):
        # The edges are sorted by their start, so the sum at a start is complete when its first edge comes.
        sums = [0.0] + [-inf] * length
        for start, end, _, score in edges:
            sums[end] = log_sum_exp([sums[end], sums[start] + alpha * score])
        return sums

    def expected_counts(self, text):
        edges = self.lattice(text)
        forward = self.sums(edges, len(text))
        turned = [(len(text) - end, len(text) - start, token, score) for start, end, token, score in edges]
        backward = self.sums(sorted(turned, key=lambda edge: edge[0]), len(text))[::-1]
        counts = Counter()
        for start, end, token, score in edges:
            counts[token] += exp(forward[start] + score + backward[end] - forward[-1])
        return counts

    def em_step(self, words):
        counts = Counter()
        for word, frequency in words.items():
            for token, count in self.expected_counts(word).items():
                counts[token] += frequency * count
        del counts[self.unk_token]
        stay = {}
        for token in self.scores:
            if len(token) == 1 and token != self.unk_token:
                stay[token] = max(MIN_COUNT, counts[token])
            elif counts[token] >= MIN_COUNT:
                stay[token] = counts[token]
        total = log(sum(stay.values()))
        new = {token: log(count) - total for token, count in stay.items()}
        new[self.unk_token] = self.scores[self.unk_token]
        return {token: new[token] for token in self.scores if token in new}

    def removal_losses(self, words):
        used = Counter()
        for word in words:
            used.update({token: times * words[word] for token, times in Counter(self.best_path(word)).items()})
        tokens = [token for token in self.scores if len(token) >= 2 and token != self.unk_token]
        return {t: used[t] * (self.scores[t] + self.segmentation_loss(self.best_path(t, t))) for t in tokens}

    def sample_path(self, text, seed, alpha=1.0):
        rng = Random(seed)
        edges = self.lattice(text)
        forward = self.sums(edges, len(text), alpha)
        path, here = [], len(text)
        while here:
            last = [edge for edge in edges if edge.end == here]
            [edge] = rng.choices(last, [exp(forward[e.start] + alpha * e.score - forward[here]) for e in last])
            path.insert(0, edge.token)
            here = edge.start
        return path
