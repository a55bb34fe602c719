"""The first merge has ID 256, and then one more each.

Mistake: the ID of a merge is counted instead of being the token's rank; ranks can have gaps or begin elsewhere.
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([b]) for b in token]
        while True:
            found = [
                (ranks[a + b], i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if ranks.get(a + b, rank) < rank
            ]
            if not found:
                break
            _, i = min(found)
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
        if len(parts) != 2:
            raise ValueError(f"{token!r} is not made of two tokens")
        merges[ranks[parts[0]], ranks[parts[1]]] = 256 + len(merges)
    return merges
