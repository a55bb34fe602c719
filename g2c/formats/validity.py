"""Building a tokenizer from its tokens and merges, and checking one before it is saved.

A tokenizer that libraries would understand differently is refused.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from reprlib import repr
from typing import Any

import numpy as np

from g2c.common.errors import UnsupportedTokenizer
from g2c.common.files import no_garbage_collection
from g2c.common.table_limits import MAX_TOKENS, check_table_limits
from g2c.common.versioned import VersionedDict
from g2c.formats.merge_table import find_splits, merge_table
from g2c.formats.table import BYTES, Table, Text, finder, merge_all, wrong_merge
from g2c.tokenizer.base import BPEBase, Pair
from g2c.tokenizer.patterns import Pattern
from g2c.tokenizer.special_tokens import spelled_like_bytes

_MAX_ODD, _MAX_ODD_BYTES = 2000, 200
"""Limits for the tokens that no two tokens of lower ID make: their number, and the length of each."""


# --- building ---------------------------------------------------------------------------------------------------------


@no_garbage_collection()
def build_tokenizer(
    cls: type[BPEBase],
    vocab: Mapping[Text, int],
    alphabet: Sequence[Text],
    merges: Sequence[Any] | None,
    special_tokens: Mapping[str, int],
    pattern: Pattern | None,
    ignore_merges: bool = False,
) -> BPEBase:
    """Make a tokenizer from its tokens, which are bytes or spelled in an `alphabet` of 256 bytes, and its merges.

    `vocab` may contain the special tokens, too. `merges` are pairs of tokens, in the order learned; several may make
    the same token if they are in the order of the IDs that they make. None means all pairs that make a token. With
    `ignore_merges`, a piece that is a token always becomes that token, which then needs no merge. Raises what
    `check_tokenizer` raises, and UnsupportedTokenizer or ValueError if the parts do not fit together.
    """
    _check_ids(vocab)
    for byte, token in enumerate(alphabet):
        if token not in vocab:
            raise UnsupportedTokenizer(
                f"The vocabulary has no token for the byte {byte} ({token!r}), so this tokenizer leaves that byte out "
                "of every text. Train it with initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()."
            )
    tokenizer = cls(pattern=pattern)
    tokenizer._number(special_tokens, [vocab[token] for token in alphabet])
    more = sum(token not in vocab for token in special_tokens)
    check_table_limits(len(vocab) + more, len(special_tokens), sum(map(len, vocab)))
    by_id = None if merges is None else _by_id(vocab, merges)
    whole: dict[bytes, int] = {}
    each_is_split = False
    if by_id is None or ignore_merges or len(set(by_id.values())) < len(by_id):
        by_id, whole, each_is_split = _effective(vocab, alphabet, by_id, special_tokens)
    if whole and (not ignore_merges or pattern is None):
        raise UnsupportedTokenizer(
            f"No merge makes the token {next(iter(whole))!r}: it does not consist of two tokens of lower rank."
        )
    tokenizer.merges, tokenizer.whole_pieces = VersionedDict(by_id), whole
    tokenizer.vocab.update({token_id: token for token, token_id in whole.items()})
    table = merge_table(tokenizer)
    tokenizer.vocab.update(zip(table.ids.tolist(), table.tokens))
    unmade = next((token for token, token_id in vocab.items() if token_id not in tokenizer.vocab), None)
    if unmade is not None:
        raise UnsupportedTokenizer(
            f"The vocabulary gives {repr(unmade)} the ID {vocab[unmade]}, but that token is neither a byte nor a "
            "special token, and no merge makes it."
        )
    _check_table(tokenizer, table, each_is_split)
    return tokenizer


def _by_id(vocab: Mapping[Text, int], merges: Sequence[Any]) -> dict[Pair, int]:
    """Convert merges of tokens to merges of IDs."""
    by_id: dict[Pair, int] = {}
    for merge in merges:
        try:
            left, right = merge if isinstance(merge, (list, tuple)) else ()
            pair, new_id = (vocab[left], vocab[right]), vocab[left + right]
            problem = "an earlier merge makes the same token" if pair in by_id else ""
        except KeyError as unknown:
            problem = f"the vocabulary has no token {repr(unknown.args[0])}"
        except (TypeError, ValueError):
            problem = "a merge must be a pair of tokens"
        if problem:
            raise ValueError(f"merges[{len(by_id)}] is {repr(merge)}, but {problem}.")
        by_id[pair] = new_id
    return by_id


def _effective(
    vocab: Mapping[Text, int],
    alphabet: Sequence[Text],
    merges: Mapping[Pair, int] | None,
    special_tokens: Collection[str],
) -> tuple[dict[Pair, int], dict[bytes, int], bool]:
    """Reduce merges, several of which may make the same token, to those that encoding ever applies.

    For each token, that is the last merge when its bytes are encoded alone. Encoding applies no other merge to the same
    token: the first time that it did, only the two parts would be left of the token's bytes, and these bytes would have
    been merged as they are alone, where the last two parts are different.

    Returns the merges, the tokens that no merge makes, and whether `find_splits` split every token.
    """
    byte_of = {token: byte for byte, token in enumerate(alphabet)}
    learned = sorted(vocab.keys() - byte_of.keys() - set(special_tokens), key=vocab.__getitem__)
    try:
        spelled = [token if isinstance(token, bytes) else bytes(map(byte_of.__getitem__, token)) for token in learned]
    except KeyError as unknown:
        raise UnsupportedTokenizer(f"A token has the character {unknown}, which spells no byte.") from None
    if merges is not None and list(merges.values()) != sorted(merges.values()):
        raise UnsupportedTokenizer("Several merges make the same token, but their order is not that of the IDs.")
    byte_ids = [vocab[token] for token in alphabet]
    id_of = dict(zip(spelled, map(vocab.__getitem__, learned)))
    symbols, pairs = byte_ids.copy(), dict[bytes, Pair]()
    for token, split in zip(spelled, find_splits(spelled)):
        if split is not None:
            pairs[token] = symbols[split[0]], symbols[split[1]]
            symbols.append(id_of[token])
    made = id_of if merges is None else {token: merges.get(pair) for token, pair in pairs.items()}
    odd = [token for token in spelled if token not in pairs or made[token] != id_of[token]]
    if not odd:
        return {pairs[token]: token_id for token, token_id in id_of.items()}, {}, True
    if len(odd) > _MAX_ODD or any(len(token) > _MAX_ODD_BYTES for token in odd):
        raise UnsupportedTokenizer(
            f"No merge makes the token {odd[0]!r}: it does not consist of two tokens of lower rank. There are "
            f"{len(odd):,} such tokens in all."
        )
    bytes_of = {token_id: token for token, token_id in id_of.items()}
    bytes_of |= {token_id: bytes([byte]) for byte, token_id in enumerate(byte_ids)}

    def made_by(pair: Pair) -> int | None:
        return id_of.get(bytes_of[pair[0]] + bytes_of[pair[1]]) if merges is None else merges.get(pair)

    kept: dict[Pair, int] = {}
    whole: dict[bytes, int] = {}
    contains_odd = finder(odd)
    for token, token_id in id_of.items():
        pair = pairs.get(token)
        if contains_odd(token):
            merged, pair = merge_all([byte_ids[byte] for byte in token], made_by)
            pair = pair if merged == [token_id] else None
        if pair is None:
            whole[token] = token_id
        else:
            kept[pair] = token_id
    return kept, whole, False


def _check_ids(vocab: Mapping[Text, int]) -> None:
    for token, token_id in vocab.items():
        if type(token_id) is not int or not 0 <= token_id < MAX_TOKENS:
            kind = UnsupportedTokenizer if type(token_id) is int and token_id > 0 else ValueError
            raise kind(
                f"The vocabulary gives {repr(token)} the ID {repr(token_id)}, but an ID must be an integer from 0 to "
                f"{MAX_TOKENS - 1:,}."
            )
    if len(set(vocab.values())) < len(vocab):
        token_id = Counter(vocab.values()).most_common(1)[0][0]
        tokens = [repr(token) for token in vocab if vocab[token] == token_id]
        raise ValueError(f"The vocabulary gives the ID {token_id} to {tokens[0]} and {tokens[1]}.")


# --- checking ---------------------------------------------------------------------------------------------------------


def check_tokenizer(tokenizer: BPEBase) -> None:
    """Check that the state follows from special tokens, pattern and merges, and that each token encodes to itself.

    If each token does, as it always does after training, then the course's algorithm, `tokenizers` and tiktoken agree
    on every text. Raises ValueError for the first problem, and TypeError if this is not a tokenizer.
    """
    if not isinstance(tokenizer, BPEBase):
        raise TypeError(f"The tokenizer should be a BPETokenizer, but it is of type {type(tokenizer).__name__}.")
    token_bytes = sum(map(len, tokenizer.vocab.values()))
    check_table_limits(tokenizer.vocab_size, len(tokenizer.special_tokens), token_bytes)
    expected = BPEBase(pattern=tokenizer.pattern)
    expected._number(tokenizer.special_to_id, tokenizer.byte_ids)
    expected.vocab.update({token_id: token for token, token_id in tokenizer.whole_pieces.items()})
    for name in ("special_tokens", "special_to_id", "id_to_special", "special_token_ids", "pattern", "byte_ids"):
        found, right = getattr(tokenizer, name), getattr(expected, name)
        if found != right:
            raise ValueError(f"{name} is {repr(found)}, but it should be {repr(right)}.")
    table = merge_table(tokenizer)
    _check_table(tokenizer, table)
    expected.vocab.update(zip(table.ids.tolist(), table.tokens))
    if tokenizer.vocab != expected.vocab:
        token_ids = [*expected.vocab, *tokenizer.vocab]
        wrong = next(i for i in token_ids if tokenizer.vocab.get(i) != expected.vocab.get(i))
        found = repr(tokenizer.vocab[wrong]) if wrong in tokenizer.vocab else "missing"
        right = repr(expected.vocab[wrong]) if wrong in expected.vocab else "absent, as no merge makes it"
        raise ValueError(f"vocab[{wrong!r}] is {found}, but it should be {right}.")


def _check_table(tokenizer: BPEBase, table: Table, each_is_split: bool = False) -> None:
    """Check that the IDs of the merges have no gaps, that no two tokens are alike, and that each encodes to itself.

    Each token does if `find_splits` split every one, because it looks for a pair of which this is true.
    """
    new_ids = table.ids[BYTES:]
    right_ids = np.fromiter(islice(tokenizer.merge_ids(), len(new_ids)), np.int64, len(new_ids))
    if (new_ids != right_ids).any():
        position = int(np.argmax(new_ids != right_ids))
        pair = table.ids[table.left[position]].item(), table.ids[table.right[position]].item()
        problem = (
            f"should have the ID {right_ids[position]}: the IDs of merges start at {right_ids[0]} and increase by one, "
            "in the order learned, and only special tokens may have IDs in between. If this ID is a special token's, "
            "name that token, too."
        )
        raise wrong_merge(position, pair, new_ids[position].item(), problem)
    alike = (token.encode() for token in tokenizer.special_tokens if spelled_like_bytes(token))
    tokens = [*table.tokens, *tokenizer.whole_pieces, *alike]
    if len(set(tokens)) < len(tokens):
        raise UnsupportedTokenizer(f"Two tokens have the same bytes: {repr(Counter(tokens).most_common(1)[0][0])}.")
    if not each_is_split and table.broken is not None:
        symbol, earlier = table.broken
        raise UnsupportedTokenizer(
            f"The token {table.ids[symbol]} ({repr(table.tokens[symbol])}) does not encode to itself: the merge to "
            f"{table.ids[earlier]} ({repr(table.tokens[earlier])}), learned earlier, takes bytes from both its parts. "
            "Libraries would disagree on its encoding; train the tokenizer again."
        )
