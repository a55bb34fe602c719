"""The unknown token is [UNK].

Mistake: the unknown token is written out
Why: Its name is in self.unk_token.
Pitfall: whole-word
Caught by: TestLongestMatch
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
        if len(word) > self.max_input_chars_per_word:
            return ["[UNK]"]
        tokens, start = [], 0
        while start < len(word):
            prefix = "##" if tokens else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in self.token_to_id:
                    break
            else:
                return ["[UNK]"]
            tokens.append(prefix + word[start:end])
            start = end
        return tokens
