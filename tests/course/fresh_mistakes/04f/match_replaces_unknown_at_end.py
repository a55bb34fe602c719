"""If I get stuck I remember it, and return the unknown token with what I had.

Mistake: the tokens found before are kept, and the unknown token is appended.
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
        out, pos = [], 0
        if len(word) > self.max_input_chars_per_word:
            return [self.unk_token]
        while pos < len(word):
            end = len(word)
            while end > pos:
                piece = word[pos:end] if pos == 0 else "##" + word[pos:end]
                if piece in self.token_to_id:
                    break
                end -= 1
            if end == pos:
                out.append(self.unk_token)
                return out
            out.append(piece)
            pos = end
        return out
