"""A token is two tokens put together: find a place to cut it.

Mistake: the first split into two tokens is taken
Why: Several splits can be tokens; the right one is where joining from single bytes ends.
Pitfall: lowest-rank
Caught by: TestMergesFromRanks
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        for cut in range(1, len(token)):
            left, right = token[:cut], token[cut:]
            if left in ranks and right in ranks:
                merges[ranks[left], ranks[right]] = rank
                break
        else:
            if len(token) > 1:
                raise ValueError(f"No merge makes {token!r}.")
    return merges
