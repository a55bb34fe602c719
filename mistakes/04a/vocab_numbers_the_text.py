"""Sort the text and number it; what comes twice just gets the later number.

Mistake: a symbol is numbered each time that it occurs
Why: Each symbol has one ID: number the distinct symbols, not the text.
Pitfall: order
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = [self.unk_token] if self.unk_token else []
        symbols += sorted(symbol for symbol in self.symbols(text) if symbol != self.unk_token)
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}
