"""Append what comes of each word.

Mistake: a list of lists comes back
Why: One list of IDs for the whole text, not one for each word.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        return [[self.token_to_id[token] for token in self.tokenize(word)] for word in self._words(text)]
