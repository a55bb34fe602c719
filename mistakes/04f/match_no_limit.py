"""A long word is split like any other.

Mistake: words that are too long are split
Why: More than max_input_chars_per_word characters: return the unknown token alone.
Pitfall: too-long
Caught by: TestLongestMatch
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
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
