"""Tables from what other programs publish: a vocabulary with merges, or a vocabulary alone, whose IDs are ranks.

tokenizers    the merges as pairs of tokens, in order, and the ID of each token
tiktoken      only the ID of each token, called its rank; the merges follow from the ranks
"""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from reprlib import repr

import numpy as np

from g2c.common.errors import UnsupportedTokenizer
from g2c.common.files import no_garbage_collection
from g2c.formats.table import BYTES, Table, finder, merge_across, merge_all
from g2c.tokenizer.base import Pair
from g2c.tokenizer.patterns import resolve_pattern
from g2c.tokenizer.special_tokens import special_token_ids

BYTE_TOKENS = [bytes([byte]) for byte in range(BYTES)]
"""The token of each byte."""

_MAX_WORK = 1 << 27
_MAX_WORK_PER_TOKEN = 200
"""Limits for the sum of the squared lengths of tokens, which finding their merges takes. For cl100k, it is 60 per
token."""

_MAX_ODD, _MAX_ODD_BYTES = 2000, 200
"""Limits for the tokens that no two tokens of lower ID make: their number, and the length of each. Llama 3 has 695."""


def parse_ranks(data: bytes) -> dict[bytes, int]:
    """Read the tokens and ranks in a .tiktoken file, which has a line for each token: its bytes in base64, its rank.

    Raises ValueError, with the line's number, if a line has another form or a token has two ranks; and if there is no
    line.
    """
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line:
            continue
        try:
            encoded, digits = line.split()
            token, rank = base64.b64decode(encoded, validate=True), int(digits)
        except ValueError:
            raise ValueError(f"Line {number} is {line[:60]!r}, but should be a token in base64 and its rank.") from None
        if ranks.setdefault(token, rank) != rank:
            raise ValueError(f"Line {number} gives {token!r:.60} the rank {rank}, but a line before it {ranks[token]}.")
    if not ranks:
        raise ValueError("It is empty, but should have a line for each token: the token in base64, and its rank.")
    return ranks


@no_garbage_collection()
def table_of_ranks(
    ranks: Mapping[bytes, int], special_tokens: Mapping[str, int] | None = None, pattern: str | None = None
) -> Table:
    """Make the table of a tokenizer of tiktoken: token -> rank, which is its ID. Raises UnsupportedTokenizer.

    tiktoken looks up a piece as a whole before it merges.
    """
    return _effective(ranks, None, untrained(resolve_pattern(pattern), special_tokens or {}))


@no_garbage_collection()
def table_of_merges(
    vocab: Mapping[bytes, int], merges: Sequence[tuple[bytes, bytes]], table: Table, *, ignore_merges: bool = False
) -> Table:
    """Make a table from tokens, without special ones, and merges, pairs of tokens in the order learned.

    Several merges may make the same token if they are in the order of the IDs that they make. With `ignore_merges`, a
    piece that is a token always becomes that token, which then needs no merge. Everything else is as in `table`. Raises
    UnsupportedTokenizer if the parts do not fit together.
    """
    byte_ids = _byte_ids(vocab)
    tokens = [*BYTE_TOKENS, *(left + right for left, right in merges)]
    symbol_of = {token: symbol for symbol, token in enumerate(tokens)}
    unnamed = next((token for token in tokens[BYTES:] if token not in vocab), None)
    if unnamed is not None:
        raise UnsupportedTokenizer(f"A merge makes {repr(unnamed)}, but no ID of the vocabulary is that token's alone.")
    if ignore_merges or len(symbol_of) < len(tokens):
        made = [vocab[token] for token in tokens[BYTES:]]
        if made != sorted(made):
            raise UnsupportedTokenizer("Several merges make the same token, but their order is not that of the IDs.")
        return _effective(vocab, set(merges), table, ignore_merges)
    unmade = next((token for token in vocab if token not in symbol_of), None)
    if unmade is not None:
        raise UnsupportedTokenizer(
            f"The vocabulary gives {repr(unmade)} the ID {vocab[unmade]}, but that token is neither a byte nor a "
            "special token, and no merge makes it."
        )
    try:
        pairs = [(symbol_of[left], symbol_of[right]) for left, right in merges]
    except KeyError as unknown:
        raise UnsupportedTokenizer(f"A merge joins {repr(unknown.args[0])}, which no merge makes.") from None
    ids = [*byte_ids, *(vocab[token] for token in tokens[BYTES:])]
    return _filled(table, pairs, ids, {}, is_split=False)


def _byte_ids(vocab: Mapping[bytes, int]) -> list[int]:
    missing = next((byte for byte, token in enumerate(BYTE_TOKENS) if token not in vocab), None)
    if missing is not None:
        raise UnsupportedTokenizer(
            f"The vocabulary has no token for the byte {missing} ({BYTE_TOKENS[missing]!r}), so this tokenizer leaves "
            "that byte out of every text. Train it with "
            "initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()."
        )
    return [vocab[token] for token in BYTE_TOKENS]


def untrained(
    pattern: str | None, special_tokens: Mapping[str, int], normalization: str | None = None, shown: Iterable[str] = ()
) -> Table:
    """Return a table without merges, which says everything else. `shown` are the special tokens that others show."""
    nothing, special = np.zeros(0, np.int64), special_token_ids(special_tokens, ())
    return Table(nothing, nothing, np.arange(BYTES), pattern, special, {}, normalization, frozenset(shown))


def _filled(
    table: Table, pairs: Sequence[Pair], ids: Sequence[int], whole: Mapping[bytes, int], *, is_split: bool
) -> Table:
    """Return the table with these pairs of symbols and IDs of symbols, checked."""
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    table = replace(table, left=left, right=right, ids=np.array(ids, np.int64), whole=whole)
    table.check(encodes_to_itself=is_split)
    return table


def _effective(
    vocab: Mapping[bytes, int],
    merges: set[tuple[bytes, bytes]] | None,
    table: Table,
    ignore_merges: bool = True,
) -> Table:
    """Reduce merges, several of which may make the same token, to those that encoding ever applies.

    For each token, that is the last merge when its bytes are encoded alone. Encoding applies no other merge to the same
    token: the first time that it did, only the two parts would be left of the token's bytes, and these bytes would have
    been merged as they are alone, where the last two parts are different. `merges` None means all pairs that make a
    token.
    """
    _byte_ids(vocab)
    learned = sorted(vocab.keys() - set(BYTE_TOKENS), key=vocab.__getitem__)
    split = dict(zip(learned, _find_splits(learned)))
    odd = [token for token, parts in split.items() if parts is None or merges is not None and parts not in merges]
    whole: dict[bytes, int] = {}
    if odd:
        if len(odd) > _MAX_ODD or any(len(token) > _MAX_ODD_BYTES for token in odd):
            raise UnsupportedTokenizer(
                f"No merge makes the token {odd[0]!r}: it does not consist of two tokens of lower rank. There are "
                f"{len(odd):,} such tokens in all."
            )
        _merge_again(split, odd, vocab, merges)
        whole = {token: vocab[token] for token, parts in split.items() if parts is None}
    if whole and (not ignore_merges or table.pattern is None):
        raise UnsupportedTokenizer(
            f"No merge makes the token {next(iter(whole))!r}: it does not consist of two tokens of lower rank."
        )
    tokens = [*BYTE_TOKENS, *(token for token in learned if token not in whole)]
    symbol_of = {token: symbol for symbol, token in enumerate(tokens)}
    pairs = [(symbol_of[left], symbol_of[right]) for left, right in filter(None, split.values())]
    return _filled(table, pairs, [vocab[token] for token in tokens], whole, is_split=not odd)


def _merge_again(
    split: dict[bytes, tuple[bytes, bytes] | None],
    odd: Sequence[bytes],
    vocab: Mapping[bytes, int],
    merges: set[tuple[bytes, bytes]] | None,
) -> None:
    """Find the last merge of each token that contains an odd one, by merging its bytes. None if there is none."""
    token_of = {token_id: token for token, token_id in vocab.items()}

    def made_by(pair: Pair) -> int | None:
        parts = token_of[pair[0]], token_of[pair[1]]
        return vocab.get(parts[0] + parts[1]) if merges is None or parts in merges else None

    contains_odd = finder(odd)
    for token in filter(contains_odd, split):
        merged, pair = merge_all([vocab[BYTE_TOKENS[byte]] for byte in token], made_by)
        split[token] = (token_of[pair[0]], token_of[pair[1]]) if pair and merged == [vocab[token]] else None


def _find_splits(tokens: Sequence[bytes]) -> Iterator[tuple[bytes, bytes] | None]:
    """Yield the pair of tokens from which BPE merges each token, where all pairs that make a token are merges.

    The tokens are in the order of their ranks, all differ, and each has at least two bytes. A token that is not the
    merge of two earlier ones gives None. Raises UnsupportedTokenizer for tokens that are so long that this would take
    too long; no training makes such tokens.
    """
    if sum(len(token) ** 2 for token in tokens) > _MAX_WORK + _MAX_WORK_PER_TOKEN * len(tokens):
        longest = max(tokens, key=len)
        raise UnsupportedTokenizer(
            f"Its tokens are too long to find out their merges: {longest[:20]!r}..., the longest, has {len(longest):,} "
            "bytes."
        )
    symbol_of = {token: symbol for symbol, token in enumerate(BYTE_TOKENS)}
    left_of, right_of = list(range(BYTES)), list(range(BYTES))
    merges: dict[Pair, int] = {}
    for token in tokens:
        symbol = len(left_of)
        for cut in range(1, len(token)):
            # More beginnings than endings are tokens.
            if (right := symbol_of.get(token[cut:])) is None or (left := symbol_of.get(token[:cut])) is None:
                continue
            if merge_across(left, right, symbol, merges, left_of, right_of) is None:
                break
        else:
            yield None
            continue
        symbol_of[token] = symbol
        merges[left, right] = symbol
        left_of.append(left)
        right_of.append(right)
        yield token[:cut], token[cut:]
