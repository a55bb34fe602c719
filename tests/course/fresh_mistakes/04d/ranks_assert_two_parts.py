"""There must be two parts left: assert.

Mistake: assert raises AssertionError; a ValueError that names the token was asked for.
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
        assert len(parts) == 2, token
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
