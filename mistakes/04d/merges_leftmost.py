"""Join what fits, from left to right.

Mistake: the leftmost pair is joined first
Why: Look at all pairs, and join the one whose token has the lowest rank.
Pitfall: lowest-rank
Caught by: TestMergesFromRanks
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([byte]) for byte in token]
        while True:
            places = [i for i in range(len(parts) - 1) if ranks.get(parts[i] + parts[i + 1], rank) < rank]
            if not places:
                break
            place = places[0]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) != 2:
            raise ValueError(f"No merge makes {token!r}.")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
