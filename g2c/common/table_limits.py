"""The largest tokenizer that is trained, saved or loaded.

Reading a stranger's file takes as much time and memory as the file demands, up to these limits. Published tokenizers
have up to 262,144 tokens of 8 bytes on average.
"""

from g2c.common.errors import UnsupportedTokenizer

MAX_TOKENS = 2_000_000
"""The number of tokens: bytes, special tokens and learned merges. Token IDs are below it, too."""

MAX_SPECIAL_TOKENS = 25_000
"""The number of special tokens among them."""

MAX_SPECIAL_CHARACTERS = 1_000_000
"""The total length of all special tokens, in characters. They form one regex."""

MAX_TOKEN_BYTES = 32 * 2**20
"""The total length of all tokens, in bytes."""

MAX_TOKENIZER_JSON = 512 * 2**20
"""The size of tokenizer.json, in bytes: enough for a tokenizer at all of these limits."""


def check_table_limits(tokens: int, special_tokens: int, token_bytes: int) -> None:
    """Raise UnsupportedTokenizer if a tokenizer exceeds a limit. `tokens` includes the special tokens."""
    for found, limit, what in (
        (tokens, MAX_TOKENS, "tokens"),
        (special_tokens, MAX_SPECIAL_TOKENS, "special tokens"),
        (token_bytes, MAX_TOKEN_BYTES, "bytes in all its tokens together"),
    ):
        if found > limit:
            raise UnsupportedTokenizer(f"The tokenizer has {found:,} {what}, which exceeds the limit of {limit:,}.")
