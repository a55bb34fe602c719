"""The file format of Hugging Face `tokenizers`: what tokenizer.json contains.

The format represents tokens as text, but a token is bytes, and often not valid UTF-8. GPT-2's solution (Radford et al.
2019) is a byte alphabet: each of the 256 byte values has a visible character, and the spelling of a token consists of
these. Bytes that are visible in Latin-1 keep their character; the others (space, control characters, ...) get the
characters from U+0100 on, in byte order.

    b" the"  --bytes_to_chars-->  "Ġthe"      0x20, the space, is the 33rd byte that is not visible: U+0120, Ġ
"""

import codecs
import json
import reprlib
from itertools import accumulate, pairwise
from typing import Any

from g2c.common.versioned import VersionedDict
from g2c.formats.merge_table import MergeError, merge_table
from g2c.formats.validity import UnsupportedTokenizer, check_tokenizer
from g2c.tokenizer.base import BPEBase, Pair
from g2c.tokenizer.patterns import PATTERNS, TIKTOKEN_PATTERNS
from g2c.tokenizer.special_tokens import ID_LIMIT


def _byte_alphabet() -> dict[int, str]:
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    substitutes = iter(range(0x100, 0x200))
    return {byte: chr(byte) if byte in visible else chr(next(substitutes)) for byte in range(256)}


BYTE_TO_CHAR: dict[int, str] = _byte_alphabet()
"""Byte value -> its character in the byte alphabet, in byte order."""

_ALPHABET = "".join(BYTE_TO_CHAR.values())

CHAR_TO_BYTE: dict[str, int] = {char: byte for byte, char in BYTE_TO_CHAR.items()}
"""The inverse of `BYTE_TO_CHAR`."""


def bytes_to_chars(token: bytes) -> str:
    """Spell a token's bytes in the byte alphabet.

    >>> from g2c.formats.hf_format import bytes_to_chars
    >>> bytes_to_chars(b" the\\n")
    'ĠtheĊ'
    """
    return codecs.charmap_decode(token, "strict", _ALPHABET)[0]


def chars_to_bytes(spelling: str) -> bytes:
    """The bytes that a spelling in the byte alphabet represents.

    Raises:
        ValueError: a character is not in the byte alphabet.

    >>> from g2c.formats.hf_format import chars_to_bytes
    >>> chars_to_bytes("Ġthe")
    b' the'
    """
    try:
        return bytes(CHAR_TO_BYTE[char] for char in spelling)
    except KeyError as error:
        raise ValueError(f"{spelling!r} contains {error.args[0]!r}, which is not in the byte alphabet.") from None


# --- writing ----------------------------------------------------------------------------------------------------------


def to_hf_dict(tokenizer: BPEBase) -> dict[str, Any]:
    """The content of tokenizer.json as a dictionary. Raises what `to_hf_json` raises.

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


def to_hf_json(tokenizer: BPEBase) -> str:
    """The content of tokenizer.json, character for character as `tokenizers.Tokenizer.save` writes it.

    It is what `json.dumps(..., indent=2, ensure_ascii=False)` writes, in less than half the time. With an indent, json
    does not use its encoder in C. Nearly all of the text is the vocabulary and the merges, in which each token is
    written once by that encoder, and then put in all its places.

    Raises:
        ValueError: the merges are not valid, see `MergeTable.of`.
    """
    table = merge_table(tokenizer)
    ids = [*table.ids.tolist(), *tokenizer.id_to_special]
    # A string in JSON never contains a line end.
    tokens = [*_all_to_chars(table.tokens), *tokenizer.id_to_special.values()]
    strings = json.dumps(tokens, ensure_ascii=False, separators=("\n", ":"))[1:-1].split("\n")
    rows = [f",\n      {strings[place]}: {ids[place]}" for place in sorted(range(len(ids)), key=ids.__getitem__)]
    pairs = zip(table.left.tolist(), table.right.tolist())
    merges = [f",\n      [\n        {strings[left]},\n        {strings[right]}\n      ]" for left, right in pairs]
    frame = json.dumps(_settings(tokenizer), indent=2, ensure_ascii=False)
    before = frame.removesuffix('{},\n    "merges": []\n  }\n}')
    # The first row begins with a comma, too.
    vocab = "{" + "".join(rows)[1:] + "\n    }"
    pairs_text = "[" + "".join(merges)[1:] + "\n    ]" if merges else "[]"
    return f'{before}{vocab},\n    "merges": {pairs_text}\n  }}\n}}'


def _settings(tokenizer: BPEBase) -> dict[str, Any]:
    """The content of tokenizer.json without the vocabulary and the merges, which are the last entries of its model.

    Keys are in the order, and have the defaults, of what the library writes.
    """
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    pre_tokenizer: dict[str, Any] = dict(byte_level)
    if tokenizer.pattern is not None:
        split = {"type": "Split", "pattern": {"Regex": tokenizer.pattern}, "behavior": "Isolated", "invert": False}
        pre_tokenizer = {"type": "Sequence", "pretokenizers": [split, pre_tokenizer]}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": token_id,
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for token_id, token in sorted(tokenizer.id_to_special.items())
        ],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": byte_level,
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


def spellings(tokenizer: BPEBase) -> dict[int, str]:
    """ID -> spelling of the token: special tokens unchanged, all others in the byte alphabet.

    Raises:
        ValueError: the merges are not valid, see `MergeTable.of`.
    """
    table = merge_table(tokenizer)
    return dict(zip(table.ids.tolist(), _all_to_chars(table.tokens))) | tokenizer.id_to_special


def _all_to_chars(tokens: list[bytes]) -> list[str]:
    """`bytes_to_chars` of each token: all are spelled at once."""
    text = bytes_to_chars(b"".join(tokens))
    return [text[begin:end] for begin, end in pairwise(accumulate(map(len, tokens), initial=0))]


# --- reading ----------------------------------------------------------------------------------------------------------


_ANY = object()
"""Any value: it changes no IDs, or is read elsewhere."""

# The parts of a section -> their accepted values, of which the first is the default. Other parts are refused.
_FILE = {
    "version": ("1.0",),
    "truncation": _ANY,
    "padding": _ANY,
    "added_tokens": _ANY,
    "normalizer": (None,),
    "pre_tokenizer": _ANY,
    "post_processor": _ANY,
    "decoder": _ANY,
    "model": _ANY,
}
_MODEL = {
    "type": ("BPE",),
    "dropout": (None,),
    "unk_token": _ANY,
    "continuing_subword_prefix": (None, ""),
    "end_of_word_suffix": (None, ""),
    "fuse_unk": (False, True),
    "byte_fallback": (False,),
    "ignore_merges": (False,),
    "vocab": _ANY,
    "merges": _ANY,
}
_SPECIAL_TOKEN = {
    "id": _ANY,
    "content": _ANY,
    "single_word": (False,),
    "lstrip": (False,),
    "rstrip": (False,),
    # Only decides which tokens are found first, see `_check_order_of_search`.
    "normalized": (False, True),
    "special": (True,),
}
_SPLIT = {"type": ("Split",), "pattern": _ANY, "behavior": ("Isolated",), "invert": (False,)}
_BYTE_LEVEL = {
    "type": ("ByteLevel",),
    "add_prefix_space": (False, True),
    "trim_offsets": (True, False),
    "use_regex": (True, False),
}
_BYTE_LEVEL_WITHOUT_SPACE = {**_BYTE_LEVEL, "add_prefix_space": (False,)}


def from_hf_dict(data: Any, cls: type[BPEBase]) -> BPEBase:
    """The tokenizer that a tokenizer.json describes: the inverse of `to_hf_dict`.

    Merges may be pairs (["t", "h"]) or, as in older files, strings ("t h"). `truncation` and `padding`, which
    transformers adds, are ignored: they configure one use of a tokenizer. So is `unk_token`: with a token for every
    byte, nothing is unknown.

    Args:
        data: the content of the file, as `json.loads` returns it. It may be anything; every part is checked.
        cls: the class of the tokenizer, such as `BPETokenizer`.

    Raises:
        UnsupportedTokenizer: it is another kind of tokenizer, or assigns IDs in another way.
        ValueError: it is not a tokenizer, a damaged one, or one that `check_tokenizer` refuses. The message says where,
            for instance model.merges[12].

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(["<|end|>"], pattern="gpt2")
    >>> _ = tokenizer.train_exact("the the the", 258)
    >>> from_hf_dict(to_hf_dict(tokenizer), BPETokenizer).merges
    {(116, 104): 257}
    """
    tokenizer = unchecked_from_hf_dict(data, cls)
    check_tokenizer(tokenizer)
    return tokenizer


def unchecked_from_hf_dict(data: Any, cls: type[BPEBase]) -> BPEBase:
    """The same, but the caller has to call `check_tokenizer`, when it no longer needs memory for `data`."""
    sections = _section(data, "The file", _FILE)
    model = _section(sections.get("model"), "model", _MODEL)
    pattern = _read_pre_tokenizer(sections.get("pre_tokenizer"))
    _section(sections.get("decoder"), "decoder", _BYTE_LEVEL)
    post_processor = sections.get("post_processor")
    if post_processor is not None and not _adds_nothing(post_processor):
        _section(post_processor, "post_processor", _BYTE_LEVEL)

    vocab = _read_vocab(model.get("vocab"))
    special_tokens = _read_special_tokens(sections.get("added_tokens", []), vocab)
    tokenizer = cls(pattern=pattern)
    tokenizer._number(special_tokens, _read_byte_ids(vocab, special_tokens))
    tokenizer.merges = VersionedDict(_read_merges(model.get("merges"), vocab))
    try:
        table = merge_table(tokenizer)
    except MergeError as error:
        raise UnsupportedTokenizer(f"{_merge(error.position, model['merges'][error.position])}: {error}") from None
    tokenizer.vocab.update(zip(table.ids.tolist(), table.tokens))
    token = next((token for token, token_id in vocab.items() if token_id not in tokenizer.vocab), None)
    if token is not None:
        raise UnsupportedTokenizer(
            f"model.vocab[{_short(token)}] is {vocab[token]}, but that token is neither a byte nor a special token, "
            "and no merge makes it."
        )
    return tokenizer


def _read_pre_tokenizer(value: Any) -> str | None:
    """The pattern by which text is split; None if it is not split."""
    place = "pre_tokenizer"
    if value is None:
        raise UnsupportedTokenizer("pre_tokenizer is null, so the tokenizer works on characters, not on bytes.")
    kind = _object(value, place).get("type")
    if kind == "ByteLevel":
        use_regex = _section(value, place, _BYTE_LEVEL_WITHOUT_SPACE).get("use_regex", True)
        return PATTERNS["gpt2"] if use_regex else None
    steps = value.get("pretokenizers")
    if kind != "Sequence" or not isinstance(steps, list) or len(steps) != 2:
        raise UnsupportedTokenizer(
            f"pre_tokenizer is {_short(value)}; only ByteLevel, or a Sequence of Split and ByteLevel, is supported."
        )
    split = _section(steps[0], f"{place}.pretokenizers[0]", _SPLIT)
    if _section(steps[1], f"{place}.pretokenizers[1]", _BYTE_LEVEL_WITHOUT_SPACE).get("use_regex", True):
        raise UnsupportedTokenizer(
            f"{place}.pretokenizers[1] has use_regex true, which would split the text a second time."
        )
    place = f"{place}.pretokenizers[0].pattern"
    pattern = _object(split.get("pattern"), place).get("Regex")
    if not isinstance(pattern, str) or len(split["pattern"]) > 1:
        raise UnsupportedTokenizer(f"{place} is {_short(split['pattern'])}, not a regex.")
    if pattern in PATTERNS:
        raise UnsupportedTokenizer(f"{place} is {pattern!r}, which in the course is the name of another pattern.")
    if pattern in TIKTOKEN_PATTERNS:
        raise UnsupportedTokenizer(f"{place} is a regex of tiktoken, which has another meaning in this file.")
    return pattern


def _adds_nothing(post_processor: Any) -> bool:
    """Whether this is the post-processor that transformers writes, which changes no IDs."""
    nothing = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}], "special_tokens": {}}
    return isinstance(post_processor, dict) and {**post_processor, "pair": None} == {**nothing, "pair": None}


def _read_vocab(value: Any) -> dict[str, int]:
    vocab = _object(value, "model.vocab")
    ids = vocab.values()
    if set(map(type, ids)) != {int} or min(ids) < 0 or max(ids) >= ID_LIMIT:
        for token, token_id in vocab.items():
            if type(token_id) is not int or not 0 <= token_id < ID_LIMIT:
                raise ValueError(
                    f"model.vocab[{_short(token)}] is {_short(token_id)}, but an ID must be an integer from 0 to "
                    "2**31 - 1."
                )
    if len(set(ids)) < len(vocab):
        owner: dict[int, str] = {}
        for token, token_id in vocab.items():
            if token_id in owner:
                raise ValueError(
                    f"model.vocab gives the ID {token_id} to {_short(owner[token_id])} and {_short(token)}."
                )
            owner[token_id] = token
    return vocab


def _read_special_tokens(value: Any, vocab: dict[str, int]) -> dict[str, int]:
    """Special token -> ID."""
    if not isinstance(value, list):
        raise ValueError(f"added_tokens is {_short(value)}, but it should be a list.")
    ids: dict[str, int] = {}
    next_id = len(vocab)
    for position, entry in enumerate(value):
        place = f"added_tokens[{position}]"
        _section(entry, place, _SPECIAL_TOKEN)
        token, token_id = entry.get("content"), entry.get("id")
        if not isinstance(token, str) or type(token_id) is not int:
            raise ValueError(f"{place} is {_short(entry)}, but it needs a string as content and an integer as id.")
        if token in ids:
            raise ValueError(f"{place} is {_short(token)}, which appears twice.")
        # The library gives a token that is not in model.vocab the next free ID, whatever this entry says.
        if vocab.get(token, next_id) != token_id:
            raise UnsupportedTokenizer(
                f"{place} gives {_short(token)} the ID {token_id}, but model.vocab has {vocab.get(token)}: libraries "
                "would disagree on its ID."
            )
        ids[token] = token_id
        next_id = max(next_id, token_id + 1)
    _check_order_of_search(value)
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
                    f"added_tokens differ in normalized, and {_short(token)} can overlap another of them in a text: "
                    "which one is found would depend on the library."
                )


def _read_byte_ids(vocab: dict[str, int], special_tokens: dict[str, int]) -> list[int]:
    """The ID of each byte. In files that the trainer of `tokenizers` writes, special tokens come first."""
    for byte, char in BYTE_TO_CHAR.items():
        if char not in vocab:
            raise UnsupportedTokenizer(
                f"model.vocab has no token for the byte {byte} ({char!r}), so this tokenizer leaves that byte out of "
                "every text. Train it with initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()."
            )
        if char in special_tokens:
            raise UnsupportedTokenizer(f"The special token {char!r} is spelled like the byte {byte}.")
    return [vocab[char] for char in BYTE_TO_CHAR.values()]


def _read_merges(value: Any, vocab: dict[str, int]) -> dict[Pair, int]:
    if not isinstance(value, list):
        raise ValueError(f"model.merges is {_short(value)}, but it should be a list.")
    entries = [entry.split(" ") if isinstance(entry, str) else entry for entry in value]
    try:
        if not set(map(type, entries)) <= {list}:
            raise TypeError
        merges = {(vocab[left], vocab[right]): vocab[left + right] for left, right in entries}
    except (KeyError, TypeError, ValueError):
        raise _problem_of_merges(value, entries, vocab) from None
    if len(merges) < len(entries):
        raise _problem_of_merges(value, entries, vocab)
    return merges


def _problem_of_merges(value: list[Any], entries: list[Any], vocab: dict[str, int]) -> ValueError:
    """What is wrong with the first of the merges that is not one of two tokens, or appears twice."""
    earlier = set()
    for position, (entry, parts) in enumerate(zip(value, entries)):
        if not (isinstance(parts, list) and len(parts) == 2 and type(parts[0]) is type(parts[1]) is str):
            return ValueError(f"{_merge(position, entry)}, but a merge must be a pair of tokens.")
        left, right = parts
        unknown = next((token for token in (left, right, left + right) if token not in vocab), None)
        if unknown is not None:
            return ValueError(f"{_merge(position, entry)}, but model.vocab has no token {_short(unknown)}.")
        if (left, right) in earlier:
            return ValueError(f"{_merge(position, entry)}, which is an earlier merge.")
        earlier.add((left, right))
    raise AssertionError("All merges are valid.")


def _merge(position: int, entry: Any) -> str:
    return f"model.merges[{position}] is {_short(entry)}"


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{place} is {_short(value)}, but it should be an object.")
    return value


def _section(value: Any, place: str, parts: dict[str, Any]) -> dict[str, Any]:
    """Check that a value is an object with no other parts than these, and only accepted values."""
    section = _object(value, place)
    for name, values in parts.items():
        if values is _ANY:
            continue
        found = section.get(name, values[0])
        # As JSON: in Python, 1, 1.0 and True are equal.
        if not any(type(found) is type(other) and found == other for other in values):
            supported = " or ".join(json.dumps(other) for other in values)
            where = name if parts is _FILE else f"{place}.{name}"
            raise UnsupportedTokenizer(f"{where} is {_short(found)}; only {supported} is supported.")
    for name in section:
        if name not in parts:
            raise UnsupportedTokenizer(f"{place} has a part named {_short(name)}, which is unknown.")
    return section


def _short(value: Any) -> str:
    """A value from a file, shortened for an error message."""
    return reprlib.repr(value)
