"""A search for the pair with a space between the two, as many examples on the web have it.

Mistake: symbols are replaced as text
Why: In 'ca b' the text 'a b' is found, but there is no symbol 'a': compare symbols.
Pitfall: symbols
Caught by: TestMerge
"""

import re

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        return tuple(re.sub(re.escape(" ".join(pair)), "".join(pair), " ".join(symbols)).split())
