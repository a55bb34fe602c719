"""The length of a word is the number of its bytes.

Mistake: the limit counts bytes
Why: max_input_chars_per_word counts characters: len(word).
Pitfall: too-long
Caught by: TestLongestMatch
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
        if len(word.encode()) > self.max_input_chars_per_word:
            return [self.unk_token]
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
