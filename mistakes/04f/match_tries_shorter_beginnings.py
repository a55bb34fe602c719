"""If the rest does not fit, a shorter token may be right.

Mistake: a shorter beginning is tried when nothing fits
Why: WordPiece is greedy: the longest token is taken, and there is no second try.
Pitfall: whole-word
Caught by: TestLongestMatch
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def longest_match(self, word):
        def split(start):
            if start == len(word):
                return []
            for end in range(len(word), start, -1):
                token = ("##" if start else "") + word[start:end]
                if token in self.token_to_id and (rest := split(end)) is not None:
                    return [token, *rest]
            return None

        tokens = split(0) if len(word) <= self.max_input_chars_per_word else None
        return [self.unk_token] if tokens is None else tokens
