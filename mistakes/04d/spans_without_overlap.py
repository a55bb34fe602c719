"""Each token starts where the one before ends.

Mistake: a token starts after the character that it continues
Why: When its first byte begins no character, it starts one character earlier.
Pitfall: inside
Caught by: TestCharacterSpans
"""


def character_spans(tokens):
    spans, start = [], 0
    for token in tokens:
        end = start + sum(byte & 0b11000000 != 0b10000000 for byte in token)
        spans.append((start, end))
        start = end
    return spans
