"""Checks that every library interprets a tokenizer's state the same way, before it is saved and after it is loaded."""

from itertools import chain, islice

from g2c.common.table_limits import check_table_limits
from g2c.formats.merge_table import MergeTable, merge_table
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import resolve_pattern
from g2c.tokenizer.special_tokens import ID_LIMIT, special_token_ids

_MAX_SHOWN = 100


class UnsupportedTokenizer(ValueError):
    """A valid tokenizer that a BPETokenizer, or another library, cannot represent."""


def check_tokenizer(tokenizer: BPEBase) -> None:
    """Check size, special tokens, pattern, merges and vocabulary, and that each learned token encodes to itself alone.

    If the last of these holds, the course's algorithm, `tokenizers` and tiktoken agree on every text. It always holds
    after training, but may not hold for merges written by hand.

    Raises:
        TypeError: `tokenizer` is not a BPETokenizer.
        UnsupportedTokenizer: the IDs of the merges have gaps.
        ValueError: the state is not valid. The message names the first problem.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> tokenizer.merges = {(104, 101): 256}
    >>> check_tokenizer(tokenizer)
    Traceback (most recent call last):
        ...
    ValueError: vocab has no entry for the ID 256, which should be b'he'.
    """
    if not isinstance(tokenizer, BPEBase):
        raise TypeError(f"The tokenizer should be a BPETokenizer, but it is of type {type(tokenizer).__name__}.")
    token_bytes = sum(map(len, tokenizer.vocab.values()))
    check_table_limits(tokenizer.vocab_size, len(tokenizer.special_tokens), token_bytes)
    _check_byte_ids(tokenizer.byte_ids)
    _check_special_tokens_and_pattern(tokenizer)
    table = merge_table(tokenizer)
    _check_no_gaps(tokenizer)
    _check_vocab(tokenizer, table)
    _check_spellings(tokenizer, table)
    _check_tokens_encode_to_themselves(table)


def _check_byte_ids(byte_ids: object) -> None:
    if isinstance(byte_ids, bytes) and sorted(byte_ids) == list(range(256)):
        return
    if isinstance(byte_ids, tuple) and len(byte_ids) == len(set(byte_ids)) == 256 and set(map(type, byte_ids)) == {int}:
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


def _check_no_gaps(tokenizer: BPEBase) -> None:
    expected_ids = islice(tokenizer.merge_ids(), len(tokenizer.merges))
    for (pair, new_id), expected in zip(tokenizer.merges.items(), expected_ids):
        if new_id != expected:
            raise UnsupportedTokenizer(
                f"The merge {pair} -> {new_id} should have the ID {expected}: the IDs of merges start at "
                f"{next(tokenizer.merge_ids())} and increase by one, in the order in which the merges were learned."
            )


def _check_vocab(tokenizer: BPEBase, table: MergeTable) -> None:
    """Check that `vocab` has the bytes, the special tokens and what the merges make."""
    special = [(token_id, token.encode()) for token_id, token in tokenizer.id_to_special.items()]
    for token_id, token in chain(zip(table.ids.tolist(), table.tokens), special):
        found = tokenizer.vocab.get(token_id)
        if found is None:
            raise ValueError(f"vocab has no entry for the ID {token_id}, which should be {_shown(token)}.")
        if found != token:
            raise ValueError(f"vocab[{token_id}] is {found!r}, but it should be {_shown(token)}.")
    if len(tokenizer.vocab) > len(table.tokens) + len(special):
        known = {*table.ids.tolist(), *tokenizer.id_to_special}
        unknown = next(token_id for token_id in tokenizer.vocab if token_id not in known)
        raise ValueError(f"vocab contains the ID {unknown!r}, which no merge makes: the highest ID is {max(known)}.")


def _check_spellings(tokenizer: BPEBase, table: MergeTable) -> None:
    """Check that no two tokens have the same spelling in tokenizer.json.

    A special token can have that of bytes only if it consists of visible ASCII: others are refused earlier, or
    contain a character that spells no byte, such as a space.
    """
    special = [item for item in tokenizer.id_to_special.items() if "!" <= min(item[1]) and max(item[1]) <= "~"]
    tokens = [*table.tokens, *(token.encode() for _, token in special)]
    if len(set(tokens)) < len(tokens):
        first_id: dict[bytes, int] = {}
        for token_id, token in zip([*table.ids.tolist(), *(token_id for token_id, _ in special)], tokens):
            if token in first_id:
                raise ValueError(f"The tokens {first_id[token]} and {token_id} have the same bytes: {_shown(token)}.")
            first_id[token] = token_id


def _check_tokens_encode_to_themselves(table: MergeTable) -> None:
    if table.broken is None:
        return
    token, earlier = table.broken
    raise ValueError(
        f"The token {table.ids[token]} ({_shown(table.tokens[token])}) does not encode to itself: the merge to "
        f"{table.ids[earlier]} ({_shown(table.tokens[earlier])}), learned earlier, takes bytes of both its parts. "
        "Libraries would disagree on its encoding; train the tokenizer again."
    )


def _shown(token: bytes) -> str:
    return repr(token) if len(token) <= _MAX_SHOWN else f"{token[:60]!r}... of {len(token):,} bytes"
