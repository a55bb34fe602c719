"""A token is as long as its bytes.

Mistake: bytes are counted
Pitfall: bytes-for-characters
Caught by: TestCharacterSpans
"""


def character_spans(tokens):
    spans, start = [], 0
    for token in tokens:
        spans.append((start, start + len(token)))
        start += len(token)
    return spans
