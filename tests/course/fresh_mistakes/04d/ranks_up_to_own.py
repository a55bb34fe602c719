"""All ranks up to this token's rank exist.

Mistake: the token's own rank counts too, so it is joined to one part.
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([b]) for b in token]
        while len(parts) > 1:
            found = [(ranks[a + b], i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if a + b in ranks]
            found = [f for f in found if f[0] <= rank]
            if not found:
                break
            _, i = min(found)
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
        if len(parts) != 2:
            raise ValueError(f"{token!r} is not made of two tokens")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
