"""Tables from what other programs publish: a vocabulary with merges, or a vocabulary alone, whose IDs are ranks.

tokenizers    the merges as pairs of tokens, in order, and the ID of each token
tiktoken      only the ID of each token, called its rank; the merges follow from the ranks
"""

import base64
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from reprlib import repr

import numpy as np

from coach.common.files import no_garbage_collection
from g2c.common.errors import UnsupportedTokenizer
from g2c.formats.table import BYTE_TOKENS, Table
from g2c.tokenizer.patterns import resolve_pattern
from g2c.tokenizer.special_tokens import special_token_ids

TokenPair = tuple[bytes, bytes]

MAX_WORK = 1 << 26
"""The limit for the sum of the squared lengths of tokens, which finding their merges takes. In o200k, it is 1 << 24."""


def parse_ranks(data: bytes) -> dict[bytes, int]:
    """Read a .tiktoken file, which has a line for each token: its bytes in base64, and its rank. Raises ValueError if a
    line has another form."""
    lines = map(bytes.split, filter(None, data.splitlines()))
    return {base64.b64decode(token, validate=True): int(rank) for token, rank in lines}


def untrained(
    pattern: str | None, special_tokens: Mapping[str, int], normalization: str | None = None, shown: Iterable[str] = ()
) -> Table:
    """Return a table without merges, which says everything else. `shown` are the special tokens that others show."""
    nothing, special = np.zeros(0, np.int64), special_token_ids(special_tokens, ())
    return Table(nothing, nothing, np.arange(256), pattern, special, {}, normalization, frozenset(shown))


@no_garbage_collection()
def table_of_ranks(
    ranks: Mapping[bytes, int], special_tokens: Mapping[str, int] | None = None, pattern: str | None = None
) -> Table:
    """Make the table of a tokenizer of tiktoken, which looks up a piece as a whole before it merges. A token's rank is
    its ID. Raises UnsupportedTokenizer."""
    return _last_merges(ranks, None, untrained(resolve_pattern(pattern), special_tokens or {}), ignore_merges=True)


@no_garbage_collection()
def table_of_merges(
    vocab: Mapping[bytes, int], merges: Sequence[TokenPair], table: Table, *, ignore_merges: bool = False
) -> Table:
    """Make a table from tokens, without special ones, and merges, pairs of tokens in the order learned.

    Several merges may make the same token if they are in the order of the IDs. With `ignore_merges`, a piece that is a
    token always becomes that token, which then needs no merge. Everything else is as in `table`. Raises
    UnsupportedTokenizer if the parts do not fit together.
    """
    made = [left + right for left, right in merges]
    unnamed = next((token for token in made if token not in vocab), None)
    if unnamed is not None:
        raise UnsupportedTokenizer(
            f"A merge makes {repr(unnamed)}, which the vocabulary lacks, or has only as a special token."
        )
    made_ids = [vocab[token] for token in made]
    if ignore_merges or len(set(made)) < len(made):
        if made_ids != sorted(made_ids):
            raise UnsupportedTokenizer("Several merges make the same token, but their order is not that of the IDs.")
        return _last_merges(vocab, set(merges), table, ignore_merges=ignore_merges)
    unmade = vocab.keys() - {*BYTE_TOKENS, *made}
    if unmade:
        token = min(unmade, key=vocab.__getitem__)
        raise UnsupportedTokenizer(
            f"The vocabulary gives {repr(token)} the ID {vocab[token]}, but that token is neither a byte nor a special "
            "token, and no merge makes it."
        )
    return _filled(vocab, made, merges, table, encodes_to_itself=False)


def _last_merges(
    vocab: Mapping[bytes, int], merges: Collection[TokenPair] | None, table: Table, *, ignore_merges: bool
) -> Table:
    """Reduce merges, several of which may make the same token, to those that encoding ever applies.

    For each token, that is the last merge when its bytes are encoded alone. Encoding applies no other merge to the same
    token: the first time that it did, only the two parts would be left of the token's bytes, and these bytes would have
    been merged as they are alone, where the last two parts are different. `merges` None means all pairs that make a
    token.
    """
    learned = sorted(vocab.keys() - {*BYTE_TOKENS}, key=vocab.__getitem__)
    if sum(len(token) ** 2 for token in learned) > MAX_WORK:
        raise UnsupportedTokenizer(f"Its tokens are too long to find their merges: {repr(max(learned, key=len))}.")

    def rank_of(left: bytes, right: bytes) -> float:
        return vocab.get(left + right, inf) if merges is None or (left, right) in merges else inf

    found = {token: merged(token, rank_of) for token in learned}
    pairs = {token: pair for token, (parts, pair) in found.items() if pair and parts == [token]}
    whole = {token: vocab[token] for token in learned if token not in pairs}
    if whole and (not ignore_merges or table.pattern is None):
        raise UnsupportedTokenizer(f"No merge makes the token {next(iter(whole))!r}: its bytes encode to other tokens.")
    return _filled(vocab, list(pairs), list(pairs.values()), replace(table, whole=whole), encodes_to_itself=True)


def merged(token: bytes, rank_of: Callable[[bytes, bytes], float]) -> tuple[list[bytes], TokenPair | None]:
    """Merge the bytes of a token as `encode` does. Return the parts that remain, and the pair that was joined last.

    `rank_of` returns the rank of the merge that joins two parts, and infinity if there is none.

    >>> ranks = {b"th": 256, b"he": 257, b"the": 258}
    >>> merged(b"then", lambda left, right: ranks.get(left + right, inf))
    ([b'the', b'n'], (b'th', b'e'))
    """
    parts, last = [token[at : at + 1] for at in range(len(token))], None
    ranks = [rank_of(left, right) for left, right in pairwise(parts)]
    while ranks and (lowest := min(ranks)) < inf:
        at = ranks.index(lowest)
        last = parts[at], parts[at + 1]
        parts[at : at + 2] = [last[0] + last[1]]
        del ranks[at]
        # Only the pairs on either side of it have changed.
        for near in range(max(at - 1, 0), min(at + 1, len(ranks))):
            ranks[near] = rank_of(parts[near], parts[near + 1])
    return parts, last


def _filled(
    vocab: Mapping[bytes, int],
    made: Sequence[bytes],
    pairs: Sequence[TokenPair],
    table: Table,
    *,
    encodes_to_itself: bool,
) -> Table:
    """Return the table, checked, with merges of these pairs, and the tokens that they make."""
    missing = next((byte for byte, token in enumerate(BYTE_TOKENS) if token not in vocab), None)
    if missing is not None:
        raise UnsupportedTokenizer(
            f"The vocabulary has no token for the byte {missing} ({BYTE_TOKENS[missing]!r}), so this tokenizer leaves "
            "that byte out of every text. Train it with "
            "initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()."
        )
    tokens = [*BYTE_TOKENS, *made]
    symbol_of = {token: symbol for symbol, token in enumerate(tokens)}
    try:
        symbols = [(symbol_of[left], symbol_of[right]) for left, right in pairs]
    except KeyError as unknown:
        raise UnsupportedTokenizer(f"A merge joins {repr(unknown.args[0])}, which no merge makes.") from None
    left, right = np.array(symbols, np.int64).reshape(-1, 2).T.copy()
    table = replace(table, left=left, right=right, ids=np.array([vocab[token] for token in tokens]))
    table.check(encodes_to_itself=encodes_to_itself)
    return table
