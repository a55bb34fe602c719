"""Of equal ranks I take the last one that I find.

Mistake: of two places with the same rank the right one is taken
Why: Pairs are joined from left to right: min takes the first.
Pitfall: lowest-rank
Caught by: TestMergesFromRanks
"""

def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        parts = [bytes([byte]) for byte in token]
        while len(parts) > 2:
            places = [i for i in range(len(parts) - 1) if ranks.get(parts[i] + parts[i + 1], rank) < rank]
            if not places:
                raise ValueError(f"no merge makes {token!r}")
            place = min(reversed(places), key=lambda i: ranks[parts[i] + parts[i + 1]])
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) == 2:
            merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
