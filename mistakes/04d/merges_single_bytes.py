"""Every token of the table is a merge.

Mistake: single bytes are taken for merges
Why: A token of one byte was made by no merge: skip it.
Pitfall: single-bytes
Caught by: TestMergesFromRanks
"""


from g2c.solutions.pretrained import merges_from_ranks as right


def merges_from_ranks(ranks):
    return {(rank, rank): rank for token, rank in ranks.items() if len(token) == 1} | right(ranks)
