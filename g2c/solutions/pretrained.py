"""Answer key of module 04d. What each function takes and returns is documented in g2c/tokenizer/pretrained.py."""


def byte_characters():
    visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
    characters = {}
    substitutes = 0
    for byte in range(256):
        if byte in visible:
            characters[byte] = chr(byte)
        else:
            characters[byte] = chr(256 + substitutes)
            substitutes += 1
    return characters


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([byte]) for byte in token]
        while True:
            joined = [ranks.get(left + right, rank) for left, right in zip(parts, parts[1:])]
            lowest = min(joined, default=rank)
            # Tokens of this rank or higher did not exist yet when this one was learned.
            if lowest >= rank:
                break
            place = joined.index(lowest)
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) != 2:
            raise ValueError(f"No merge makes the token {token!r}: tokens of lower rank leave the parts {parts}.")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges


def character_spans(tokens):
    spans = []
    begun = 0
    for token in tokens:
        begins = [byte & 0b11000000 != 0b10000000 for byte in token]
        # A token whose first byte begins no character starts inside the previous character.
        start = begun if begins[0] else begun - 1
        begun += sum(begins)
        spans.append((start, begun))
    return spans
