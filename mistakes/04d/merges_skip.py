"""A token that does not work out is not a merge.

Mistake: a token that no merge makes is passed over
Why: More than two parts are an error that names the token.
Pitfall: two-parts
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
            continue
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
