"""If the token starts inside a character I go back by one and count on from there.

Mistake: the count itself is decreased, not just the start, so the end and all later spans are one too low.
"""


def character_spans(tokens):
    spans = []
    pos = 0
    for token in tokens:
        if token[0] & 0b11000000 == 0b10000000:
            pos -= 1
        start = pos
        pos += sum(1 for b in token if b & 0b11000000 != 0b10000000)
        spans.append((start, pos))
    return spans
