"""Every token goes from where the last one ended to that plus its length.

Mistake: bytes are counted and not characters, and len(token) is added.
"""


def character_spans(tokens):
    spans = []
    position = 0
    for token in tokens:
        spans.append((position, position + len(token)))
        position += len(token)
    return spans
