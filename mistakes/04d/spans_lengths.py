"""Where it starts, and how long it is.

Mistake: the length stands where the end belongs
Why: A span is (start, end), as in a slice.
Pitfall: bytes-for-characters
Caught by: TestCharacterSpans
"""


from g2c.solutions.pretrained import character_spans as right


def character_spans(tokens):
    return [(start, end - start) for start, end in right(tokens)]
