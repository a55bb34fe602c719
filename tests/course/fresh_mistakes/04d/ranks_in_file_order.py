"""The dictionary is in the order of the file, which is the order of ranks, so a plain loop is enough.

Mistake: the tokens are not sorted by rank; for a dictionary in another order the merges come out in that order.
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in ranks.items():
        if len(token) == 1:
            continue
        parts = [bytes([byte]) for byte in token]
        while True:
            found = [(ranks[a + b], i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if ranks.get(a + b, rank) < rank]
            if not found:
                break
            _, i = min(found)
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
        if len(parts) != 2:
            raise ValueError(f"{token!r} is left in {len(parts)} parts")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
