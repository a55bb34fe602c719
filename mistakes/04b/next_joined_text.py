"""Two symbols that make the text of a learned symbol can be joined.

Mistake: symbols are joined because together they make a learned text
Why: l + ow and lo + w make the same text and are two pairs: look for the pair itself in merges.
Pitfall: symbols
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        made = {left + right: (left, right) for left, right in reversed(list(zip(symbols, symbols[1:])))}
        for left, right in self.merges:
            if left + right in made:
                return made[left + right]
        return None
