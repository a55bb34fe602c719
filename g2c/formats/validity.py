"""Checks that every library interprets a tokenizer's state the same way, before it is saved and after it is loaded."""

from numbers import Integral

from tokenizers.models import BPE

from g2c.formats.hf_format import spellings
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import resolve_pattern
from g2c.tokenizer.special_tokens import special_token_ids


def check_tokenizer(tokenizer: BPEBase) -> None:
    """Check special tokens, pattern, merges and vocabulary, and that each learned token encodes to itself alone.

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
    _check_special_tokens_and_pattern(tokenizer)
    _check_first_entries(tokenizer)
    _check_merges(tokenizer)
    _check_no_other_entries(tokenizer)
    _check_tokens_encode_to_themselves(tokenizer)


def _check_special_tokens_and_pattern(tokenizer: BPEBase) -> None:
    special_to_id = special_token_ids(tokenizer.special_to_id)
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
    if not isinstance(tokenizer.byte_ids, bytes) or sorted(tokenizer.byte_ids) != list(range(256)):
        raise ValueError("byte_ids must be bytes that contain each of the IDs 0 to 255 once.")
    expected = {tokenizer.byte_ids[byte]: bytes([byte]) for byte in range(256)}
    expected.update({token_id: token.encode() for token_id, token in tokenizer.id_to_special.items()})
    for token_id, token in expected.items():
        if tokenizer.vocab.get(token_id) != token:
            raise ValueError(f"vocab[{token_id}] is {tokenizer.vocab.get(token_id)!r}, but it should be {token!r}.")


def _check_merges(tokenizer: BPEBase) -> None:
    for expected_id, (pair, new_id) in zip(tokenizer.merge_ids(), tokenizer.merges.items()):
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(map(_is_id, (*pair, new_id)))):
            raise ValueError(f"merges contains {pair!r}: {new_id!r}, but an entry must be (int, int): int.")
        if new_id != expected_id:
            raise ValueError(
                f"The merge {pair} -> {new_id} should have the ID {expected_id}: new IDs start at "
                f"{next(tokenizer.merge_ids())} and increase by one, in the order in which the merges were learned."
            )
        for part in pair:
            if part in tokenizer.special_token_ids:
                raise ValueError(f"The merge {pair} -> {new_id} contains the special token {part}.")
            if not 0 <= part < new_id:
                raise ValueError(f"The merge {pair} -> {new_id} uses {part}, an ID that did not exist before it.")
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
                f"vocab contains the ID {token_id!r}, which no merge makes: the IDs are 0 to {max(known)}."
            )


def _check_tokens_encode_to_themselves(tokenizer: BPEBase) -> None:
    spelling = spellings(tokenizer)
    vocab = {token: token_id for token_id, token in spelling.items()}
    bpe = BPE(vocab=vocab, merges=[(spelling[left], spelling[right]) for left, right in tokenizer.merges])
    for token_id in tokenizer.merges.values():
        ids = [part.id for part in bpe.tokenize(spelling[token_id])]
        if ids != [token_id]:
            raise ValueError(
                f"The token {token_id} ({tokenizer.vocab[token_id]!r}) does not encode to itself, but to {ids}: "
                "a merge learned earlier takes its bytes. Libraries would disagree on its encoding; train the "
                "tokenizer again."
            )
