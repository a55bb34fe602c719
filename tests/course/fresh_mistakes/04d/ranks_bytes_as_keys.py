"""The pair that was merged is the two parts that are left, I save them.

Mistake: the keys are pairs of bytes objects and not pairs of IDs.
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = [bytes([b]) for b in token]
        while len(parts) > 2:
            options = []
            for i in range(len(parts) - 1):
                r = ranks.get(parts[i] + parts[i + 1])
                if r is not None and r < rank:
                    options.append((r, i))
            if not options:
                raise ValueError(f"too many parts for {token!r}: {parts}")
            _, i = min(options)
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
        merges[tuple(parts)] = rank
    return merges
