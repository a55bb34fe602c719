"""A token is the longest token that it begins with, and the rest.

Mistake: the longest beginning is taken
Why: Several splits can be tokens; the right one is where joining from single bytes ends.
Pitfall: lowest-rank
Caught by: TestMergesFromRanks
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        for cut in range(len(token) - 1, 0, -1):
            left, right = token[:cut], token[cut:]
            if ranks.get(left, rank) < rank and ranks.get(right, rank) < rank:
                merges[ranks[left], ranks[right]] = rank
                break
        else:
            raise ValueError(f"No merge makes {token!r}.")
    return merges
