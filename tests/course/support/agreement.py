"""Whether the engine, the library `tokenizers` and tiktoken give the same IDs with a tokenizer."""

from collections.abc import Iterable

from g2c.common.errors import UnsupportedTokenizer
from g2c.corpus.verify import SAMPLES
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import normalized


def disagreements(tokenizer: BPEBase, samples: Iterable[str] = SAMPLES) -> list[str]:
    """The library and the text of each disagreement. tiktoken is left out where it cannot have the tokenizer."""
    library = tokenizer.to_hf()
    try:
        tiktoken = tokenizer.to_tiktoken()
    except (ImportError, UnsupportedTokenizer):
        tiktoken = None
    found = []
    for text in samples:
        ids = library.encode(text, add_special_tokens=False).ids
        if tokenizer.encode_fast(text) != ids:
            found.append(f"encode_fast: {text!r}")
        if library.decode(ids, skip_special_tokens=False) != normalized(text, tokenizer.normalization):
            found.append(f"decoding by tokenizers: {text!r}")
        if tiktoken is not None and tiktoken.encode(text, allowed_special="all") != ids:
            found.append(f"tiktoken: {text!r}")
    return found
