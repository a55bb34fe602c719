"""A word that is too long is cut.

Mistake: a word that is too long is cut off
Why: It becomes the unknown token as a whole.
Pitfall: too-long
Caught by: TestLongestMatch
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
        if len(word) > self.max_input_chars_per_word:
            word = word[: self.max_input_chars_per_word]
        tokens, start = [], 0
        while start < len(word):
            prefix = "##" if tokens else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in self.token_to_id:
                    break
            else:
                return [self.unk_token]
            tokens.append(prefix + word[start:end])
            start = end
        return tokens
