"""Checks that every library interprets a tokenizer's state the same way, before it is saved and after it is loaded."""

from itertools import chain, count, islice
from numbers import Integral
from operator import add, eq, is_
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from tokenizers.models import BPE

from g2c.common.table_limits import check_table_limits
from g2c.formats.hf_format import spellings
from g2c.formats.merge_splits import BYTES, first_broken_token
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import resolve_pattern
from g2c.tokenizer.special_tokens import ID_LIMIT, special_token_ids

_LONGEST_SHOWN = 100


def check_tokenizer(tokenizer: BPEBase) -> None:
    """Check size, special tokens, pattern, merges and vocabulary, and that each learned token encodes to itself alone.

    If the last of these holds, the course's algorithm, `tokenizers` and tiktoken agree on every text. It always holds
    after training, but may not hold for merges written by hand.

    Raises:
        TypeError: `tokenizer` is not a BPETokenizer.
        ValueError: the state is not valid. The message names the first problem.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> tokenizer.merges = {(104, 101): 256}
    >>> check_tokenizer(tokenizer)
    Traceback (most recent call last):
        ...
    ValueError: The merge (104, 101) -> 256 has no entry in vocab: vocab[256] should be b'he'.
    """
    if not isinstance(tokenizer, BPEBase):
        raise TypeError(f"The tokenizer should be a BPETokenizer, but it is of type {type(tokenizer).__name__}.")
    state = _State.of(tokenizer)
    if state.is_that_of(_VALID.get(tokenizer)):
        return
    token_bytes = sum(map(len, tokenizer.vocab.values()))
    check_table_limits(tokenizer.vocab_size, len(tokenizer.special_tokens), token_bytes)
    _check_byte_ids(tokenizer.byte_ids)
    _check_special_tokens_and_pattern(tokenizer)
    _check_first_entries(tokenizer)
    parts = _check_merges(tokenizer)
    _check_no_other_entries(tokenizer)
    _check_spellings(tokenizer)
    _check_tokens_encode_to_themselves(tokenizer, parts)
    _VALID[tokenizer] = state


class _State(NamedTuple):
    """A copy of all that is checked, to notice later changes."""

    merges: list[object]
    new_ids: list[object]
    ids: list[object]
    tokens: list[object]
    others: tuple[object, ...]

    @classmethod
    def of(cls, tokenizer: BPEBase) -> "_State":
        merges, vocab = tokenizer.merges, tokenizer.vocab
        special = dict(tokenizer.special_to_id), dict(tokenizer.id_to_special)
        others = tokenizer.byte_ids, tokenizer.pattern, tokenizer.special_tokens, tokenizer.special_token_ids, special
        return cls(list(merges), list(merges.values()), list(vocab), list(vocab.values()), others)

    def is_that_of(self, other: "_State | None") -> bool:
        """Whether both have the same objects, which is faster to find out than whether they are equal."""
        return (
            other is not None
            and self.others == other.others
            and all(len(one) == len(two) and all(map(is_, one, two)) for one, two in zip(self[:-1], other[:-1]))
        )


_VALID: WeakKeyDictionary[BPEBase, _State] = WeakKeyDictionary()
"""The state in which a tokenizer was valid: it is checked when it is loaded, and would be again before it is used."""


def _check_byte_ids(byte_ids: object) -> None:
    if isinstance(byte_ids, bytes) and sorted(byte_ids) == list(range(256)):
        return
    if isinstance(byte_ids, tuple) and len(byte_ids) == len(set(byte_ids)) == 256 and all(map(_is_id, byte_ids)):
        if min(byte_ids) >= 0 and 255 < max(byte_ids) < ID_LIMIT:
            return
    raise ValueError(
        "byte_ids must be bytes that contain each of the IDs 0 to 255 once, or a tuple of 256 IDs that are not these."
    )


def _check_special_tokens_and_pattern(tokenizer: BPEBase) -> None:
    special_to_id = special_token_ids(tokenizer.special_to_id, tokenizer.byte_ids)
    if tuple(special_to_id) != tokenizer.special_tokens:
        raise ValueError(f"special_to_id is {special_to_id!r}, but special_tokens is {tokenizer.special_tokens!r}.")
    if tokenizer.id_to_special != {token_id: token for token, token_id in special_to_id.items()}:
        raise ValueError(f"id_to_special is {tokenizer.id_to_special!r}, but special_to_id is {special_to_id!r}.")
    if tokenizer.special_token_ids != set(tokenizer.id_to_special):
        found = set(tokenizer.special_token_ids)
        raise ValueError(f"special_token_ids is {found!r}, but special_to_id is {special_to_id!r}.")
    if resolve_pattern(tokenizer.pattern) != tokenizer.pattern:
        raise ValueError(
            f"The pattern {tokenizer.pattern!r} is a name, not a regex: pass it to the constructor, which looks it up."
        )


def _check_first_entries(tokenizer: BPEBase) -> None:
    """Check that `vocab` contains the 256 bytes and the special tokens."""
    expected = {tokenizer.byte_ids[byte]: bytes([byte]) for byte in range(256)}
    expected.update({token_id: token.encode() for token_id, token in tokenizer.id_to_special.items()})
    for token_id, token in expected.items():
        if tokenizer.vocab.get(token_id) != token:
            raise ValueError(f"vocab[{token_id}] is {tokenizer.vocab.get(token_id)!r}, but it should be {token!r}.")


def _check_merges(tokenizer: BPEBase) -> NDArray[np.int64]:
    """Check the merges and their tokens in `vocab`.

    Returns:
        (merges, 2) array: the two parts of each, as symbols; see merge_splits.py.
    """
    parts = _parts_of_merges(tokenizer)
    if parts is None:
        raise ValueError(_first_problem_of_merges(tokenizer))
    return parts


def _parts_of_merges(tokenizer: BPEBase) -> NDArray[np.int64] | None:
    """As `_check_merges`, but None if one of the merges is not valid.

    There may be millions of them, so all of its loops are those of built-in functions.
    """
    merges, vocab = tokenizer.merges, tokenizer.vocab
    if not all(issubclass(kind, tuple) for kind in set(map(type, merges))) or not set(map(len, merges)) <= {2}:
        return None
    new_ids, ids = list(merges.values()), list(chain.from_iterable(merges))
    if not all(map(_is_type_of_ids, set(map(type, chain(new_ids, ids))))):
        return None
    if new_ids != list(islice(tokenizer.merge_ids(), len(merges))):
        return None
    symbol_of = dict(zip(chain(tokenizer.byte_ids, new_ids), count()))
    try:
        parts = np.fromiter(map(symbol_of.__getitem__, ids), np.int64, len(ids)).reshape(-1, 2)
    except KeyError:
        return None
    if (parts.max(axis=1) >= np.arange(BYTES, BYTES + len(parts))).any():
        return None
    # `all` stops at the first difference, so the parts of every token that is made here are there and right.
    made = map(add, map(vocab.__getitem__, ids[::2]), map(vocab.__getitem__, ids[1::2]))
    return parts if all(map(eq, map(vocab.get, new_ids), made)) else None


def _first_problem_of_merges(tokenizer: BPEBase) -> str:
    """What is wrong with the first of the merges that is not valid, as a sentence."""
    byte_or_learned = set(tokenizer.byte_ids)
    for expected_id, (pair, new_id) in zip(tokenizer.merge_ids(), tokenizer.merges.items()):
        if not (isinstance(pair, tuple) and len(pair) == 2 and _is_id(pair[0]) and _is_id(pair[1]) and _is_id(new_id)):
            return f"merges contains {pair!r}: {new_id!r}, but an entry must be (int, int): int."
        if new_id != expected_id:
            return (
                f"The merge {pair} -> {new_id} should have the ID {expected_id}: new IDs start at "
                f"{next(tokenizer.merge_ids())} and increase by one, in the order in which the merges were learned."
            )
        for part in pair:
            if part in tokenizer.special_token_ids:
                return f"The merge {pair} -> {new_id} contains the special token {part}."
            if part not in byte_or_learned:
                return f"The merge {pair} -> {new_id} uses {part}, an ID that did not exist before it."
        byte_or_learned.add(new_id)
        expected = tokenizer.vocab[pair[0]] + tokenizer.vocab[pair[1]]
        if new_id not in tokenizer.vocab:
            return f"The merge {pair} -> {new_id} has no entry in vocab: vocab[{new_id}] should be {expected!r}."
        if tokenizer.vocab[new_id] != expected:
            return (
                f"vocab[{new_id}] is {tokenizer.vocab[new_id]!r}, but the merge {pair} -> {new_id} makes {expected!r}."
            )
    raise AssertionError("All merges are valid.")


def _is_id(value: object) -> bool:
    """Whether a value is an integer. numpy integers are accepted: a student may count pairs with numpy."""
    return _is_type_of_ids(type(value))


def _is_type_of_ids(kind: type) -> bool:
    return kind is int or (issubclass(kind, Integral) and not issubclass(kind, bool))


def _check_no_other_entries(tokenizer: BPEBase) -> None:
    known = {*tokenizer.byte_ids, *tokenizer.special_token_ids, *tokenizer.merges.values()}
    if tokenizer.vocab.keys() <= known and all(map(_is_type_of_ids, set(map(type, tokenizer.vocab)))):
        return
    for token_id in tokenizer.vocab:
        if not _is_id(token_id) or token_id not in known:
            raise ValueError(
                f"vocab contains the ID {token_id!r}, which no merge makes: the highest ID is {max(known)}."
            )


def _check_spellings(tokenizer: BPEBase) -> None:
    """Check that no two tokens have the same spelling in tokenizer.json."""
    tokens = tokenizer.vocab.values()
    # Other bytes are spelled in another way. Special tokens that look like the spelling of bytes have been refused.
    if set(map(type, tokens)) != {bytes} or len(set(tokens)) < len(tokens):
        spellings(tokenizer)


def _check_tokens_encode_to_themselves(tokenizer: BPEBase, parts: NDArray[np.int64]) -> None:
    """Check that each learned token encodes to itself. `parts` is what `_check_merges` returned."""
    broken = first_broken_token(parts[:, 0], parts[:, 1])
    if broken is None:
        return
    spelling = spellings(tokenizer)
    ids = [*tokenizer.byte_ids, *tokenizer.merges.values()]
    token_id, earlier_id = ids[broken[0]], ids[broken[1]]
    token, earlier = tokenizer.vocab[token_id], tokenizer.vocab[earlier_id]
    found = ""
    if len(token) <= _LONGEST_SHOWN:
        inside = {i: spelling[i] for i in ids if tokenizer.vocab[i] in token}
        merges = [
            (inside[left], inside[right]) for (left, right), new_id in tokenizer.merges.items() if new_id in inside
        ]
        bpe = BPE(vocab={token: token_id for token_id, token in inside.items()}, merges=merges)
        found = f", but to {[part.id for part in bpe.tokenize(spelling[token_id])]}"
    raise ValueError(
        f"The token {token_id} ({_shown(token)}) does not encode to itself{found}: the merge to {earlier_id} "
        f"({_shown(earlier)}), learned earlier, takes bytes of both its parts. Libraries would disagree on its "
        "encoding; train the tokenizer again."
    )


def _shown(token: bytes) -> str:
    return repr(token) if len(token) <= _LONGEST_SHOWN else f"{token[:60]!r}... of {len(token):,} bytes"
