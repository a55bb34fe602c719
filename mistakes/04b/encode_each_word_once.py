"""The words are counted, so each occurs once.

Mistake: each word is encoded only once
Why: A word that comes again has its IDs again, in the order of the text.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        return AnswerKey.encode(self, " ".join(dict.fromkeys(text.split())), add_special_tokens)
