"""Byte-level BPE once more, as short as it can be: what the recognisers of mistakes compare with.

Not the answer key, so that a mistake in the one shows beside the other. `barriers` are IDs that no pair may contain.
"""

from collections.abc import Collection, Iterable, Sequence

Pair = tuple[int, int]


def pair_counts(ids: Sequence[int], barriers: Collection[int] = ()) -> dict[Pair, int]:
    """Pair of neighbours -> count, in order of first appearance.

    >>> pair_counts([1, 2, 3, 1, 2])
    {(1, 2): 2, (2, 3): 1, (3, 1): 1}
    """
    counts: dict[Pair, int] = {}
    for left, right in zip(ids, ids[1:]):
        if left not in barriers and right not in barriers:
            counts[left, right] = counts.get((left, right), 0) + 1
    return counts


def merge(ids: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """Replace the pair from left to right.

    >>> merge([1, 1, 1], (1, 1), 99)
    [99, 1]
    """
    merged: list[int] = []
    waiting = False
    for token_id in ids:
        # `waiting`: the last ID in `merged` is still free to become the left half of a pair.
        if waiting and (merged[-1], token_id) == pair:
            merged[-1] = new_id
            waiting = False
        else:
            merged.append(token_id)
            waiting = True
    return merged


def train(
    ids: Sequence[int], new_ids: Iterable[int], barriers: Collection[int] = ()
) -> tuple[dict[Pair, int], list[int]]:
    """The merges learned from `ids`, one for each of `new_ids` while pairs are left, and the IDs in the end.

    >>> train([116, 104, 101, 32, 116, 104, 101], [256, 257])
    ({(116, 104): 256, (256, 101): 257}, [257, 32, 257])
    """
    merges: dict[Pair, int] = {}
    ids = list(ids)
    for new_id in new_ids:
        counts = pair_counts(ids, barriers)
        if not counts:
            break
        pair = next(pair for pair in counts if counts[pair] == max(counts.values()))
        merges[pair] = new_id
        ids = merge(ids, pair, new_id)
    return merges, ids


def encode(pieces: Iterable[int | bytes], merges: dict[Pair, int]) -> list[int]:
    """IDs of the pieces of a text: for each merge in the order learned, replace its pair.

    >>> encode([b"the", 300], {(104, 101): 256, (116, 104): 257})
    [116, 256, 300]
    """
    ids: list[int] = []
    for piece in pieces:
        piece_ids = [piece] if isinstance(piece, int) else list(piece)
        for pair, new_id in sorted(merges.items(), key=lambda item: item[1]):
            piece_ids = merge(piece_ids, pair, new_id)
        ids.extend(piece_ids)
    return ids
