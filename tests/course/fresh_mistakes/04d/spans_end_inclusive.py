"""The end is the last character of the token.

Mistake: a span works like a slice, so its end is one past the last character.
"""


def character_spans(tokens):
    spans, count = [], 0
    for token in tokens:
        start = count - 1 if token[0] & 0b11000000 == 0b10000000 else count
        count += sum(1 for byte in token if byte & 0b11000000 != 0b10000000)
        spans.append((start, count - 1))
    return spans
