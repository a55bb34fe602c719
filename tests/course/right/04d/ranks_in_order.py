"""Two lists for the characters, the smallest (rank, place) for the parts, spans from the text itself."""


def byte_characters():
    visible = [byte for byte in range(256) if 33 <= byte <= 126 or 161 <= byte <= 255 and byte != 173]
    hidden = [byte for byte in range(256) if byte not in visible]
    table = dict(zip(visible, map(chr, visible))) | {byte: chr(256 + place) for place, byte in enumerate(hidden)}
    return dict(sorted(table.items()))


def merges_from_ranks(ranks):
    merges = {}
    for token in sorted(ranks, key=ranks.get):
        if len(token) < 2:
            continue
        parts = list(map(bytes, zip(token)))
        while len(parts) > 1:
            known = [(ranks.get(a + b, ranks[token]), i) for i, (a, b) in enumerate(zip(parts, parts[1:]))]
            rank, place = min(known)
            if rank >= ranks[token]:
                break
            parts = parts[:place] + [parts[place] + parts[place + 1]] + parts[place + 2 :]
        if len(parts) != 2:
            raise ValueError(f"{token} comes to {len(parts)} parts")
        left, right = parts
        merges[ranks[left], ranks[right]] = ranks[token]
    return merges


def character_spans(tokens):
    tokens = list(tokens)
    owners = []
    for number, character in enumerate(b"".join(tokens).decode()):
        owners += [number] * len(character.encode())
    spans, place = [], 0
    for token in tokens:
        spans.append((owners[place], owners[place + len(token) - 1] + 1))
        place += len(token)
    return spans
