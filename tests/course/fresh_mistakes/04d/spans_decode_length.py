"""I decode each token with errors="replace" and take the length of the text.

Mistake: a part of a character decodes to a replacement character that counts as a full one, so a split character is counted twice and everything behind shifts.
"""


def character_spans(tokens):
    spans = []
    start = 0
    for token in tokens:
        n = len(token.decode("utf-8", errors="replace"))
        spans.append((start, start + n))
        start += n
    return spans
