"""Checks that every library interprets a tokenizer's state the same way, before it is saved and after it is loaded."""

from numbers import Integral

from tokenizers.models import BPE

from g2c.common.table_limits import check_table_limits
from g2c.formats.hf_format import spellings
from g2c.formats.merge_splits import first_broken_token
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
    token_bytes = sum(map(len, tokenizer.vocab.values()))
    check_table_limits(tokenizer.vocab_size, len(tokenizer.special_tokens), token_bytes)
    _check_byte_ids(tokenizer.byte_ids)
    _check_special_tokens_and_pattern(tokenizer)
    _check_first_entries(tokenizer)
    _check_merges(tokenizer)
    _check_no_other_entries(tokenizer)
    _check_tokens_encode_to_themselves(tokenizer)


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


def _check_merges(tokenizer: BPEBase) -> None:
    byte_or_learned = set(tokenizer.byte_ids)
    for expected_id, (pair, new_id) in zip(tokenizer.merge_ids(), tokenizer.merges.items()):
        if not (isinstance(pair, tuple) and len(pair) == 2 and _is_id(pair[0]) and _is_id(pair[1]) and _is_id(new_id)):
            raise ValueError(f"merges contains {pair!r}: {new_id!r}, but an entry must be (int, int): int.")
        if new_id != expected_id:
            raise ValueError(
                f"The merge {pair} -> {new_id} should have the ID {expected_id}: new IDs start at "
                f"{next(tokenizer.merge_ids())} and increase by one, in the order in which the merges were learned."
            )
        for part in pair:
            if part in tokenizer.special_token_ids:
                raise ValueError(f"The merge {pair} -> {new_id} contains the special token {part}.")
            if part not in byte_or_learned:
                raise ValueError(f"The merge {pair} -> {new_id} uses {part}, an ID that did not exist before it.")
        byte_or_learned.add(new_id)
        expected = tokenizer.vocab[pair[0]] + tokenizer.vocab[pair[1]]
        if new_id not in tokenizer.vocab:
            raise ValueError(
                f"The merge {pair} -> {new_id} has no entry in vocab: vocab[{new_id}] should be {expected!r}."
            )
        if tokenizer.vocab[new_id] != expected:
            raise ValueError(
                f"vocab[{new_id}] is {tokenizer.vocab[new_id]!r}, but the merge {pair} -> {new_id} makes {expected!r}."
            )


def _is_id(value: object) -> bool:
    """Whether a value is an integer. numpy integers are accepted: a student may count pairs with numpy."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def _check_no_other_entries(tokenizer: BPEBase) -> None:
    known = {*tokenizer.byte_ids, *tokenizer.special_token_ids, *tokenizer.merges.values()}
    for token_id in tokenizer.vocab:
        if not _is_id(token_id) or token_id not in known:
            raise ValueError(
                f"vocab contains the ID {token_id!r}, which no merge makes: the highest ID is {max(known)}."
            )


def _check_tokens_encode_to_themselves(tokenizer: BPEBase) -> None:
    spelling = spellings(tokenizer)
    ids = [*tokenizer.byte_ids, *tokenizer.merges.values()]
    symbol_of = {token_id: symbol for symbol, token_id in enumerate(ids)}
    broken = first_broken_token(
        [symbol_of[left] for left, _ in tokenizer.merges], [symbol_of[right] for _, right in tokenizer.merges]
    )
    if broken is None:
        return
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
