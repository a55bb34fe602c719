"""From the left, the first token that fits.

Mistake: the shortest token is taken
Why: Try the longest candidate first: the ends go from the end of the word backwards.
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
            for end in range(start + 1, len(word) + 1):
                if prefix + word[start:end] in self.token_to_id:
                    break
            else:
                return [self.unk_token]
            tokens.append(prefix + word[start:end])
            start = end
        return tokens
