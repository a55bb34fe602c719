"""The candidate with its ## is what must not be too long.

Mistake: the length limit is compared with the word and its prefix.
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
        if len("##" + word) > self.max_input_chars_per_word:
            return [self.unk_token]
        return AnswerKey.longest_match(self, word)
