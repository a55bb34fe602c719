"""Start is the end of the token before, end is start plus the characters that begin in it.

Mistake: a token whose first byte continues a character does not start one lower, its span leaves out (or is empty for) that character.
"""


def character_spans(tokens):
    spans = []
    count = 0
    for token in tokens:
        start = count
        for byte in token:
            if byte & 0b11000000 != 0b10000000:
                count += 1
        spans.append((start, count))
    return spans
