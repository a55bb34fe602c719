"""Counter for the counts, an iterator for the merge, a dictionary of ranks for the next merge."""

from collections import Counter
from itertools import pairwise

from g2c.tokenizer.word_bpe import WordBPETokenizer as Exercise


class WordBPETokenizer(Exercise):
    def _get_pair_counts(self, words):
        counts = Counter()
        for symbols, frequency in words.items():
            counts.update({pair: times * frequency for pair, times in Counter(pairwise(symbols)).items()})
        return counts

    def _merge(self, symbols, pair):
        out, rest = [], list(symbols)
        while rest:
            if tuple(rest[:2]) == tuple(pair):
                out.append("".join(pair))
                del rest[:2]
            else:
                out.append(rest.pop(0))
        return tuple(out)

    def learn_merge(self, words):
        for pair, count in self._get_pair_counts(words).most_common(1):
            self.merges = [*self.merges, pair]
            return dict(zip((self._merge(symbols, pair) for symbols in words), words.values())), pair, count
        return None

    def _next_merge(self, symbols):
        ranks = {pair: -rank for rank, pair in enumerate(self.merges)}
        return max((pair for pair in pairwise(symbols) if pair in ranks), key=ranks.get, default=None)

    def encode(self, text, add_special_tokens=False):
        known, ids = self.token_to_id, []
        before, after = ([self.bos_token], [self.eos_token]) if add_special_tokens else ([], [])
        for token in before + sum(map(self.tokenize, self._words(text)), []) + after:
            if token in known:
                ids.append(known[token])
            elif token in before + after or self.unk_token not in known:
                raise ValueError(f"no ID for {token}")
            else:
                ids.append(known[self.unk_token])
        return ids
