"""I sort the tokens, then the order of the file plays no part.

Mistake: the merges are not in the order of the ranks
Why: Sort the tokens by their rank first.
Pitfall: lowest-rank
Caught by: TestMergesFromRanks
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items()):
        if len(token) == 1:
            continue
        parts = [bytes([byte]) for byte in token]
        while True:
            places = [i for i in range(len(parts) - 1) if ranks.get(parts[i] + parts[i + 1], rank) < rank]
            if not places:
                break
            place = min(places, key=lambda i: ranks[parts[i] + parts[i + 1]])
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) != 2:
            raise ValueError(f"No merge makes {token!r}.")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
