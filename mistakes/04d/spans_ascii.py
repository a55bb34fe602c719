"""A byte of a character is one below 128.

Mistake: only ASCII bytes are counted
Why: Every byte that is not 10xxxxxx begins a character.
Pitfall: bytes-for-characters
Caught by: TestCharacterSpans
"""

def character_spans(tokens):
    spans, begun = [], 0
    for token in tokens:
        begins = [byte & 0b11000000 != 0b10000000 for byte in token]
        end = begun + sum(byte < 128 for byte in token)
        spans.append((begun, end))
        begun = end
    return spans
