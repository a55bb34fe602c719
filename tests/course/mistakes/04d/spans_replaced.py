"""Decode each token, with errors replaced.

Mistake: each token is decoded by itself
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
