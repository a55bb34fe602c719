"""Answer key of module 04f. What each method takes and returns is documented in g2c/tokenizer/wordpiece.py."""

from g2c.tokenizer import wordpiece


class WordPieceTokenizer(wordpiece.WordPieceTokenizer):
    def pair_scores(self, words):
        symbol_counts, pair_counts = {}, {}
        for symbols, frequency in words.items():
            # Every symbol counts, also the last of a word and one that is a word by itself.
            for symbol in symbols:
                symbol_counts[symbol] = symbol_counts.get(symbol, 0) + frequency
            for pair in zip(symbols, symbols[1:]):
                pair_counts[pair] = pair_counts.get(pair, 0) + frequency
        return {
            (left, right): count / (symbol_counts[left] * symbol_counts[right])
            for (left, right), count in pair_counts.items()
        }

    def learn_piece(self, words):
        scores = self.pair_scores(words)
        if not scores:
            return None
        # max returns the first of several maxima, and the scores are in order of first appearance.
        pair = max(scores, key=scores.get)
        self._add_token(self.join_symbols(pair, pair)[0])
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]

    def longest_match(self, word):
        if len(word) > self.max_input_chars_per_word:
            return [self.unk_token]
        tokens = []
        start = 0
        while start < len(word):
            prefix = "##" if tokens else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in self.token_to_id:
                    break
            else:
                # Nothing fits here, so the whole word is unknown.
                return [self.unk_token]
            tokens.append(prefix + word[start:end])
            start = end
        return tokens

    def encode(self, text, add_special_tokens=False):
        ids = [self.token_to_id[token] for word in self._words(text) for token in self.longest_match(word)]
        if add_special_tokens:
            for token in ("[CLS]", "[SEP]"):
                if token not in self.token_to_id:
                    raise ValueError(f"The vocabulary has no token {token!r}, which add_special_tokens=True needs.")
            # They go around the whole text, not around each word.
            ids = [self.token_to_id["[CLS]"], *ids, self.token_to_id["[SEP]"]]
        return ids
