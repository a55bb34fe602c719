"""Join whatever is in the table, until nothing is.

Mistake: the token itself is one of its parts
Why: Its own rank does not count: stop when two parts are left.
Pitfall: own-rank
Caught by: TestMergesFromRanks
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([byte]) for byte in token]
        while places := [i for i in range(len(parts) - 1) if parts[i] + parts[i + 1] in ranks]:
            place = min(places, key=lambda i: ranks[parts[i] + parts[i + 1]])
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
