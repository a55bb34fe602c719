"""The character that does not fit is unknown, and then I go on.

Mistake: an unknown token for each place where nothing fits
Why: One unknown token for the whole word.
Pitfall: whole-word
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
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in self.token_to_id:
                    break
            else:
                tokens.append(self.unk_token)
                start += 1
                continue
            tokens.append(prefix + word[start:end])
            start = end
        return tokens
