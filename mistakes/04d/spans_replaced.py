"""Decode each token, with errors replaced.

Mistake: each token is decoded by itself
Why: A part of a character is not text; look at the bytes instead.
Pitfall: inside
Caught by: TestCharacterSpans
"""


def character_spans(tokens):
    spans, start = [], 0
    for token in tokens:
        end = start + len(token.decode("utf-8", errors="replace"))
        spans.append((start, end))
        start = end
    return spans
