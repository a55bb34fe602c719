"""Answer key of module 04b. What each method takes and returns is documented in g2c/tokenizer/word_bpe.py."""

from g2c.tokenizer import word_bpe


class WordBPETokenizer(word_bpe.WordBPETokenizer):
    def _get_pair_counts(self, words):
        counts = {}
        # Each word by itself, so no pair reaches from one word into the next.
        for symbols, frequency in words.items():
            for pair in zip(symbols, symbols[1:]):
                counts[pair] = counts.get(pair, 0) + frequency
        return counts

    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        # max returns the first of several maxima, and the counts are in order of first appearance.
        pair = max(counts, key=counts.get)
        self.merges.append(pair)
        return {self._merge(symbols, pair): frequency for symbols, frequency in words.items()}, pair, counts[pair]

    def _next_merge(self, symbols):
        pairs = set(zip(symbols, symbols[1:]))
        # The order of learning decides, because later merges build on earlier ones.
        return next((pair for pair in self.merges if pair in pairs), None)

    def encode(self, text, add_special_tokens=False):
        tokens = [token for word in self._words(text) for token in self.tokenize(word)]
        ids = []
        for token in tokens:
            if token not in self.token_to_id and self.unk_token not in self.token_to_id:
                raise ValueError(f"{token!r} is not in the vocabulary, and there is no unknown token to stand for it.")
            ids.append(self.token_to_id.get(token, self.token_to_id.get(self.unk_token)))
        if add_special_tokens:
            for name in (self.bos_token, self.eos_token):
                if name not in self.token_to_id:
                    raise ValueError(f"{name!r} is not among the special tokens {list(self.special_tokens)}.")
            # They go around the whole text, not around each word.
            ids = [self.token_to_id[self.bos_token], *ids, self.token_to_id[self.eos_token]]
        return ids
