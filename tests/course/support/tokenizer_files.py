"""The content of tokenizer.json files, as dictionaries that a test changes."""

import json
from pathlib import Path
from typing import Any

from g2c.formats.tokenizer_json import parse_tokenizer
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.base import BPEBase


def content_of(tokenizer: BPEBase) -> dict[str, Any]:
    """Return what a tokenizer's file contains."""
    return json.loads(tokenizer.to_hf().to_str())


def read(content: dict[str, Any]) -> BPETokenizer:
    """Read a file with this content."""
    return parse_tokenizer(json.dumps(content).encode(), Path("tokenizer.json")).tokenizer(BPETokenizer)
