"""A span is where it starts and how long it is.

Mistake: the second number is the token's length in characters and not its end.
"""


def character_spans(tokens):
    spans, count = [], 0
    for token in tokens:
        start = count - 1 if token[0] & 0b11000000 == 0b10000000 else count
        n = sum(1 for byte in token if byte & 0b11000000 != 0b10000000)
        count += n
        spans.append((start, count - start))
    return spans
