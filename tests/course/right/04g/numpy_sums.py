"""numpy's logaddexp for the sums, arrays for the positions, and weights that are not divided by their sum."""

import random

import numpy as np

from g2c.tokenizer import unigram


class UnigramTokenizer(unigram.UnigramTokenizer):
    def segmentation_loss(self, tokens):
        loss = np.float64(0)
        for token in tokens:
            if token == self.unk_token:
                loss -= self.unk_score
            elif token in self.scores:
                loss -= self.scores[token]
            else:
                raise ValueError(f"not in the vocabulary: {token}")
        return float(loss)

    def best_path(self, text, without=None):
        best = np.full(len(text) + 1, -np.inf)
        best[0] = 0
        arrived_by = np.full(len(text) + 1, -1)
        edges = self.lattice(text, without)
        for number, edge in enumerate(edges):
            if best[edge.start] + edge.score > best[edge.end]:
                best[edge.end] = best[edge.start] + edge.score
                arrived_by[edge.end] = number
        path = []
        position = len(text)
        while position:
            edge = edges[arrived_by[position]]
            path.append(edge.token)
            position = edge.start
        path.reverse()
        return path

    def _forward(self, edges, length, alpha=1.0):
        forward = np.full(length + 1, -np.inf)
        forward[0] = 0
        for edge in edges:
            forward[edge.end] = np.logaddexp(forward[edge.end], forward[edge.start] + alpha * edge.score)
        return forward

    def expected_counts(self, text):
        edges = self.lattice(text)
        forward = self._forward(edges, len(text))
        backward = np.full(len(text) + 1, -np.inf)
        backward[-1] = 0
        for edge in reversed(edges):
            backward[edge.start] = np.logaddexp(backward[edge.start], edge.score + backward[edge.end])
        counts = dict.fromkeys((edge.token for edge in edges), 0.0)
        for edge in edges:
            counts[edge.token] += float(np.exp(forward[edge.start] + edge.score + backward[edge.end] - backward[0]))
        return counts

    def em_step(self, words):
        names = [token for token in self.scores if token != self.unk_token]
        place = {token: number for number, token in enumerate(names)}
        counts = np.zeros(len(names))
        for word, frequency in words.items():
            for token, count in self.expected_counts(word).items():
                if token in place:
                    counts[place[token]] += frequency * count
        single = np.array([len(token) == 1 for token in names], dtype=bool)
        counts[single] = np.maximum(counts[single], unigram.MIN_COUNT)
        stays = counts >= unigram.MIN_COUNT
        scores = np.log(counts[stays] / counts[stays].sum())
        new = dict(zip(np.array(names, dtype=object)[stays], scores.tolist()))
        new[self.unk_token] = self.scores[self.unk_token]
        return {token: new[token] for token in self.scores if token in new}

    def removal_losses(self, words):
        losses = {}
        paths = [(self.best_path(word), frequency) for word, frequency in words.items()]
        for token, score in self.scores.items():
            if len(token) == 1 or token == self.unk_token:
                continue
            count = sum(path.count(token) * frequency for path, frequency in paths)
            losses[token] = count * (self.segmentation_loss(self.best_path(token, token)) + score)
        return losses

    def sample_path(self, text, seed, alpha=1.0):
        rng = random.Random(seed)
        edges = self.lattice(text)
        forward = self._forward(edges, len(text), alpha)
        tokens, position = [], len(text)
        while position != 0:
            choices = [edge for edge in edges if edge.end == position]
            logs = np.array([forward[edge.start] + alpha * edge.score for edge in choices])
            drawn = rng.choices(choices, np.exp(logs - logs.max()).tolist())[0]
            tokens = [drawn.token] + tokens
            position = drawn.start
        return tokens
