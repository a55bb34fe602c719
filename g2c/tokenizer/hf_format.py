"""The file format of Hugging Face `tokenizers`, as a dictionary: what tokenizer.json holds for a tokenizer of ours.

The format spells tokens as text, but a token is bytes, often not valid UTF-8. GPT-2's answer (Radford et al. 2019): give
each of the 256 byte values a visible character and spell a token with those. Bytes that are visible in Latin-1 keep
their character; the others (space, control characters, ...) take the characters from U+0100 on, in byte order.

    b" the"  --bytes_to_chars-->  "Ġthe"      0x20, the space, is the 33rd byte that is not visible: U+0120, Ġ
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from g2c.tokenizer.base import BPEBase


def _byte_alphabet() -> dict[int, str]:
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    substitutes = iter(range(0x100, 0x200))
    return {byte: chr(byte) if byte in visible else chr(next(substitutes)) for byte in range(256)}


BYTE_TO_CHAR: dict[int, str] = _byte_alphabet()
"""Byte value -> the character that stands for it, in byte order."""

CHAR_TO_BYTE: dict[str, int] = {char: byte for byte, char in BYTE_TO_CHAR.items()}
"""The way back."""


def bytes_to_chars(token: bytes) -> str:
    """Spell a token's bytes in the byte alphabet.

    >>> from g2c.tokenizer.hf_format import bytes_to_chars
    >>> bytes_to_chars(b" the\\n")
    'ĠtheĊ'
    """
    return token.decode("latin-1").translate(BYTE_TO_CHAR)


def chars_to_bytes(spelling: str) -> bytes:
    """The bytes that a spelling in the byte alphabet stands for. ValueError when a character is not of the alphabet.

    >>> from g2c.tokenizer.hf_format import chars_to_bytes
    >>> chars_to_bytes("Ġthe")
    b' the'
    """
    try:
        return bytes(CHAR_TO_BYTE[char] for char in spelling)
    except KeyError as error:
        raise ValueError(f"{spelling!r} holds {error.args[0]!r}, which stands for no byte in the byte alphabet.") from None


def to_hf_dict(tokenizer: "BPEBase") -> dict[str, Any]:
    """What tokenizer.json holds for `tokenizer`: `json.dumps(to_hf_dict(t), indent=2, ensure_ascii=False)` is that file.

    Keys come in the order, and with the defaults, that `tokenizers.Tokenizer.save` writes.

    Raises:
        ValueError: two tokens have the same spelling, or a merge uses an ID that is not in the vocabulary: the format
            cannot express such a table.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(["<|end|>"])
    >>> _ = tokenizer.train_exact("the the the", 258)
    >>> to_hf_dict(tokenizer)["model"]["merges"]
    [['t', 'h']]
    >>> [(token, i) for token, i in to_hf_dict(tokenizer)["model"]["vocab"].items() if i > 255]
    [('<|end|>', 256), ('th', 257)]
    """
    spelling = _spellings(tokenizer)
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    pre_tokenizer: dict[str, Any] = dict(byte_level)
    if tokenizer.pattern is not None:
        split = {"type": "Split", "pattern": {"Regex": tokenizer.pattern}, "behavior": "Isolated", "invert": False}
        pre_tokenizer = {"type": "Sequence", "pretokenizers": [split, pre_tokenizer]}
    try:
        merges = [[spelling[left], spelling[right]] for left, right in tokenizer.merges]
    except KeyError as error:
        raise ValueError(f"A merge uses the ID {error.args[0]}, which is not in the vocabulary.") from None
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
            # The special tokens must stand here too: with `added_tokens` alone the library renumbers them.
            "vocab": {spelling[token_id]: token_id for token_id in sorted(spelling)},
            "merges": merges,
        },
    }


def _spellings(tokenizer: "BPEBase") -> dict[int, str]:
    """ID -> spelling: special tokens as they are, all others in the byte alphabet."""
    spelling = {token_id: bytes_to_chars(token) for token_id, token in tokenizer.vocab.items()}
    spelling.update(tokenizer.id_to_special)
    if len(set(spelling.values())) < len(spelling):
        first_id: dict[str, int] = {}
        for token_id, token in spelling.items():
            if token in first_id:
                raise ValueError(f"The tokens {first_id[token]} and {token_id} have the same bytes: {token!r}.")
            first_id[token] = token_id
    return spelling
