"""The token was made of two tokens, so I try every place to cut it and take the first where both halves are tokens.

Mistake: the first cut with two known halves is taken, without playing the merges through; often that is another pair, and halves of higher rank are accepted too.
"""


def merges_from_ranks(ranks):
    merges = {}
    for token, rank in sorted(ranks.items(), key=lambda kv: kv[1]):
        if len(token) == 1:
            continue
        for cut in range(1, len(token)):
            left, right = token[:cut], token[cut:]
            if left in ranks and right in ranks:
                merges[(ranks[left], ranks[right])] = rank
                break
        else:
            raise ValueError(f"{token!r} cannot be made by a merge")
    return merges
