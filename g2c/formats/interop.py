"""Conversion to and from objects of `tokenizers` and transformers (Hugging Face), and to tiktoken (OpenAI)."""

from typing import TYPE_CHECKING, Any

import tokenizers

from g2c.common.errors import UnsupportedTokenizer
from g2c.formats.hf_format import from_library, render
from g2c.formats.table import Table, Tokenizer
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import EXAMINED, PATTERNS

if TYPE_CHECKING:
    import tiktoken


def to_hf(tokenizer: BPEBase) -> tokenizers.Tokenizer:
    """Convert to a `tokenizers.Tokenizer` with the same IDs. Raises ValueError if the state is not valid."""
    return tokenizers.Tokenizer.from_str(render(Table.checked(tokenizer)))


def from_hf(cls: type[Tokenizer], source: Any) -> Tokenizer:
    """Convert from a `tokenizers.Tokenizer` or a fast tokenizer of transformers. Raises ValueError with the reason if a
    BPETokenizer cannot represent it."""
    return from_library(getattr(source, "backend_tokenizer", source)).tokenizer(cls)


def to_tiktoken(tokenizer: BPEBase, name: str = "g2c") -> "tiktoken.Encoding":
    """Convert to a `tiktoken.Encoding`, whose `encode(text, allowed_special="all")` gives the IDs of `encode`.

    Raises ValueError if the state is not valid, or if tiktoken could give other IDs, as with an unknown pattern.
    """
    table = Table.checked(tokenizer)
    if table.normalization:
        raise UnsupportedTokenizer(f"The tokenizer normalizes texts ({table.normalization}), which tiktoken does not.")
    if table.pattern and table.pattern not in EXAMINED:
        names = ", ".join(name for name, regex in PATTERNS.items() if regex in EXAMINED)
        raise UnsupportedTokenizer(
            f"The pattern {table.pattern!r} may split texts in another way in tiktoken's regex engine. Only "
            f"tokenizers without a pattern, or with one of {names}, can be converted."
        )
    import tiktoken  # Not installed everywhere, and not needed for the errors above.

    special, ranks = dict(table.special_to_id), {**dict(zip(table.tokens, table.ids.tolist())), **table.whole}
    pattern = table.pattern or r"[\s\S]+"  # tiktoken requires a pattern; this one matches a whole text.
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    for token, token_id in special.items():
        # Of two special tokens that begin alike, tiktoken finds the one that comes first in its hash table.
        if encoding.encode(token, allowed_special="all") != [token_id]:
            raise UnsupportedTokenizer(
                f"The special token {token!r} begins with another special token, and tiktoken finds the shorter one. "
                "Rename one of them."
            )
    return encoding
