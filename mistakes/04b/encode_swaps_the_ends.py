"""One stands before the text and the other after it.

Mistake: [BOS] and [EOS] are swapped
Why: [BOS] begins the text, [EOS] ends it.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = AnswerKey.encode(self, text, add_special_tokens)
        return [ids[-1], *ids[1:-1], ids[0]] if add_special_tokens else ids
