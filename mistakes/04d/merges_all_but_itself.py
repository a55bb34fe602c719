"""Only the token itself must not be joined; every other token may.

Mistake: tokens of higher rank are used
Why: They did not exist yet when this token was learned: only lower ranks count.
Pitfall: own-rank
Caught by: TestMergesFromRanks
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([byte]) for byte in token]
        while True:
            joined = [left + right for left, right in zip(parts, parts[1:])]
            places = [place for place, text in enumerate(joined) if text in ranks and text != token]
            if not places:
                break
            place = min(places, key=lambda i: ranks[joined[i]])
            parts[place : place + 2] = [joined[place]]
        if len(parts) != 2:
            raise ValueError(f"No merge makes {token!r}.")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
