"""Recursion for the match and the joining, and a stable sort for the best pair."""

from collections import defaultdict

from g2c.tokenizer.wordpiece import WordPieceTokenizer as Exercise


class WordPieceTokenizer(Exercise):
    def pair_scores(self, words):
        count = defaultdict(int)
        for word in words:
            for symbol in word:
                count[symbol] += words[word]
            for i in range(1, len(word)):
                count[word[i - 1], word[i]] += words[word]
        pairs = [key for key in count if isinstance(key, tuple)]
        return {pair: count[pair] / (count[pair[0]] * count[pair[1]]) for pair in pairs}

    def learn_piece(self, words):
        ranked = sorted(self.pair_scores(words).items(), key=lambda item: -item[1])
        if len(ranked) == 0:
            return None
        (left, right), score = ranked[0]
        self._add_token(left + right.removeprefix("##"))
        after = {}
        for word, frequency in words.items():
            after[self.join_symbols(word, (left, right))] = frequency
        return after, (left, right), score

    def longest_match(self, word):
        if len(word) > self.max_input_chars_per_word:
            return [self.unk_token]

        def match(rest):
            if rest in ("", "##"):
                return []
            first = 3 if rest is not word else 1
            for end in range(len(rest), first - 1, -1):
                if rest[:end] in self.token_to_id:
                    behind = match("##" + rest[end:])
                    return None if behind is None else [rest[:end], *behind]
            return None

        return match(word) or [self.unk_token]

    def encode(self, text, add_special_tokens=False):
        ids = []
        try:
            if add_special_tokens:
                ids.append(self.token_to_id["[CLS]"])
            ids.extend(self.token_to_id[token] for word in self._words(text) for token in self.longest_match(word))
            if add_special_tokens:
                ids.append(self.token_to_id["[SEP]"])
        except KeyError as error:
            raise ValueError(f"no ID for {error.args[0]}") from error
        return ids
