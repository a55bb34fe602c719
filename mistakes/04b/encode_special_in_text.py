"""A special token in the text has its ID already.

Mistake: text that looks like a special token becomes one
Why: It is plain text: cut it with tokenize like any other word.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = []
        for word in self._words(text):
            ids += [self.token_to_id[word]] if word in self.special_tokens else AnswerKey.encode(self, word)
        ends = AnswerKey.encode(self, "", add_special_tokens)
        return [*ends[:1], *ids, *ends[1:]]
