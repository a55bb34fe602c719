"""The limits of a tokenizer. What loading refuses, training and saving refuse too.

A file from somebody else decides how much time and memory it takes to read it, up to these limits. Published tokenizers
have up to 262,144 tokens of 8 bytes on average.
"""

MAX_TOKENS = 2_000_000
"""The number of tokens: bytes, special tokens and learned merges. The IDs in a vocabulary are below it as well."""

MAX_SPECIAL_TOKENS = 25_000
"""The number of special tokens among them."""

MAX_SPECIAL_CHARACTERS = 1_000_000
"""The length of all special tokens together, in characters: one regex finds them in a text."""

MAX_TOKEN_BYTES = 32 * 2**20
"""The length of all tokens together, in bytes."""

MAX_TOKENIZER_JSON = 512 * 2**20
"""The size of tokenizer.json, in bytes: enough for a tokenizer at all three limits."""


def check_table_limits(tokens: int, special_tokens: int, token_bytes: int) -> None:
    """Raise ValueError if a tokenizer exceeds a limit. `tokens` includes the special tokens."""
    for found, limit, what in (
        (tokens, MAX_TOKENS, "tokens"),
        (special_tokens, MAX_SPECIAL_TOKENS, "special tokens"),
        (token_bytes, MAX_TOKEN_BYTES, "bytes in all its tokens together"),
    ):
        if found > limit:
            raise ValueError(f"The tokenizer has {found:,} {what}, which exceeds the limit of {limit:,}.")
