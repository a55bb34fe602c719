"""When nothing fits I stop, and have the tokens so far.

Mistake: the rest of the word is lost
Why: A word that cannot be split to its end is unknown: return the unknown token alone.
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
                return tokens
            tokens.append(prefix + word[start:end])
            start = end
        return tokens
