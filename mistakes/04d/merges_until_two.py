"""Stop as soon as two parts are left; then the token itself cannot get in.

Mistake: tokens of higher rank are used
Why: They did not exist yet when this token was learned: only lower ranks count.
Pitfall: own-rank
Caught by: TestMergesFromRanks
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        parts = [bytes([byte]) for byte in token]
        if len(parts) == 1:
            continue
        while len(parts) > 2:
            places = [i for i in range(len(parts) - 1) if parts[i] + parts[i + 1] in ranks]
            if not places:
                raise ValueError(f"No merge makes {token!r}.")
            place = min(places, key=lambda i: ranks[parts[i] + parts[i + 1]])
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
