"""Unicode text should be normalized before anything else.

Mistake: the text is normalized first
Why: Decoding has to give back the text exactly as it was: encode the text as it is.
Pitfall: changed-text
Caught by: TestEncode
"""

import unicodedata
from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        return super().encode(unicodedata.normalize("NFC", text))
