"""The symbols of a word are its characters and the marker.

Mistake: the merges are not applied
Why: self.tokenize(word) gives the tokens of a word.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = []
        for word in self._words(text):
            ids += [
                self.token_to_id.get(symbol, self.token_to_id.get(self.unk_token)) for symbol in self._symbols(word)
            ]
        ends = AnswerKey.encode(self, "", add_special_tokens)
        return [*ends[:1], *ids, *ends[1:]]
