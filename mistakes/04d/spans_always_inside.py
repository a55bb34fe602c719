"""A token begins where the one before it ended.

Mistake: every token starts one character early
Why: Only a token whose first byte begins no character does.
Pitfall: inside
Caught by: TestCharacterSpans
"""

def character_spans(tokens):
    spans, begun = [], 0
    for token in tokens:
        begins = [byte & 0b11000000 != 0b10000000 for byte in token]
        end = begun + sum(begins)
        spans.append((begun - 1, end))
        begun = end
    return spans
