"""The symbols of a text are its characters.

Mistake: characters where words belong
Why: self.symbols(text) gives the symbols of this tokenizer; list(text) only characters.
Pitfall: hooks
Caught by: TestWordTokenizer
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey
from g2c.solutions.char_word import WordTokenizer as WordAnswerKey
from g2c.tokenizer.base import check_text


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        reserved = [] if self.unk_token is None else [self.unk_token]
        # Not self.symbols(text), which a word tokenizer answers with words.
        symbols = reserved + sorted(set(check_text(text) or text) - set(reserved))
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))


class WordTokenizer(WordAnswerKey, CharTokenizer):
    """Inherits build_vocab from above, as a student's would."""
