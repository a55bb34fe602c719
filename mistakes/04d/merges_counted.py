"""The first merge is 256, the next one 257.

Mistake: new IDs are counted
Why: The ID that a merge makes is the rank of its token.
Pitfall: byte-ids
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
            place = min(places, key=lambda i: ranks[parts[i] + parts[i + 1]])
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) != 2:
            raise ValueError(f"No merge makes {token!r}.")
        merges[ranks[parts[0]], ranks[parts[1]]] = 256 + len(merges)
    return merges
