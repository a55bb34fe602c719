"""Small tokenizers, and the content of their files, as dictionaries that a test changes."""

import json
from pathlib import Path
from typing import Any

from g2c.formats.tokenizer_json import parse_tokenizer
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.base import BPEBase

TEXT = "First Citizen: we are accounted poor citizens, the patricians good. 1234 we'll\n\n  Ça va 中文 \U0001f44b\n" * 3
STATE = ("vocab", "byte_ids", "special_tokens", "special_to_id", "special_token_ids", "pattern")
STATE += ("whole_pieces", "normalization", "shown_tokens")


def trained(pattern=None, special_tokens=("<|endoftext|>", "<|pad|>", "<|end|>")) -> BPETokenizer:
    """Return a tokenizer with sixty merges, learned from `TEXT`."""
    tokenizer = BPETokenizer(special_tokens, pattern)
    tokenizer.train(TEXT, tokenizer.base_vocab_size + 60, progress=False)
    return tokenizer


def state(tokenizer: BPEBase) -> list[Any]:
    """Return everything that determines a tokenizer's IDs."""
    return [list(tokenizer.merges.items()), *(getattr(tokenizer, name) for name in STATE)]


def content_of(tokenizer: BPEBase) -> dict[str, Any]:
    """Return what a tokenizer's file contains."""
    return json.loads(tokenizer.to_hf().to_str())


def read(content: dict[str, Any]) -> BPETokenizer:
    """Read a file with this content."""
    return parse_tokenizer(json.dumps(content).encode(), Path("tokenizer.json")).tokenizer(BPETokenizer)
