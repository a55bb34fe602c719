"""At the end two parts are left, so I take the first and the last one.

Mistake: nobody looks whether there are more than two parts, so a token that no merge can make gives a wrong pair and no ValueError.
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) < 2:
            continue
        parts = [bytes([b]) for b in token]
        while True:
            best = None
            for i in range(len(parts) - 1):
                r = ranks.get(parts[i] + parts[i + 1], rank)
                if r < rank and (best is None or r < best[0]):
                    best = (r, i)
            if best is None:
                break
            i = best[1]
            parts = parts[:i] + [parts[i] + parts[i + 1]] + parts[i + 2 :]
        merges[(ranks[parts[0]], ranks[parts[-1]])] = rank
    return merges
