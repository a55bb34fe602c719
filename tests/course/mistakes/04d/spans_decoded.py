"""The length of a token is the length of its text.

Mistake: each token is decoded by itself
Pitfall: inside
Caught by: TestCharacterSpans
"""


def character_spans(tokens):
    spans, start = [], 0
    for token in tokens:
        end = start + len(token.decode("utf-8"))
        spans.append((start, end))
        start = end
    return spans
