"""Plain loops with indices and flags, as in a first program; the match asks every token whether it fits."""

from g2c.tokenizer.wordpiece import WordPieceTokenizer as Exercise


class WordPieceTokenizer(Exercise):
    def pair_scores(self, words):
        single = {}
        double = {}
        for word in words:
            i = 0
            while i < len(word):
                if word[i] not in single:
                    single[word[i]] = 0
                single[word[i]] += words[word]
                if i > 0:
                    pair = (word[i - 1], word[i])
                    if pair not in double:
                        double[pair] = 0
                    double[pair] += words[word]
                i += 1
        scores = {}
        for pair in double:
            product = single[pair[0]] * single[pair[1]]
            scores[pair] = double[pair] / product
        return scores

    def join_symbols(self, symbols, pair):
        result = []
        skip = False
        for i in range(len(symbols)):
            if skip:
                skip = False
            elif i + 1 < len(symbols) and symbols[i] == pair[0] and symbols[i + 1] == pair[1]:
                result.append(pair[0] + pair[1][2:])
                skip = True
            else:
                result.append(symbols[i])
        return tuple(result)

    def learn_piece(self, words):
        best = None
        highest = 0
        for pair, score in self.pair_scores(words).items():
            if score > highest:
                best = pair
                highest = score
        if best is None:
            return None
        self._add_token(best[0] + best[1][2:])
        new_words = {}
        for word in words:
            new_words[self.join_symbols(word, best)] = words[word]
        return new_words, best, highest

    def longest_match(self, word):
        if len(word) > self.max_input_chars_per_word:
            return [self.unk_token]
        tokens = []
        covered = 0
        while covered < len(word):
            longest = ""
            for token in self.token_to_id:
                if covered == 0:
                    piece = token
                elif token.startswith("##"):
                    piece = token[2:]
                else:
                    continue
                if piece and word.startswith(piece, covered) and len(piece) > len(longest):
                    longest = piece
            if not longest:
                return [self.unk_token]
            tokens.append(longest if covered == 0 else "##" + longest)
            covered += len(longest)
        return tokens

    def encode(self, text, add_special_tokens=False):
        ids = []
        for word in self._words(text):
            for token in self.longest_match(word):
                ids.append(self.token_to_id[token])
        if add_special_tokens:
            if "[CLS]" not in self.token_to_id:
                raise ValueError("[CLS] is not in the vocabulary")
            if "[SEP]" not in self.token_to_id:
                raise ValueError("[SEP] is not in the vocabulary")
            ids.insert(0, self.token_to_id["[CLS]"])
            ids.append(self.token_to_id["[SEP]"])
        return ids
