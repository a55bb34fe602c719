"""Counter.update for the counts, a stack for the merge, a table of the places in merges."""

from collections import Counter

from g2c.tokenizer.word_bpe import WordBPETokenizer as Exercise


class WordBPETokenizer(Exercise):
    def _get_pair_counts(self, words):
        counts = Counter()
        for word in words:
            for place in range(len(word) - 1):
                counts.update({word[place : place + 2]: words[word]})
        return counts

    def learn_merge(self, words):
        best = self._get_pair_counts(words).most_common(1)
        if not best:
            return None
        [(pair, count)] = best
        self.merges = [*self.merges, pair]
        return (
            dict(zip((self._merge(word, pair) for word in words), words.values())),
            pair,
            count,
        )

    def _next_merge(self, symbols):
        place = {pair: number for number, pair in reversed(list(enumerate(self.merges)))}
        known = [pair for pair in zip(symbols, symbols[1:]) if pair in place]
        return min(known, key=place.__getitem__) if known else None

    def encode(self, text, add_special_tokens=False):
        ids = []
        for word in self._words(text):
            for token in self.tokenize(word):
                try:
                    ids.append(self.token_to_id[token])
                except KeyError:
                    if self.unk_token not in self.token_to_id:
                        raise ValueError(f"no ID for {token}")
                    ids.append(self.token_to_id[self.unk_token])
        if add_special_tokens:
            if missing := {self.bos_token, self.eos_token} - set(self.token_to_id):
                raise ValueError(f"no such special tokens: {missing}")
            ids.insert(0, self.token_to_id[self.bos_token])
            ids.append(self.token_to_id[self.eos_token])
        return ids
