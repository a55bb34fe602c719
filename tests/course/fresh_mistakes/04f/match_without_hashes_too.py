"""If ##low is not there, low will do.

Mistake: tokens that begin words continue them.
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
        if len(word) > self.max_input_chars_per_word:
            return [self.unk_token]
        tokens = []
        start = 0
        while start < len(word):
            prefix = "##" if tokens else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in self.token_to_id or word[start:end] in self.token_to_id:
                    break
            else:
                # Nothing fits here, so the whole word is unknown.
                return [self.unk_token]
            tokens.append(prefix + word[start:end] if prefix + word[start:end] in self.token_to_id else word[start:end])
            start = end
        return tokens
