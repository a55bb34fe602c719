"""Each token starts where the one before ends.

Mistake: a token starts after the character that it continues
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
