"""The tokens of all words, one after the other.

Mistake: tokens where IDs belong
Why: Look each token up in token_to_id.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        tokens = [token for word in self._words(text) for token in self.tokenize(word)]
        return [self.bos_token, *tokens, self.eos_token] if add_special_tokens else tokens
