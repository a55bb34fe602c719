"""Write the symbols with spaces between them, replace "a b" by "ab", and split again.

Mistake: symbols are replaced as text
Why: In 'ca b' the text 'a b' is found, but there is no symbol 'a': compare symbols.
Pitfall: symbols
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        return tuple(" ".join(symbols).replace(" ".join(pair), "".join(pair)).split())
