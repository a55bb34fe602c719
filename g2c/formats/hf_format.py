"""The content of tokenizer.json, the file format of Hugging Face `tokenizers`.

The format represents tokens as text, but a token is bytes, and often not valid UTF-8. GPT-2's solution (Radford et al.
2019) is a byte alphabet: each of the 256 byte values has a visible character, and tokens are spelled with these. Bytes
that are visible in Latin-1 keep their character; the others (space, control characters, ...) get the characters from
U+0100 on, in byte order.

    b" the"  --bytes_to_chars-->  "Ġthe"      0x20, the space, is the 33rd byte that is not visible: U+0120, Ġ
"""

import codecs
import json
import warnings
from operator import itemgetter
from reprlib import repr
from typing import Any

import tokenizers

from coach.common.files import no_garbage_collection
from g2c.common.errors import UnsupportedTokenizer
from g2c.formats.from_vocabulary import table_of_merges, untrained
from g2c.formats.table import Table
from g2c.tokenizer.patterns import PATTERNS, resolve_pattern
from g2c.tokenizer.special_tokens import MAX_TOKENS


def _byte_alphabet() -> dict[int, str]:
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    substitutes = iter(range(0x100, 0x200))
    return {byte: chr(byte) if byte in visible else chr(next(substitutes)) for byte in range(256)}


BYTE_TO_CHAR: dict[int, str] = _byte_alphabet()
"""Byte value -> its character in the byte alphabet, in byte order."""

_ALPHABET = "".join(BYTE_TO_CHAR.values())
_BYTE_OF_CHAR = {ord(character): byte for byte, character in BYTE_TO_CHAR.items()}

MAX_UNUSED = 1000  # The largest number of IDs without a token for which a file names unused tokens.


def bytes_to_chars(token: bytes) -> str:
    """Spell a token's bytes in the byte alphabet."""
    return codecs.charmap_decode(token, "strict", _ALPHABET)[0]


def chars_to_bytes(spelled: str) -> bytes:
    """Return the bytes of a token that is spelled in the byte alphabet. Raises UnsupportedTokenizer for other text."""
    try:
        return codecs.charmap_encode(spelled, "strict", _BYTE_OF_CHAR)[0]
    except UnicodeEncodeError:
        raise UnsupportedTokenizer(f"The token {repr(spelled)} has a character that spells no byte.") from None


# --- writing ----------------------------------------------------------------------------------------------------------


@no_garbage_collection()
def render(table: Table) -> str:
    """Return the content of tokenizer.json, character for character as the library writes it.

    Some strict clients refuse a vocabulary with IDs that no token has, such as 100256 in cl100k, and others know
    GPT-2's regex only as an option of ByteLevel. So such an ID gets a token that no text contains, and GPT-2's regex is
    that option.
    """
    quoted = json.JSONEncoder(ensure_ascii=False).encode
    spelled = [quoted(bytes_to_chars(token)) for token in table.tokens]
    # Special tokens must be listed here too: with `added_tokens` alone, the library renumbers them.
    vocab = dict(zip(spelled, table.ids.tolist()))
    vocab |= {quoted(bytes_to_chars(token)): token_id for token, token_id in table.whole.items()}
    vocab |= {quoted(token): token_id for token, token_id in table.special_to_id.items()}
    free = set(range(max(vocab.values()))).difference(vocab.values())
    if len(free) <= MAX_UNUSED and not table.whole:
        vocab = {quoted(_unused(token_id)): token_id for token_id in free} | vocab

    # This is what json.dumps would write, with `vocab` and `merges` as the last parts of the model. It is much faster.
    begin = json.dumps(_settings(table), indent=2, ensure_ascii=False).removesuffix("\n  }\n}")
    entries = [f"      {token}: {token_id}" for token, token_id in sorted(vocab.items(), key=itemgetter(1))]
    pairs = zip(table.left.tolist(), table.right.tolist())
    merges = [f"      [\n        {spelled[left]},\n        {spelled[right]}\n      ]" for left, right in pairs]
    parts = [begin, ',\n    "vocab": {\n', ",\n".join(entries), '\n    },\n    "merges": [']
    parts += ["\n", ",\n".join(merges), "\n    "] if merges else []
    return "".join([*parts, "]\n  }\n}"])


def _unused(token_id: int) -> str:
    return f"<|unused_{token_id}|>"


_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}

_FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
"""The flags of a special token in the list `added_tokens`, besides "special"."""


def _settings(table: Table) -> dict[str, Any]:
    """Return the content of tokenizer.json with the library's defaults, and without tokens and merges."""
    without = ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")
    flags = {"fuse_unk": False, "byte_fallback": False, "ignore_merges": bool(table.whole)}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": token_id, "content": token, **_FLAGS, "special": token not in table.shown}
            for token, token_id in table.special_to_id.items()
        ],
        "normalizer": table.normalization and {"type": table.normalization},
        "pre_tokenizer": _splitting(table.pattern),
        "post_processor": None,
        "decoder": _BYTE_LEVEL,
        "model": {"type": "BPE", **dict.fromkeys(without), **flags},
    }


def _splitting(pattern: str | None) -> dict[str, Any]:
    if pattern in (None, PATTERNS["gpt2"]):
        return {**_BYTE_LEVEL, "use_regex": pattern is not None}
    return {"type": "Sequence", "pretokenizers": [_split(pattern), _BYTE_LEVEL]}


def _split(pattern: str | None) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


# --- reading ----------------------------------------------------------------------------------------------------------


@no_garbage_collection()
def from_library(library: tokenizers.Tokenizer) -> Table:
    """Make the table of the library's tokenizer. Raises UnsupportedTokenizer if a BPETokenizer cannot represent it.

    A template is dropped, and so are truncation and padding, with a warning.
    """
    ids = library.get_vocab(with_added_tokens=True)
    if max(ids.values(), default=0) >= MAX_TOKENS:
        # The library's to_str takes a minute for an ID of 2**31.
        raise UnsupportedTokenizer(f"It has the ID {max(ids.values()):,}, but IDs must be below {MAX_TOKENS:,}.")
    content: dict[str, Any] = json.loads(library.to_str())
    model = content["model"]
    normalization = _check_settings(content)
    pattern = _read_pattern(content["pre_tokenizer"])
    special = _read_special_tokens(content["added_tokens"], normalization)
    shown = [entry["content"] for entry in content["added_tokens"] if not entry["special"]]
    # The content lists only one of two tokens with the same ID.
    vocab = {
        chars_to_bytes(token): token_id
        for token, token_id in ids.items()
        if token not in special and token != _unused(token_id)
    }
    merges = [(chars_to_bytes(left), chars_to_bytes(right)) for left, right in model["merges"]]
    return table_of_merges(
        vocab, merges, untrained(pattern, special, normalization, shown), ignore_merges=model["ignore_merges"]
    )


def _check_settings(content: dict[str, Any]) -> str | None:
    """Check the parts of a file that change IDs, except for the pattern. Return the normalization."""
    model, normalizers = content["model"], _steps(content["normalizer"], "normalizers")
    if model["type"] != "BPE":
        raise UnsupportedTokenizer(f"model is of the type {model['type']}; only BPE is supported.")
    for name in ("dropout", "continuing_subword_prefix", "end_of_word_suffix"):
        if model[name]:
            raise UnsupportedTokenizer(f"model.{name} is {model[name]!r}; only a tokenizer without it is supported.")
    if len(normalizers) > 1 or any(step != {"type": "NFC"} for step in normalizers):
        raise UnsupportedTokenizer(f"normalizer is {_shown(content['normalizer'])}; only null and NFC are supported.")
    if (content["decoder"] or {}).get("type") != "ByteLevel":
        raise UnsupportedTokenizer(f"decoder is {_shown(content['decoder'])}; only ByteLevel is supported.")
    for name in ("truncation", "padding"):
        if content[name] is not None:
            warnings.warn(f"{name} is dropped: a BPETokenizer encodes the whole text and nothing else.", stacklevel=2)
    return "NFC" if normalizers else None


def _read_pattern(pre_tokenizer: Any) -> str | None:
    """Return the regex by which a text is split."""
    steps = _steps(pre_tokenizer, "pretokenizers")
    steps = [{**step, "trim_offsets": True} if step["type"] == "ByteLevel" else step for step in steps]
    if steps == [_BYTE_LEVEL]:
        return None
    if steps == [{**_BYTE_LEVEL, "use_regex": True}]:
        return PATTERNS["gpt2"]
    pattern: str | None = steps[0].get("pattern", {}).get("Regex") if steps else None
    if pattern is None or steps != [_split(pattern), _BYTE_LEVEL]:
        raise UnsupportedTokenizer(
            f"pre_tokenizer is {_shown(pre_tokenizer)}; only ByteLevel without a prefix space is supported, with one "
            "regex at most, as an isolated Split before it."
        )
    if resolve_pattern(pattern) != pattern:
        raise UnsupportedTokenizer(f"The regex of pre_tokenizer is {pattern!r}, which g2c would read as another regex.")
    return pattern


def _steps(step: Any, name: str) -> list[dict[str, Any]]:
    """Return the parts of a Sequence, in its list of this name; for anything else, a list with it alone."""
    if step is None:
        return []
    return list(step[name]) if step["type"] == "Sequence" else [step]


def _shown(value: Any) -> str:
    return f"{json.dumps(value):.600}"


def _read_special_tokens(entries: list[dict[str, Any]], normalization: str | None) -> dict[str, int]:
    """Read special token -> ID from the list `added_tokens`. The library looks for tokens that are `normalized` after
    the others, in the normalized text: without normalization, that makes no difference if all tokens are."""
    late = [entry["content"] for entry in entries if entry["normalized"]]
    if late and (normalization or len(late) < len(entries)):
        raise UnsupportedTokenizer(
            f"The added token {late[0]!r} is normalized: libraries look for it after others, or in a changed text."
        )
    for entry in entries:
        if wrong := [name for name in ("single_word", "lstrip", "rstrip") if entry[name]]:
            raise UnsupportedTokenizer(
                f"The added token {entry['content']!r} has {wrong[0]} set; only tokens that are found as they are, "
                "wherever they occur, are supported."
            )
    return {entry["content"]: entry["id"] for entry in entries}
