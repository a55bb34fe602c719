"""The content of tokenizer.json, the file format of Hugging Face `tokenizers`.

The format represents tokens as text, but a token is bytes, and often not valid UTF-8. GPT-2's solution (Radford et al.
2019) is a byte alphabet: each of the 256 byte values has a visible character, and tokens are spelled with these. Bytes
that are visible in Latin-1 keep their character; the others (space, control characters, ...) get the characters from
U+0100 on, in byte order. special_tokens.py, a room below, repeats the set of these characters; test_special_tokens.py
compares the two.

    b" the"  --bytes_to_chars-->  "Ġthe"      0x20, the space, is the 33rd byte that is not visible: U+0120, Ġ
"""

import codecs
import json
from collections.abc import Sequence
from reprlib import repr
from typing import Any

import tokenizers

from g2c.common.errors import UnsupportedTokenizer
from g2c.common.files import no_garbage_collection
from g2c.formats.merge_table import merge_table
from g2c.formats.table import finder
from g2c.formats.validity import build_tokenizer
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import NORMALIZATIONS, PATTERNS, Pattern


def _byte_alphabet() -> dict[int, str]:
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    substitutes = iter(range(0x100, 0x200))
    return {byte: chr(byte) if byte in visible else chr(next(substitutes)) for byte in range(256)}


BYTE_TO_CHAR: dict[int, str] = _byte_alphabet()
"""Byte value -> its character in the byte alphabet, in byte order."""

_ALPHABET = "".join(BYTE_TO_CHAR.values())


def bytes_to_chars(token: bytes) -> str:
    """Spell a token's bytes in the byte alphabet."""
    return codecs.charmap_decode(token, "strict", _ALPHABET)[0]


# --- writing ----------------------------------------------------------------------------------------------------------


def to_hf_dict(tokenizer: BPEBase) -> Any:
    """Return the content of tokenizer.json as a dictionary. Raises what `to_library` raises."""
    return json.loads(to_hf_json(tokenizer))


def to_hf_json(tokenizer: BPEBase) -> bytes:
    """Return the content of tokenizer.json, byte for byte as the library writes it. Raises what `to_library` raises."""
    return to_library(tokenizer).to_str(pretty=True).encode()


@no_garbage_collection()
def to_library(tokenizer: BPEBase) -> tokenizers.Tokenizer:
    """Make the library's tokenizer with the same IDs. Raises what `MergeTable.of` raises."""
    table = merge_table(tokenizer)
    tokens = list(map(bytes_to_chars, table.tokens))
    content = _settings(tokenizer.pattern, tokenizer.normalization)
    content["added_tokens"] = [
        {"id": token_id, "content": token, **_FLAGS, "special": token not in tokenizer.shown_tokens}
        for token, token_id in tokenizer.special_to_id.items()
    ]
    whole = {bytes_to_chars(token): token_id for token, token_id in tokenizer.whole_pieces.items()}
    content["model"]["ignore_merges"] = bool(whole)
    # Special tokens must be listed here too: with `added_tokens` alone, the library renumbers them.
    content["model"]["vocab"] = {**dict(zip(tokens, table.ids.tolist())), **whole, **tokenizer.special_to_id}
    pairs = zip(table.left.tolist(), table.right.tolist())
    content["model"]["merges"] = [(tokens[left], tokens[right]) for left, right in pairs]
    return tokenizers.Tokenizer.from_str(json.dumps(content, ensure_ascii=False))


_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
_SPLIT = {"type": "Split", "behavior": "Isolated", "invert": False}
_NUMERIC = "[\\p{N}\U00011de0-\U00011de9\U00016ff4-\U00016ff6]"
"""The digits at which `Digits` of tokenizers 0.23 splits: more than its regex engine, with an older Unicode, knows."""

_FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
"""The flags of a special token in the list `added_tokens`."""


def _settings(pattern: Pattern | None, normalization: str | None) -> dict[str, Any]:
    """Return the content of tokenizer.json with the library's defaults, and without tokens and merges."""
    regexes = (pattern,) if isinstance(pattern, str) else pattern
    without = ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")
    model = {"type": "BPE", **dict.fromkeys(without), "fuse_unk": False, "byte_fallback": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": normalization and {"type": normalization},
        "pre_tokenizer": _splitting(regexes, _BYTE_LEVEL) if regexes else _BYTE_LEVEL,
        "post_processor": None,
        "decoder": _BYTE_LEVEL,
        "model": {**model, "vocab": {}, "merges": []},
    }


def _splitting(regexes: Sequence[str], byte_level: dict[str, Any]) -> dict[str, Any]:
    """Return the pre_tokenizer that applies regexes, one after the other."""
    steps = [{**_SPLIT, "pattern": {"Regex": regex}} for regex in regexes]
    return {"type": "Sequence", "pretokenizers": [*steps, byte_level]}


# --- reading ----------------------------------------------------------------------------------------------------------


def from_hf_dict(data: Any, cls: type[BPEBase]) -> BPEBase:
    """Make the tokenizer that the content of a tokenizer.json describes. Missing parts are as `to_library` writes them.

    A template is dropped: `encode` gives the IDs of the text, like the library's `encode(text,
    add_special_tokens=False)`. Raises UnsupportedTokenizer if a BPETokenizer cannot represent this tokenizer, and
    ValueError, which says where, such as merges[12], if it is damaged.
    """
    model = _at(data, "model")
    if not isinstance(model, dict):
        raise ValueError(f"model is {repr(model)}, but it should be an object.")
    pattern, normalization, ignore_merges = _read_settings(data)
    vocab, merges = model.get("vocab"), model.get("merges")
    if not isinstance(vocab, dict) or not isinstance(merges, list):
        raise ValueError(
            f"model.vocab is {repr(vocab)} and model.merges is {repr(merges)}, but they should be an object and a list."
        )
    added_tokens = data.get("added_tokens", [])
    special_tokens = _read_special_tokens(added_tokens, vocab, normalization)
    pairs = [entry.split(" ") if isinstance(entry, str) else entry for entry in merges]
    tokenizer = build_tokenizer(cls, vocab, _ALPHABET, pairs, special_tokens, pattern, ignore_merges)
    if tokenizer.pattern != pattern:
        raise UnsupportedTokenizer(f"The regex of pre_tokenizer is {pattern!r}, which means another regex here.")
    tokenizer.normalization = normalization
    tokenizer.shown_tokens = frozenset(entry["content"] for entry in added_tokens if not entry.get("special", True))
    return tokenizer


def _steps(step: Any, name: str) -> list[Any]:
    """Return the parts of a Sequence, in its list of this name; for anything else, a list with it alone."""
    parts = _at(step, name) if _at(step, "type") == "Sequence" else [step]
    return parts if isinstance(parts, list) else [step]


def _read_settings(data: dict[str, Any]) -> tuple[Pattern | None, str | None, bool]:
    """Return pattern, normalization and ignore_merges, if the other parts change no ID of what these describe."""
    content = {**data, "model": dict(data["model"])}
    # A missing one means null, which describes another tokenizer.
    pre_tokenizer: Any = content.setdefault("pre_tokenizer", None)
    if _at(content.setdefault("decoder", None), "type") == "ByteLevel":
        content["decoder"] = _BYTE_LEVEL
    normalizers = _steps(content.get("normalizer"), "normalizers")
    if len(normalizers) < 2:
        content["normalizer"] = normalizers[0] if normalizers else None
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):
        if content["model"].get(name) == "":
            content["model"][name] = None
    *splits, last = [_split_in_our_form(step) for step in _steps(pre_tokenizer, "pretokenizers")] or [None]
    if _at(last, "type") != "ByteLevel":
        raise UnsupportedTokenizer(
            f"pre_tokenizer is {repr(pre_tokenizer)}; only one whose last step is ByteLevel is supported, because a "
            "BPETokenizer merges bytes, not characters."
        )
    ignore_merges = content["model"].pop("ignore_merges", False)
    normalization = _at(content["normalizer"], "type")
    if normalization not in (None, *NORMALIZATIONS):
        raise UnsupportedTokenizer(
            f"normalizer is {repr(content['normalizer'])}; only null, {', '.join(NORMALIZATIONS)} are supported."
        )
    regexes = [regex if isinstance(regex := _at(split, "pattern", "Regex"), str) else "..." for split in splits]
    # ByteLevel also applies GPT-2's regex unless told otherwise.
    has_regex = last.get("use_regex", True) is True
    expected: dict[str, Any] = {**_BYTE_LEVEL, "use_regex": has_regex}
    if _at(pre_tokenizer, "type") == "Sequence":
        content["pre_tokenizer"] = {**pre_tokenizer, "pretokenizers": [*splits, last]}
        expected = _splitting(regexes, expected)
    if has_regex:
        regexes.append(str(PATTERNS["gpt2"]))
    pattern = tuple(regexes) if len(regexes) > 1 else regexes[0] if regexes else None
    _check_same(content, {**_settings(pattern, normalization), "pre_tokenizer": expected}, "")
    _check_same(ignore_merges, bool(ignore_merges), "model.ignore_merges")
    return pattern, normalization, ignore_merges


def _split_in_our_form(step: Any) -> Any:
    """Rewrite a step that splits a text as `to_library` does, if that gives the same pieces."""
    if step in ({"type": "Digits", "individual_digits": True}, {"type": "Digits", "individual_digits": False}):
        return {**_SPLIT, "pattern": {"Regex": _NUMERIC if step["individual_digits"] else f"{_NUMERIC}+"}}
    # This removes text that the regex does not match. The named ones match all of it.
    if _at(step, "behavior") == "Removed" and step.get("invert") and _at(step, "pattern", "Regex") in PATTERNS.values():
        return {**step, "behavior": "Isolated", "invert": False}
    return step


_NOT_COMPARED = {"added_tokens", "vocab", "merges", "normalized", "special"}
_NOT_COMPARED |= {"truncation", "padding", "trim_offsets", "post_processor", "unk_token", "fuse_unk"}
"""The parts that are read elsewhere; and those that only configure a use of the tokenizer, as a post_processor, which
adds special tokens around a text's IDs, or change no ID if there is a token for every byte."""


def _check_same(found: Any, expected: Any, place: str) -> None:
    """Check that a part of the file is what `to_library` writes, except that parts of it may be missing."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for name, value in found.items():
            if name not in expected:
                raise UnsupportedTokenizer(f"{place or 'The file'} has a part named {repr(name)}, which is unknown.")
            if name not in _NOT_COMPARED:
                _check_same(value, expected[name], f"{place}.{name}" if place else name)
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for number, (value, other) in enumerate(zip(found, expected)):
            _check_same(value, other, f"{place}[{number}]")
    # In Python, 1, 1.0 and True are equal.
    elif type(found) is not type(expected) or found != expected:
        raise UnsupportedTokenizer(f"{place} is {repr(found)}; only {json.dumps(expected)} is supported.")


def _read_special_tokens(entries: Any, vocab: dict[str, int], normalization: str | None) -> dict[str, int]:
    """Read special token -> ID from the list `added_tokens`."""
    if not isinstance(entries, list):
        raise ValueError(f"added_tokens is {repr(entries)}, but it should be a list.")
    ids: dict[str, int] = {}
    next_id = next_new = len(vocab)
    for position, entry in enumerate(entries):
        place = f"added_tokens[{position}]"
        token, token_id = _at(entry, "content"), _at(entry, "id")
        if not isinstance(token, str) or type(token_id) is not int or token in ids:
            raise ValueError(
                f"{place} is {repr(entry)}, but it needs a string as content, which no other entry has, and an integer "
                "as id."
            )
        _check_same(entry, {"id": token_id, "content": token, **_FLAGS}, place)
        if type(entry.get("special", True)) is not bool:
            raise ValueError(f"{place} has {repr(entry['special'])} as special, but it should be true or false.")
        # NFC and NFD neither produce nor change ASCII white space.
        stays = normalization in (None, "NFC", "NFD") and token.isascii() and token.isspace()
        if normalization and entry.get("normalized", False) and not stays:
            raise UnsupportedTokenizer(
                f"The added token {repr(token)} is normalized: libraries look for it in the text's {normalization} "
                "form, but a BPETokenizer looks for special tokens before normalizing."
            )
        # If a token is not in model.vocab, the library ignores this ID and assigns the next one: until version 0.20,
        # the next after all added tokens; in 0.23, the next after those that are not in model.vocab.
        if not vocab.get(token, next_id) == vocab.get(token, next_new) == token_id:
            raise UnsupportedTokenizer(
                f"{place} gives {repr(token)} the ID {repr(token_id)}, but model.vocab has {repr(vocab.get(token))}: "
                "libraries would disagree on its ID."
            )
        ids[token] = token_id
        next_id = max(next_id, token_id + 1)
        next_new = next_new if token in vocab else token_id + 1
    _check_order_of_search(entries)
    return ids


_LONGEST_NORMALIZED = 64
"""The number of characters up to which a normalized special token is compared with the others."""


def _check_order_of_search(added_tokens: list[dict[str, Any]]) -> None:
    """Check that a BPETokenizer splits at the same special tokens as the library, if some of them are `normalized`.

    The library first splits a text at all tokens that are not normalized, then at the others; a BPETokenizer splits at
    the leftmost token first. They can differ if a normalized token contains one of the others, or ends with the
    beginning of one, as "x<" and "<|end|>" in "x<|end|>".
    """
    late = {entry["content"] for entry in added_tokens if entry.get("normalized", False)}
    early = {entry["content"] for entry in added_tokens} - late
    contains_early = finder(early)
    beginnings = {token[:length] for token in early for length in range(1, min(len(token), _LONGEST_NORMALIZED))}
    for token in sorted(late if early else ()):
        ends = (token[start:] for start in range(1, len(token)))
        if len(token) > _LONGEST_NORMALIZED or contains_early(token) or not beginnings.isdisjoint(ends):
            raise UnsupportedTokenizer(
                f"added_tokens differ in normalized, and {repr(token)} can overlap another of them in a text: "
                "which one is found would depend on the library."
            )


def _at(value: Any, *path: str | int) -> Any:
    """Return the part of a JSON value at a path of names and positions; None if there is none."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
