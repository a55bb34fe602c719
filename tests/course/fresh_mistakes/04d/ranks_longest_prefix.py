"""The left part is the longest token that the token begins with.

Mistake: the split with the longest prefix need not be the pair that was merged.
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        for i in range(len(token) - 1, 0, -1):
            left, right = token[:i], token[i:]
            if ranks.get(left, rank) < rank and ranks.get(right, rank) < rank:
                merges[ranks[left], ranks[right]] = rank
                break
        else:
            raise ValueError(f"{token!r} is not made of two tokens")
    return merges
