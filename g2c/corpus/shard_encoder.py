"""Encoding a shard of a corpus into token IDs, in a worker."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.corpus.shards import Cutter, Shard, SpecialTokens
from g2c.engine.encoding import NO_TOKEN, Encoder, Tables
from g2c.formats.merge_table import merge_table
from g2c.tokenizer.base import BPEBase

Special = Literal["allow", "ordinary"]


@dataclass(frozen=True)
class Settings:
    """All that the IDs of a text depend on: a tokenizer, and the special tokens to recognize. Sent to every worker."""

    tables: Tables
    special_to_id: dict[str, int]
    separator_id: int
    tokens: list[bytes]

    @classmethod
    def of(cls, tokenizer: BPEBase, special: Special, separator_id: int = NO_TOKEN) -> "Settings":
        """
        Args:
            special: "allow": special tokens in the text get their IDs; "ordinary": they are plain text.
            separator_id: the ID to add after each document; `NO_TOKEN` for none.
        """
        return cls(
            tables=Tables.of_table(merge_table(tokenizer), tokenizer.pattern),
            special_to_id=tokenizer.special_to_id if special == "allow" else {},
            separator_id=separator_id,
            tokens=[token for i, token in tokenizer.vocab.items() if i not in tokenizer.special_token_ids],
        )

    def cutter(self) -> Cutter:
        """Finds the offsets at which the corpus can be cut."""
        return Cutter(self.tables.pattern, self.tokens, list(self.special_to_id))


class ShardResult(NamedTuple):
    """The token IDs of a shard, in arrays; and its text, or on a cluster the SHA-256 of the text."""

    ids: list[NDArray[np.uint32]]
    text: bytes | None
    text_sha256: str | None


def shard_encoder(job: tuple[Settings, bool]) -> Callable[[Shard], ShardResult]:
    """A function that encodes one shard.

    Args:
        job: the settings, and whether the worker is on another machine: then it returns no text.
    """
    settings, is_remote = job
    encoder = Encoder(settings.tables)
    special_tokens = SpecialTokens(settings.special_to_id, settings.separator_id)

    def encode_shard(shard: Shard) -> ShardResult:
        text = shard.read()
        ids = list(encoder.encode(text, special_tokens.parts(shard, text)))
        return ShardResult(ids, None, hashlib.sha256(text).hexdigest()) if is_remote else ShardResult(ids, text, None)

    return encode_shard
