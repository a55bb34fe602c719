"""range(len(word) - 1, ...) begins at the last character.

Mistake: the last character is left out of every candidate
Why: The end of a slice is not part of it: begin with len(word).
Pitfall: greedy
Caught by: TestLongestMatch
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
        if len(word) > self.max_input_chars_per_word:
            return [self.unk_token]
        tokens, start = [], 0
        while start < len(word):
            prefix = "##" if tokens else ""
            for end in range(len(word) - 1, start, -1):
                if prefix + word[start:end] in self.token_to_id:
                    break
            else:
                return [self.unk_token]
            tokens.append(prefix + word[start:end])
            start = end
        return tokens
