"""A word with an unknown character is an unknown word.

Mistake: a whole word becomes unknown
Why: Only the token that is not in the vocabulary does; the rest of the word is kept.
Pitfall: unknown-token
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = []
        for word in self._words(text):
            tokens = self.tokenize(word)
            if all(token in self.token_to_id for token in tokens):
                ids += [self.token_to_id[token] for token in tokens]
            else:
                ids.append(self.token_to_id[self.unk_token])
        ends = AnswerKey.encode(self, "", add_special_tokens)
        return [*ends[:1], *ids, *ends[1:]]
