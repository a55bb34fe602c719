"""What was found is found; the rest is unknown.

Mistake: only the rest of the word becomes unknown
Why: The unknown token stands for the whole word: drop what was found before.
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
                return [*tokens, self.unk_token]
            tokens.append(prefix + word[start:end])
            start = end
        return tokens
