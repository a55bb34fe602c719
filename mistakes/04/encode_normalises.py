"""Unicode text should be normalised before anything else.

Mistake: the text is normalised first
Why: It has to come back as it was.
Pitfall: changed-text
Caught by: TestEncode
"""

import unicodedata
from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        return super().encode(unicodedata.normalize("NFC", text))
