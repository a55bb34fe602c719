"""Whether the token ends inside a character is seen at its last byte.

Mistake: the last byte decides where a token starts
Why: Its first byte does: token[0].
Pitfall: inside
Caught by: TestCharacterSpans
"""

def character_spans(tokens):
    spans, begun = [], 0
    for token in tokens:
        begins = [byte & 0b11000000 != 0b10000000 for byte in token]
        end = begun + sum(begins)
        spans.append((begun if begins[-1] else begun - 1, end))
        begun = end
    return spans
