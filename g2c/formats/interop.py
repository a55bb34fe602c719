"""To and from the tokenizer libraries of others: `tokenizers` and transformers (Hugging Face), and tiktoken (OpenAI).

All of them run byte-level BPE, and differ in what they write down:

    tokenizers    the merges as pairs of tokens, in order, and the ID of each token
    tiktoken      the ID of each token alone, called its rank; the merges follow from the ranks
    GPT-2         two files: the ID of each token, and the merges as lines of text
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tokenizers

from g2c.common.files import parse_json
from g2c.formats.hf_format import UnsupportedTokenizer, from_hf_dict, to_hf_dict
from g2c.formats.validity import check_tokenizer

if TYPE_CHECKING:
    import tiktoken

    from g2c.tokenizer.base import BPEBase

Pair = tuple[int, int]

WHOLE_TEXT = r"[\s\S]+"
"""The pattern that leaves a text whole. tiktoken needs one."""

_TIKTOKEN_PATTERNS = {
    WHOLE_TEXT: None,
    # What tiktoken says in place of the published patterns: the same pieces, written for its own engine.
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$"""
    r"""|\s*[\r\n]|\s+(?!\S)|\s""": "gpt4",
}
_POSSESSIVE = re.compile(r"(?<!\\)([+*?]|\{\d*,?\d*\})\+")


# --- Hugging Face -----------------------------------------------------------------------------------------------------


def to_hf(tokenizer: "BPEBase") -> tokenizers.Tokenizer:
    """This tokenizer as one of the library `tokenizers`, with the same IDs: what tokenizer.json describes.

    Raises:
        ValueError: the tokenizer is not in a state that every library reads the same way (`check_tokenizer`).

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(["<|end|>"])
    >>> _ = tokenizer.train_exact("the the the", 260)
    >>> to_hf(tokenizer).encode("the the<|end|>").tokens
    ['theĠ', 'the', '<|end|>']
    """
    check_tokenizer(tokenizer)
    return tokenizers.Tokenizer.from_str(json.dumps(to_hf_dict(tokenizer)))


def from_hf(source: Any, cls: type["BPEBase"]) -> "BPEBase":
    """The way back, for any tokenizer of `tokenizers` that is byte-level BPE.

    Args:
        source: a `tokenizers.Tokenizer`, or a fast tokenizer of transformers, which contains one.
        cls: the class to make, such as `BPETokenizer`.

    Raises:
        TypeError: `source` is neither.
        ValueError: it is a tokenizer that a BPETokenizer cannot express. The sentence gives the reason.
    """
    library = getattr(source, "backend_tokenizer", source)
    if not isinstance(library, tokenizers.Tokenizer):
        raise TypeError(
            f"from_hf takes a tokenizers.Tokenizer or a fast tokenizer of transformers, but this is of type "
            f"{type(source).__name__}."
        )
    tokenizer = from_hf_dict(json.loads(library.to_str()), cls)
    check_tokenizer(tokenizer)
    return tokenizer


def from_gpt2_files(encoder_json: bytes, vocab_bpe: bytes, cls: type["BPEBase"]) -> "BPEBase":
    """The tokenizer of GPT-2's two files.

    Args:
        encoder_json: the content of encoder.json: a JSON object, token -> ID. Its last token is <|endoftext|>.
        vocab_bpe: the content of vocab.bpe: a line with the version, then a line "left right" for each merge.
        cls: the class to make.

    Raises:
        ValueError: the files do not belong together, or are damaged.
    """
    vocab, end = parse_json(encoder_json, Path("encoder.json")), "<|endoftext|>"
    if not isinstance(vocab, dict) or end not in vocab:
        raise ValueError(f"encoder.json is no table of tokens with {end} among them.")
    version, *merges = vocab_bpe.decode().rstrip("\n").split("\n")
    if not version.startswith("#version"):
        raise ValueError(f"vocab.bpe begins with {version[:40]!r}, but its first line says the version.")
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
    special = {"id": vocab[end], "content": end, "special": True}
    model = {"type": "BPE", "vocab": vocab, "merges": merges}
    return from_hf_dict(
        {"model": model, "added_tokens": [special], "pre_tokenizer": byte_level, "decoder": byte_level}, cls
    )


# --- tiktoken ---------------------------------------------------------------------------------------------------------


def to_tiktoken(tokenizer: "BPEBase", name: str = "g2c") -> "tiktoken.Encoding":
    """This tokenizer as one of tiktoken, with the same IDs.

    Its `encode` refuses special tokens in a text unless they are allowed: `encode(text, allowed_special="all")` is our
    `encode`, and `encode_ordinary(text)` is `encode_ordinary`.

    Args:
        tokenizer: trained or not.
        name: what tiktoken shows it as.

    Raises:
        ValueError: the tokenizer is not in a state that every library reads the same way (`check_tokenizer`).
        ModuleNotFoundError: tiktoken is not installed (pip install -e '.[interop]').
    """
    import tiktoken

    check_tokenizer(tokenizer)
    special = dict(tokenizer.special_to_id)
    ranks = {token: token_id for token_id, token in tokenizer.vocab.items() if token_id not in tokenizer.id_to_special}
    return tiktoken.Encoding(
        name, pat_str=tokenizer.pattern or WHOLE_TEXT, mergeable_ranks=ranks, special_tokens=special
    )


def from_tiktoken(source: "tiktoken.Encoding", cls: type["BPEBase"]) -> "BPEBase":
    """The way back, for any encoding of tiktoken whose pattern the Rust engine of `tokenizers` reads alike.

    Args:
        source: a `tiktoken.Encoding`.
        cls: the class to make, such as `BPETokenizer`.

    Raises:
        TypeError: `source` is something else.
        ValueError: it is an encoding that a BPETokenizer cannot express. The sentence gives the reason.
    """
    ranks, special, pattern = (
        getattr(source, name, None) for name in ("_mergeable_ranks", "_special_tokens", "_pat_str")
    )
    if ranks is None or special is None or pattern is None:
        raise TypeError(f"from_tiktoken takes a tiktoken.Encoding, but this is of type {type(source).__name__}.")
    if pattern in _TIKTOKEN_PATTERNS:
        pattern = _TIKTOKEN_PATTERNS[pattern]
    elif _POSSESSIVE.search(pattern):
        raise UnsupportedTokenizer(
            f"The pattern {pattern!r} has possessive quantifiers, such as ++, which other engines read differently."
        )
    return from_ranks(ranks, special, pattern, cls)


def parse_ranks(data: bytes) -> dict[bytes, int]:
    """The content of a .tiktoken file: a line for each token, its bytes in base64 and its rank.

    Raises:
        ValueError: a line is something else. The sentence gives its number.

    >>> parse_ranks(b"IQ== 0\\nIg== 1\\n")
    {b'!': 0, b'"': 1}
    """
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            token, rank = line.split()
            token, rank = base64.b64decode(token, validate=True), int(rank)
        except (ValueError, binascii.Error):
            raise ValueError(f"Line {number} is {line[:60]!r}, but should be a token in base64 and its rank.") from None
        if not token or token in ranks:
            raise ValueError(f"Line {number} has the token {token!r}, which is empty or stands twice.")
        ranks[token] = rank
    return ranks


def from_ranks(
    ranks: Mapping[bytes, int], special_tokens: Mapping[str, int], pattern: str | None, cls: type["BPEBase"]
) -> "BPEBase":
    """The tokenizer of a table of tokens and their ranks, which are their IDs.

    Args:
        ranks: token -> rank.
        special_tokens: special token -> ID.
        pattern: as for `BPETokenizer`.
        cls: the class to make.

    Raises:
        ValueError: the table is none of byte-level BPE, or its ranks leave IDs free. The sentence says where.

    >>> from g2c.tokenizer import BPETokenizer
    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257}
    >>> from_ranks(ranks, {"<|end|>": 300}, None, BPETokenizer).merges
    {(116, 104): 256, (256, 101): 257}
    """
    tokenizer = cls(special_tokens, pattern)
    for byte in range(256):
        rank = ranks.get(bytes([byte]))
        if rank is None or not 0 <= rank < 256:
            raise UnsupportedTokenizer(
                f"The single byte {bytes([byte])!r} has the rank {rank}, but single bytes have the ranks 0 to 255."
            )
    tokenizer.byte_ids = bytes(ranks[bytes([byte])] for byte in range(256))
    if len(set(tokenizer.byte_ids)) < 256:
        raise ValueError("Two single bytes have the same rank, but each of the ranks 0 to 255 belongs to one.")
    tokenizer._forget()
    learned = sorted((rank, token) for token, rank in ranks.items() if len(token) > 1)
    for expected, (rank, token) in zip(islice(tokenizer.merge_ids(), len(learned)), learned):
        if rank != expected:
            raise UnsupportedTokenizer(
                f"The token {token!r} has the rank {rank}, but the ranks go up by one, and {expected} comes next."
            )
        left, right = _parts(token, rank, ranks)
        tokenizer.merges[left, right] = rank
        tokenizer.vocab[rank] = token
    # Found this way, each token encodes to itself: what `check_tokenizer` would look at once more.
    return tokenizer


def _parts(token: bytes, rank: int, ranks: Mapping[bytes, int]) -> Pair:
    """The two tokens that the merge of this one joined: what its bytes come to with the tokens of lower rank."""
    parts = [token[place : place + 1] for place in range(len(token))]
    joined = [ranks.get(left + right, rank) for left, right in zip(parts, parts[1:])]
    while (lowest := min(joined, default=rank)) < rank:
        place = joined.index(lowest)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
        # Only the neighbours of the new part have changed.
        del joined[place]
        for left in (place - 1, place):
            if 0 <= left < len(joined):
                joined[left] = ranks.get(parts[left] + parts[left + 1], rank)
    if len(parts) != 2:
        raise ValueError(f"The token {token!r} of rank {rank} is made by no merge: its parts are {parts}.")
    return ranks[parts[0]], ranks[parts[1]]
