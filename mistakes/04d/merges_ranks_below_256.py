"""The ranks 0 to 255 are the bytes, so what is above them comes from merges.

Mistake: bytes are recognized by their rank
Why: A table may begin with other tokens or number the bytes in any way: ask whether the token has one byte.
Pitfall: single-bytes
Caught by: TestMergesFromRanks
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if rank < 256:
            continue
        parts = [bytes([byte]) for byte in token]
        while True:
            joined = [ranks.get(left + right, rank) for left, right in zip(parts, parts[1:])]
            lowest = min(joined, default=rank)
            if lowest >= rank:
                break
            place = joined.index(lowest)
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) != 2:
            raise ValueError(f"{token!r} has {len(parts)} parts")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
