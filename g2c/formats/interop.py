"""Conversion to and from other libraries: `tokenizers` and transformers (Hugging Face), and tiktoken (OpenAI).

They all implement byte-level BPE, but store different parts of it:

    tokenizers    the merges as pairs of tokens, in order, and the ID of each token
    tiktoken      only the ID of each token, called its rank; the merges follow from the ranks
"""

import base64
import json
import os
import re
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tokenizers

from g2c.common.errors import FileFormatError, UnsupportedTokenizer
from g2c.common.files import read_file
from g2c.common.table_limits import MAX_TOKENIZER_JSON, check_table_limits
from g2c.formats.hf_format import from_hf_dict, to_library
from g2c.formats.validity import build_tokenizer, check_tokenizer
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.checks import is_integer
from g2c.tokenizer.patterns import PATTERNS, TIKTOKEN_PATTERNS, resolve_pattern
from g2c.tokenizer.special_tokens import check_special_tokens

if TYPE_CHECKING:
    import tiktoken

BYTE_TOKENS = [bytes([byte]) for byte in range(256)]
"""The token of each byte."""

_WHOLE_TEXT = r"[\s\S]+"
"""A pattern that matches a whole text, for tiktoken, which requires a pattern."""

_GOES_ON_AFTER_LINE_END = re.compile(rb"[\r\n][^\r\n]+\Z")


def to_hf(tokenizer: BPEBase) -> tokenizers.Tokenizer:
    """Convert to a `tokenizers.Tokenizer`: see `BPEBase.to_hf`."""
    check_tokenizer(tokenizer)
    return to_library(tokenizer)


def from_hf(cls: type[BPEBase], source: Any) -> BPEBase:
    """Convert a tokenizer of `tokenizers` or transformers: see `BPEBase.from_hf`."""
    library = getattr(source, "backend_tokenizer", source)
    if not isinstance(library, tokenizers.Tokenizer):
        raise TypeError(
            f"from_hf takes a tokenizers.Tokenizer or a fast tokenizer of transformers, but this is of type "
            f"{type(source).__name__}."
        )
    return from_hf_dict(json.loads(library.to_str()), cls)


def from_vocab(
    cls: type[BPEBase],
    vocab: Mapping[int, bytes],
    merges: Iterable[tuple[bytes, bytes]],
    special_tokens: Iterable[str] | None = None,
    pattern: str | None = "gpt2",
) -> BPEBase:
    """Make a tokenizer with this vocabulary and these merges: see `BPEBase.from_vocab`."""
    merges, tokens = list(merges), check_special_tokens(special_tokens or ())
    entries = vocab.items() if isinstance(vocab, Mapping) else [(0, vocab)]
    wrong = next((entry for entry in entries if not (is_integer(entry[0]) and isinstance(entry[1], bytes))), None)
    if wrong is not None:
        raise TypeError(f"vocab must be a dictionary ID -> bytes, but it has {wrong[0]!r:.60}: {wrong[1]!r:.60}.")
    ids = {token: int(token_id) for token_id, token in vocab.items()}
    next_ids = count(max(ids.values(), default=0) + 1)
    special = {token: ids[key] if (key := token.encode()) in ids else next(next_ids) for token in tokens}
    made = {*BYTE_TOKENS, *(left + right for left, right in merges)}
    merged = {token: token_id for token, token_id in ids.items() if token in made}
    tokenizer = build_tokenizer(cls, merged, BYTE_TOKENS, merges, special, pattern)
    for token_id, token in vocab.items():
        tokenizer.vocab.setdefault(int(token_id), token)
    return tokenizer


def to_tiktoken(tokenizer: BPEBase, name: str = "g2c") -> "tiktoken.Encoding":
    """Convert to a `tiktoken.Encoding`: see `BPEBase.to_tiktoken`."""
    import tiktoken

    check_tokenizer(tokenizer)
    special = dict(tokenizer.special_to_id)
    ranks = {token: token_id for token_id, token in tokenizer.vocab.items() if token_id not in tokenizer.id_to_special}
    if tokenizer.normalization or isinstance(tokenizer.pattern, tuple):
        form = tokenizer.normalization
        what = f"normalizes texts ({form})" if form else "splits texts by several regexes"
        raise UnsupportedTokenizer(f"The tokenizer {what}, but an encoding of tiktoken has a single regex alone.")
    if tokenizer.pattern not in (None, *PATTERNS.values()):
        raise UnsupportedTokenizer(
            f"The pattern {tokenizer.pattern!r} may split texts in another way in tiktoken's regex engine. Only "
            "tokenizers with the pattern gpt2, gpt4, o200k or qwen, or without a pattern, can be converted."
        )
    pattern = tokenizer.pattern or _WHOLE_TEXT
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    for token, token_id in special.items():
        # Of two special tokens that begin alike, tiktoken finds the one that comes first in its hash table.
        if encoding.encode(token, allowed_special="all") != [token_id]:
            raise UnsupportedTokenizer(
                f"The special token {token!r} begins with another special token, and tiktoken finds the shorter one. "
                "Rename one of them."
            )
    return encoding


def from_tiktoken(cls: type[BPEBase], source: "tiktoken.Encoding") -> BPEBase:
    """Convert an encoding of tiktoken: see `BPEBase.from_tiktoken`."""
    ranks, special, pattern = (
        getattr(source, name, None) for name in ("_mergeable_ranks", "_special_tokens", "_pat_str")
    )
    if ranks is None or special is None or pattern is None:
        raise TypeError(f"from_tiktoken takes a tiktoken.Encoding, but this is of type {type(source).__name__}.")
    # tiktoken's spelling of gpt4 matters only for tokens that continue after a line end.
    is_known = pattern in (_WHOLE_TEXT, *PATTERNS.values(), *TIKTOKEN_PATTERNS)
    if not is_known or TIKTOKEN_PATTERNS.get(pattern) == "gpt4" and any(map(_GOES_ON_AFTER_LINE_END.search, ranks)):
        raise UnsupportedTokenizer(
            f"The encoding has the pattern {pattern!r}, which may split texts in another way here. from_tiktoken takes "
            "encodings with the pattern of GPT-2, cl100k_base or o200k_base, and those that to_tiktoken makes."
        )
    return from_ranks(ranks, special, None if pattern == _WHOLE_TEXT else pattern, cls)


def from_tiktoken_file(
    cls: type[BPEBase],
    path: str | os.PathLike[str],
    special_tokens: Mapping[str, int] | None = None,
    pattern: str | None = "gpt4",
) -> BPEBase:
    """Read a .tiktoken file: see `BPEBase.from_tiktoken_file`."""
    data = read_file(Path(path), limit=MAX_TOKENIZER_JSON)
    try:
        return from_ranks(parse_ranks(data), special_tokens or {}, pattern, cls)
    except ValueError as error:
        raise FileFormatError(f"{path}: {error}") from None


def parse_ranks(data: bytes) -> dict[bytes, int]:
    """Read the tokens and ranks in a .tiktoken file, which has a line for each token: its bytes in base64, its rank.

    Empty lines and "=", which spells the empty token, are skipped, as in tiktoken. Raises ValueError, with the line's
    number, if a line has another form or a token has two ranks; and if there is no line.
    """
    if re.match(rb"\s*[{\[]\s*[{\[\"]", data):
        raise ValueError(
            "It is JSON, not a line for each token. BPETokenizer.load reads tokenizer.json and tekken.json."
        )
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line:
            continue
        try:
            encoded, digits = line.split()
            token, rank = b"" if encoded == b"=" else base64.b64decode(encoded, validate=True), int(digits)
        except ValueError:
            raise ValueError(f"Line {number} is {line[:60]!r}, but should be a token in base64 and its rank.") from None
        if token and ranks.setdefault(token, rank) != rank:
            raise ValueError(f"Line {number} gives {token!r:.60} the rank {rank}, but a line before it {ranks[token]}.")
    if not ranks:
        raise ValueError("It is empty, but should have a line for each token: the token in base64, and its rank.")
    return ranks


def from_tekken(content: Any, cls: type[BPEBase]) -> BPEBase:
    """Make the tokenizer that the content of a tekken.json describes. Raises ValueError if it has another form.

    A token's ID is its rank plus the number of special tokens, of which those without a name are <SPECIAL_0>, ...
    """
    try:
        config, vocab, named = content["config"], content["vocab"], content.get("special_tokens") or []
        count, pattern = config["default_num_special_tokens"], config["pattern"]
        special = {f"<SPECIAL_{number}>": number for number in range(count)}
        for entry in named:
            del special[f"<SPECIAL_{entry['rank']}>"]
        special |= {entry["token_str"]: entry["rank"] for entry in named}
        vocab = vocab[: config["default_vocab_size"] - count]
        ranks = {base64.b64decode(entry["token_bytes"], validate=True): entry["rank"] + count for entry in vocab}
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"This is not a tekken.json that can be read: {error!r}.") from None
    if len(ranks) < len(vocab):
        raise ValueError("A token of this tekken.json has two ranks.")
    return from_ranks(ranks, special, pattern, cls)


def from_ranks(
    ranks: Mapping[bytes, int], special_tokens: Mapping[str, int], pattern: str | None, cls: type[BPEBase]
) -> BPEBase:
    """Make the tokenizer that a table, token -> rank, describes. Ranks are IDs."""
    check_table_limits(len(ranks) + len(special_tokens), len(special_tokens), sum(map(len, ranks)))
    # tiktoken looks up a piece as a whole before it merges.
    return build_tokenizer(cls, ranks, BYTE_TOKENS, None, special_tokens, resolve_pattern(pattern), ignore_merges=True)
