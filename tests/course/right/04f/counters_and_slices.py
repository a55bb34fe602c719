"""Counters for symbols and pairs, slices that are assigned for joining, and an end that moves left for the match."""

from collections import Counter
from itertools import pairwise

from g2c.tokenizer.wordpiece import PREFIX
from g2c.tokenizer.wordpiece import WordPieceTokenizer as Exercise


class WordPieceTokenizer(Exercise):
    def pair_scores(self, words):
        symbols, pairs = Counter(), Counter()
        for word, frequency in words.items():
            symbols.update(list(word) * frequency)
            pairs.update(list(pairwise(word)) * frequency)
        return Counter({pair: count / (symbols[pair[0]] * symbols[pair[1]]) for pair, count in pairs.items()})

    def join_symbols(self, symbols, pair):
        left, right = pair
        word = list(symbols)
        for place in range(len(word) - 1, -1, -1):
            # From right to left a run such as ##s ##s ##s would lose its last two, so count where the run begins.
            run = place
            while run > 0 and left == right and word[run - 1] == left:
                run -= 1
            if word[place : place + 2] == [left, right] and (place - run) % 2 == 0:
                word[place : place + 2] = [left + right[len(PREFIX) :]]
        return tuple(word)

    def learn_piece(self, words):
        scores = self.pair_scores(words)
        for pair, score in Counter(scores).most_common(1):
            self._add_token(pair[0] + pair[1][2:])
            return {self.join_symbols(word, pair): words[word] for word in words}, pair, score

    def longest_match(self, word):
        tokens, rest = [], word
        if len(word) > self.max_input_chars_per_word:
            rest = ""
        while rest:
            end = len(rest)
            while end and (PREFIX if tokens else "") + rest[:end] not in self.token_to_id:
                end -= 1
            if end == 0:
                return [self.unk_token]
            tokens.append((PREFIX if tokens else "") + rest[:end])
            rest = rest[end:]
        return tokens or [self.unk_token]

    def encode(self, text, add_special_tokens=False):
        tokens = []
        for word in self._words(text):
            tokens += self.longest_match(word)
        if add_special_tokens:
            tokens = ["[CLS]"] + tokens + ["[SEP]"]
            for token in (tokens[0], tokens[-1]):
                if token not in self.token_to_id:
                    raise ValueError("There is no " + token)
        return list(map(self.token_to_id.get, tokens))
