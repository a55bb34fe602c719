"""The longest token that occurs in the word, then what is left and right of it.

Mistake: the longest token anywhere in the word is taken first
Why: Go from the left: the longest token at the beginning, then the longest that continues.
Pitfall: greedy
Caught by: TestLongestMatch
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
        if len(word) > self.max_input_chars_per_word:
            return [self.unk_token]

        def split(start, end):
            if start == end:
                return []
            for length in range(end - start, 0, -1):
                for place in range(start, end - length + 1):
                    token = ("##" if place else "") + word[place : place + length]
                    if token in self.token_to_id:
                        return [*split(start, place), token, *split(place + length, end)]
            return [self.unk_token]

        tokens = split(0, len(word))
        return [self.unk_token] if self.unk_token in tokens else tokens
