"""The former name of the table of merges, until every room uses `Table`; and which pair a token is merged from."""

from collections.abc import Iterator, Mapping, Sequence

from g2c.common.errors import UnsupportedTokenizer
from g2c.formats.table import BYTES, Table, merge_across, read_merges
from g2c.tokenizer.base import BPEBase, Pair
from g2c.tokenizer.special_tokens import BYTE_IDS

_MAX_WORK = 1 << 27
_MAX_WORK_PER_TOKEN = 200
"""Limits for the sum of the squared lengths of tokens. For cl100k, this sum is 60 per token."""


class MergeTable(Table):
    """A `Table` of merges alone."""

    @classmethod
    def of(  # type: ignore[override]
        cls, merges: Mapping[Pair, int], byte_ids: Sequence[int] = BYTE_IDS, whole: Mapping[bytes, int] | None = None
    ) -> "MergeTable":
        """Make the table of these merges. Raises what `Table.of` raises."""
        left, right, ids = read_merges(merges, byte_ids)
        table = cls(left, right, ids, whole=dict(whole or {}))
        _ = table.tokens
        return table


def merge_table(tokenizer: BPEBase) -> Table:
    """Return `Table.of(tokenizer)`."""
    return Table.of(tokenizer)


def find_splits(tokens: Sequence[bytes]) -> Iterator[Pair | None]:
    """Yield the pair of symbols from which BPE merges each token, for tables that contain only the tokens.

    The tokens are in the order of their ranks, all differ, and each has at least two bytes. A token that is not the
    merge of two earlier ones gives None, and gets no symbol. Raises UnsupportedTokenizer for tokens that are so long
    that this would take too long; no training makes such tokens.
    """
    if sum(len(token) ** 2 for token in tokens) > _MAX_WORK + _MAX_WORK_PER_TOKEN * len(tokens):
        longest = max(tokens, key=len)
        raise UnsupportedTokenizer(
            f"Its tokens are too long to find out their merges: {longest[:20]!r}..., the longest, has {len(longest):,} "
            "bytes."
        )
    symbol_of = {bytes([byte]): byte for byte in range(BYTES)}
    left_of, right_of = list(range(BYTES)), list(range(BYTES))
    merges: dict[Pair, int] = {}
    for token in tokens:
        symbol = len(left_of)
        for cut in range(1, len(token)):
            # More beginnings than endings are tokens.
            if (right := symbol_of.get(token[cut:])) is None or (left := symbol_of.get(token[:cut])) is None:
                continue
            if merge_across(left, right, symbol, merges, left_of, right_of) is None:
                break
        else:
            yield None
            continue
        symbol_of[token] = symbol
        merges[left, right] = symbol
        left_of.append(left)
        right_of.append(right)
        yield left, right
