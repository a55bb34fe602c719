"""The content of tokenizer.json, the file format of Hugging Face `tokenizers`.

The format represents tokens as text, but a token is bytes, and often not valid UTF-8. GPT-2's solution (Radford et al.
2019) is a byte alphabet: each of the 256 byte values has a visible character, and the spelling of a token consists of
these. Bytes that are visible in Latin-1 keep their character; the others (space, control characters, ...) get the
characters from U+0100 on, in byte order. special_tokens.py, a room below, has the set of these characters again;
test_special_tokens.py holds the two together.

    b" the"  --bytes_to_chars-->  "Ġthe"      0x20, the space, is the 33rd byte that is not visible: U+0120, Ġ
"""

import codecs
import json
from reprlib import repr
from typing import Any

import tokenizers

from g2c.common.files import no_garbage_collection
from g2c.formats.merge_table import UnsupportedTokenizer, merge_table
from g2c.formats.validity import build_tokenizer
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import PATTERNS


def _byte_alphabet() -> dict[int, str]:
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    substitutes = iter(range(0x100, 0x200))
    return {byte: chr(byte) if byte in visible else chr(next(substitutes)) for byte in range(256)}


BYTE_TO_CHAR: dict[int, str] = _byte_alphabet()
"""Byte value -> its character in the byte alphabet, in byte order."""

_ALPHABET = "".join(BYTE_TO_CHAR.values())


def bytes_to_chars(token: bytes) -> str:
    """Spell a token's bytes in the byte alphabet.

    >>> from g2c.formats.hf_format import bytes_to_chars
    >>> bytes_to_chars(b" the\\n")
    'ĠtheĊ'
    """
    return codecs.charmap_decode(token, "strict", _ALPHABET)[0]


# --- writing ----------------------------------------------------------------------------------------------------------


def to_hf_dict(tokenizer: BPEBase) -> dict[str, Any]:
    """Return the content of tokenizer.json as a dictionary. Raises what `to_library` raises.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(["<|end|>"])
    >>> _ = tokenizer.train_exact("the the the", 258)
    >>> to_hf_dict(tokenizer)["model"]["merges"]
    [['t', 'h']]
    >>> [(token, i) for token, i in to_hf_dict(tokenizer)["model"]["vocab"].items() if i > 255]
    [('<|end|>', 256), ('th', 257)]
    """
    content: dict[str, Any] = json.loads(to_hf_json(tokenizer))
    return content


def to_hf_json(tokenizer: BPEBase) -> bytes:
    """Return the content of tokenizer.json, byte for byte as the library writes it. Raises what `to_library` raises."""
    return to_library(tokenizer).to_str(pretty=True).encode()


@no_garbage_collection()
def to_library(tokenizer: BPEBase) -> tokenizers.Tokenizer:
    """Make the library's tokenizer with the same IDs. Raises ValueError as `MergeTable.of`."""
    table = merge_table(tokenizer)
    tokens = list(map(bytes_to_chars, table.tokens))
    content = _settings(tokenizer.pattern)
    content["added_tokens"] = [special_entry(token_id, token) for token, token_id in tokenizer.special_to_id.items()]
    content["model"]["vocab"] = {**dict(zip(tokens, table.ids.tolist())), **tokenizer.special_to_id}
    pairs = zip(table.left.tolist(), table.right.tolist())
    content["model"]["merges"] = [(tokens[left], tokens[right]) for left, right in pairs]
    return tokenizers.Tokenizer.from_str(json.dumps(content, ensure_ascii=False))


_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def _settings(pattern: str | None) -> dict[str, Any]:
    """Return the content of tokenizer.json without its tokens and merges, with the library's defaults."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": _BYTE_LEVEL if pattern is None else _splitting(pattern),
        "post_processor": None,
        "decoder": _BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            # Special tokens must be listed here too: with `added_tokens` alone, the library renumbers them.
            "vocab": {},
            "merges": [],
        },
    }


def _splitting(pattern: str) -> dict[str, Any]:
    """Return the pre_tokenizer for a pattern."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, _BYTE_LEVEL]}


def special_entry(token_id: int, token: str) -> dict[str, Any]:
    """Return the entry of a special token in the list `added_tokens`."""
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": token_id, "content": token, **flags}


# --- reading ----------------------------------------------------------------------------------------------------------


def from_hf_dict(data: Any, cls: type[BPEBase]) -> BPEBase:
    """Make the tokenizer that a tokenizer.json describes: the inverse of `to_hf_dict`.

    A file is read if it describes its tokens and merges as `to_hf_dict` does, except for what changes no IDs: see
    `_in_our_form`. What it leaves out has the value that `to_hf_dict` writes. `data`, the content of the file as
    `json.loads` returns it, may be anything; every part is checked.

    Raises:
        UnsupportedTokenizer: it is another kind of tokenizer, or assigns IDs in another way.
        ValueError: it is not a tokenizer, a damaged one, or one that `check_tokenizer` refuses. The message says where,
            for instance merges[12].

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(["<|end|>"], pattern="gpt2")
    >>> _ = tokenizer.train_exact("the the the", 258)
    >>> from_hf_dict(to_hf_dict(tokenizer), BPETokenizer).merges
    {(116, 104): 257}
    """
    if not isinstance(_at(data, "model"), dict):
        raise ValueError(f"model is {repr(_at(data, 'model'))}, but it should be an object.")
    content = _in_our_form(data)
    pattern, pre_tokenizer = _read_pattern(content.get("pre_tokenizer"))
    _check_same(content, {**_settings(pattern), "pre_tokenizer": pre_tokenizer}, "")
    vocab, merges = content["model"].get("vocab"), content["model"].get("merges")
    if not isinstance(vocab, dict) or not isinstance(merges, list):
        raise ValueError(
            f"model.vocab is {repr(vocab)} and model.merges is {repr(merges)}, but they should be an object and a list."
        )
    special_tokens = _read_special_tokens(content.get("added_tokens", []), vocab)
    pairs = [entry.split(" ") if isinstance(entry, str) else entry for entry in merges]
    tokenizer = build_tokenizer(cls, vocab, _ALPHABET, pairs, special_tokens, pattern)
    if tokenizer.pattern != pattern:
        raise UnsupportedTokenizer(f"The regex of pre_tokenizer is {pattern!r}, which in the course means another one.")
    return tokenizer


_ADDS_NOTHING = {
    "type": "TemplateProcessing",
    "single": [{"Sequence": {"id": "A", "type_id": 0}}],
    "special_tokens": {},
}


def _in_our_form(data: dict[str, Any]) -> dict[str, Any]:
    """Write the parts that libraries write in different ways as `to_hf_dict` does.

    How ByteLevel decodes and processes a result, and the template that transformers writes, change no IDs. An empty
    prefix or suffix counts as null.
    """
    content = {**data, "model": dict(data["model"])}
    # If one of these is missing, it is null, which describes another tokenizer.
    content.setdefault("pre_tokenizer", None)
    content.setdefault("decoder", None)
    if _at(content, "decoder", "type") == "ByteLevel":
        content["decoder"] = _BYTE_LEVEL
    processor = content.get("post_processor")
    if isinstance(processor, dict) and (
        processor.get("type") == "ByteLevel" or {**processor, "pair": None} == {**_ADDS_NOTHING, "pair": None}
    ):
        content["post_processor"] = None
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):
        if content["model"].get(name) == "":
            content["model"][name] = None
    return content


def _read_pattern(step: Any) -> tuple[str | None, dict[str, Any]]:
    """Return the regex that splits a text, or None, and the pre_tokenizer that `to_hf_dict` would write for it.

    ByteLevel has GPT-2's regex built in, and uses it unless told otherwise.
    """
    if _at(step, "type") == "ByteLevel" and step.get("use_regex", True) is True:
        return PATTERNS["gpt2"], {**_BYTE_LEVEL, "use_regex": True}
    if _at(step, "type") != "Sequence":
        return None, _BYTE_LEVEL
    if _at(step, "pretokenizers", 1, "type") == "ByteLevel" and "use_regex" not in step["pretokenizers"][1]:
        raise UnsupportedTokenizer("pre_tokenizer.pretokenizers[1] has no use_regex false: it splits a second time.")
    regex = _at(step, "pretokenizers", 0, "pattern", "Regex")
    pattern = regex if isinstance(regex, str) else "..."
    return pattern, _splitting(pattern)


_READ_ELSEWHERE = {"added_tokens", "vocab", "merges"}
_WITHOUT_EFFECT = {"truncation", "padding", "trim_offsets", "unk_token", "fuse_unk", "normalized"}
"""The parts that configure one use of a tokenizer, or change no ID if there is a token for every byte."""


def _check_same(found: Any, expected: Any, place: str) -> None:
    """Check that a part of the file is as `to_hf_dict` writes it, except that parts of it may be missing."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for name, value in found.items():
            if name not in expected:
                raise UnsupportedTokenizer(f"{place or 'The file'} has a part named {repr(name)}, which is unknown.")
            if name not in _READ_ELSEWHERE | _WITHOUT_EFFECT:
                _check_same(value, expected[name], f"{place}.{name}" if place else name)
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for number, (value, other) in enumerate(zip(found, expected)):
            _check_same(value, other, f"{place}[{number}]")
    # In Python, 1, 1.0 and True are equal.
    elif type(found) is not type(expected) or found != expected:
        raise UnsupportedTokenizer(f"{place} is {repr(found)}; only {json.dumps(expected)} is supported.")


def _read_special_tokens(entries: Any, vocab: dict[str, int]) -> dict[str, int]:
    """Read special token -> ID from the list `added_tokens`."""
    if not isinstance(entries, list):
        raise ValueError(f"added_tokens is {repr(entries)}, but it should be a list.")
    ids: dict[str, int] = {}
    next_id = len(vocab)
    for position, entry in enumerate(entries):
        place = f"added_tokens[{position}]"
        token, token_id = _at(entry, "content"), _at(entry, "id")
        if not isinstance(token, str) or type(token_id) is not int or token in ids:
            raise ValueError(
                f"{place} is {repr(entry)}, but it needs a string as content, which no other entry has, and an integer "
                "as id."
            )
        _check_same(entry, special_entry(token_id, token), place)
        # The library gives a token that is not in model.vocab the next free ID, whatever this entry says.
        if vocab.get(token, next_id) != token_id:
            raise UnsupportedTokenizer(
                f"{place} gives {repr(token)} the ID {repr(token_id)}, but model.vocab has {repr(vocab.get(token))}: "
                "libraries would disagree on its ID."
            )
        ids[token] = token_id
        next_id = max(next_id, token_id + 1)
    _check_order_of_search(entries)
    return ids


def _check_order_of_search(added_tokens: list[dict[str, Any]]) -> None:
    """Check that no special token that is `normalized` can overlap one that is not.

    The library first splits a text at all tokens that are not normalized, then at the others, while a BPETokenizer
    splits at the leftmost token first: of "x<" and "<|end|>" in "x<|end|>".
    """
    late = {entry["content"] for entry in added_tokens if entry.get("normalized", False)}
    early = {entry["content"] for entry in added_tokens} - late
    for tokens, others in ((early, late), (late, early)):
        first_characters = {token[:1] for token in others}
        lengths = {len(token) for token in others}
        for token in sorted(tokens):
            if not first_characters.isdisjoint(token[1:]) or any(token[:length] in others for length in lengths):
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
