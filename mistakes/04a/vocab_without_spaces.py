"""White space is no character that anybody reads.

Mistake: symbols of the text are missing
Why: A space and a line end are symbols like any other.
Pitfall: order
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        super().build_vocab("".join(text.split()) if type(self).__name__ == "CharTokenizer" else text)
