"""For each token, count the characters that begin in it.

Mistake: the count is assigned and not added up: the characters before the token are forgotten.
"""


def character_spans(tokens):
    spans, count = [], 0
    for token in tokens:
        start = count - 1 if token[0] & 0b11000000 == 0b10000000 else count
        count = len([byte for byte in token if byte & 0b11000000 != 0b10000000])
        spans.append((start, start + count))
    return spans
