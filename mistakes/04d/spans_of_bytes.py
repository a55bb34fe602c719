"""A token is as long as its bytes.

Mistake: bytes are counted
Why: Count the bytes that begin a character: those that are not 10xxxxxx.
Pitfall: bytes-for-characters
Caught by: TestCharacterSpans
"""


def character_spans(tokens):
    spans, start = [], 0
    for token in tokens:
        spans.append((start, start + len(token)))
        start += len(token)
    return spans
