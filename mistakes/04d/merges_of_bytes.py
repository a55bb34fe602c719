"""A byte is its own ID.

Mistake: bytes stand where IDs belong
Why: The ID of a byte is its rank, ranks[part].
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
        merges[tuple(part[0] if len(part) == 1 else ranks[part] for part in parts)] = rank
    return merges
