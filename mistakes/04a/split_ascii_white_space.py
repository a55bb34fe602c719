"""White space is the space, the tab and the line end.

Mistake: only some kinds of white space are borders
Why: Unicode has more than these: call split without an argument.
Pitfall: words
Caught by: TestSplit
"""

import re

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return [part for part in re.split("[ \\t\\n\\r]+", text.lower()) if part]
