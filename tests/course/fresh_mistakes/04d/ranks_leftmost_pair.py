"""I join neighbours from left to right as long as the result is a token of lower rank.

Mistake: the leftmost pair is joined, not the one of lowest rank, so other parts are left.
"""


def merges_from_ranks(ranks):
    merges = {}
    for token in sorted(ranks, key=ranks.get):
        rank = ranks[token]
        if len(token) == 1:
            continue
        parts = [token[i : i + 1] for i in range(len(token))]
        i = 0
        while i < len(parts) - 1:
            joined = parts[i] + parts[i + 1]
            if joined in ranks and ranks[joined] < rank:
                parts[i : i + 2] = [joined]
                i = 0
            else:
                i += 1
        if len(parts) > 2:
            raise ValueError(f"no merge makes {token!r}")
        merges[(ranks[parts[0]], ranks[parts[1]])] = rank
    return merges
