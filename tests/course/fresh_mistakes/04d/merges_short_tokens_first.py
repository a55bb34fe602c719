"""A token is made of shorter ones, so the shorter ones come first.

Mistake: the merges are in the order of the lengths.
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: (len(item[0]), item[1])):
        if len(token) == 1:
            continue
        parts = [bytes([byte]) for byte in token]
        while True:
            joined = [ranks.get(left + right, rank) for left, right in zip(parts, parts[1:])]
            lowest = min(joined, default=rank)
            # Tokens of this rank or higher did not exist yet when this one was learned.
            if lowest >= rank:
                break
            place = joined.index(lowest)
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) != 2:
            raise ValueError(f"No merge makes the token {token!r}: tokens of lower rank leave the parts {parts}.")
        merges[ranks[parts[0]], ranks[parts[1]]] = rank
    return merges
