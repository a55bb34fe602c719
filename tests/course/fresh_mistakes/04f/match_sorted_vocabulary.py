"""Sort the vocabulary by length and take the first token that the rest starts with.

Mistake: tokens that begin words are also used inside a word, without the prefix.
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
        if len(word) > self.max_input_chars_per_word:
            return [self.unk_token]
        out, rest = [], word
        by_length = sorted(self.token_to_id, key=len, reverse=True)
        while rest:
            for token in by_length:
                if rest.startswith(token.removeprefix("##")) and token.removeprefix("##"):
                    out.append(token)
                    rest = rest[len(token.removeprefix("##")) :]
                    break
            else:
                return [self.unk_token]
        return out
