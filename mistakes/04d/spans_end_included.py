"""The end is the last character that the token covers.

Mistake: the end is one too low
Why: A span ends like a slice, before its end: (0, 5) covers 0 to 4.
Pitfall: bytes-for-characters
Caught by: TestCharacterSpans
"""

from g2c.solutions.pretrained import character_spans as right


def character_spans(tokens):
    return [(start, end - 1) for start, end in right(tokens)]
