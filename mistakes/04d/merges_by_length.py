"""Long tokens are made of short ones, so I take the short ones first.

Mistake: the tokens are sorted by their length
Why: A long token may have been learned before a short one: sort by rank alone.
Pitfall: lowest-rank
Caught by: TestMergesFromRanks
"""

from g2c.solutions.pretrained import merges_from_ranks as answer_key


def merges_from_ranks(ranks):
    token_of = {rank: token for token, rank in ranks.items()}
    merges = answer_key(ranks)
    return dict(sorted(merges.items(), key=lambda item: (len(token_of[item[1]]), item[1])))
