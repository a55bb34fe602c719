"""A byte with the top bit set is part of a longer character, so only bytes below 128 begin one.

Mistake: the first byte of a multi-byte character (11xxxxxx) is taken for a continuation, so such characters are never counted.
"""


def character_spans(tokens):
    spans = []
    begun = 0
    for token in tokens:
        start = begun if token[0] < 128 else begun - 1
        begun += len([byte for byte in token if byte < 128])
        spans.append((start, begun))
    return spans
