"""Join the symbols with nothing between them.

Mistake: words are put together without a space
Why: decode gives the symbols to self._join, which knows what belongs between them.
Pitfall: hooks
Caught by: TestWordTokenizer
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey
from g2c.solutions.char_word import WordTokenizer as WordAnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        for token_id in (ids := list(ids)):
            if token_id not in self.id_to_token:
                raise ValueError(f"There is no ID {token_id}.")
        return "".join(self.id_to_token[token_id] for token_id in ids)


class WordTokenizer(WordAnswerKey, CharTokenizer):
    """Inherits decode from above, as a student's would."""
