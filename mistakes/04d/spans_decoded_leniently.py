"""A token's text has as many characters as it covers; with errors="ignore", a part of one is no problem.

Mistake: each token is decoded by itself
Why: A part of a character is not text, so it decodes to nothing: look at the bytes instead.
Pitfall: inside
Caught by: TestCharacterSpans
"""


def character_spans(tokens):
    spans, start = [], 0
    for token in tokens:
        end = start + len(token.decode("utf-8", errors="ignore"))
        spans.append((start, end))
        start = end
    return spans
