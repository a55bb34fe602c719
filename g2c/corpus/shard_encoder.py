"""Encoding a shard of a corpus into a file of token IDs, in a worker."""

import hashlib
import platform
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from g2c.common.errors import CourseError
from g2c.corpus.shards import Cutter, Shard, SpecialTokens, blocks, cut_text
from g2c.engine.fast import encode_ordinary_fast
from g2c.engine.splitting import is_vectorized
from g2c.engine.vectorized import NO_TOKEN, VectorizedEncoder
from g2c.tokenizer.base import BPEBase

BLOCK_BYTES = 512 << 10
"""Approximate size of the text that is encoded at once."""

RUST_BLOCK_BYTES = 256 << 10
"""The same for the Rust library, whose results are Python lists."""

Special = Literal["allow", "ordinary"]


@dataclass(frozen=True)
class Settings:
    """All that the IDs of a text depend on: a tokenizer, and the special tokens to recognize. Sent to every worker."""

    merges: dict[tuple[int, int], int]
    vocab: dict[int, bytes]
    byte_ids: bytes
    pattern: str | None
    special_to_id: dict[str, int]
    separator_id: int

    @classmethod
    def of(cls, tokenizer: BPEBase, special: Special, separator_id: int = NO_TOKEN) -> "Settings":
        """
        Args:
            special: "allow": special tokens in the text get their IDs; "ordinary": they are plain text.
            separator_id: the ID to add after each document; `NO_TOKEN` for none.
        """
        return cls(
            merges=tokenizer.merges,
            vocab={i: token for i, token in tokenizer.vocab.items() if i not in tokenizer.special_token_ids},
            byte_ids=bytes(tokenizer.byte_ids),
            pattern=tokenizer.pattern,
            special_to_id=tokenizer.special_to_id if special == "allow" else {},
            separator_id=separator_id,
        )

    def cutter(self) -> Cutter:
        """Finds the offsets at which the corpus can be cut."""
        return Cutter(self.pattern, self.vocab.values(), list(self.special_to_id))

    def text_cutter(self) -> Cutter:
        """Finds the offsets at which the text between two special tokens can be cut."""
        return Cutter(self.pattern, self.vocab.values())


@dataclass(frozen=True)
class ShardResult:
    """The file with the IDs of a shard, and the SHA-256 of its text and of its IDs, None unless requested."""

    path: Path
    text_sha256: str | None
    ids_sha256: str | None


def shard_encoder(job: tuple[Settings, Path, bool]) -> Callable[[Shard], ShardResult]:
    """A function that encodes one shard into a file.

    Args:
        job: the settings, a folder for the files, and whether to compute checksums.
    """
    settings, folder, with_checksums = job
    encode = part_encoder(settings)
    special_tokens = SpecialTokens(settings.special_to_id, settings.separator_id)

    def encode_shard(shard: Shard) -> ShardResult:
        text = shard.read()
        digest = hashlib.sha256() if with_checksums else None
        try:
            descriptor, name = tempfile.mkstemp(dir=folder)
        except FileNotFoundError:
            raise CourseError(
                f"There is no folder {folder} on the machine {platform.node()}, and a worker there has to write into "
                "it. All machines of a cluster must share the folder of the artifact."
            ) from None
        with open(descriptor, "wb") as file:
            for ids in encode(special_tokens.parts(shard.documents(text)), shard.location):
                data = ids.astype("<u4", copy=False).data
                file.write(data)
                if digest:
                    digest.update(data)
        if not digest:
            return ShardResult(Path(name), None, None)
        return ShardResult(Path(name), hashlib.sha256(text).hexdigest(), digest.hexdigest())

    return encode_shard


_Encoder = Callable[[Iterable[bytes | int], str], Iterator[NDArray[np.uint32]]]


def part_encoder(settings: Settings) -> _Encoder:
    """A function that encodes text (bytes) and special tokens (IDs), as from `SpecialTokens.parts`.

    It takes these parts and their location in the corpus, for error messages, and yields arrays of IDs.
    """
    if is_vectorized(settings.pattern):
        return _numpy_encoder(settings, settings.pattern)
    return _rust_encoder(settings)


def _numpy_encoder(settings: Settings, pattern: str) -> _Encoder:
    cutter = settings.text_cutter()
    special_ids = {*settings.special_to_id.values(), settings.separator_id} - {NO_TOKEN}
    encoder = VectorizedEncoder(settings.merges, pattern, byte_ids=settings.byte_ids, special_ids=special_ids)

    def encode(parts: Iterable[bytes | int], location: str) -> Iterator[NDArray[np.uint32]]:
        return encoder.encode_all(blocks(parts, cutter, BLOCK_BYTES, location))

    return encode


def _rust_encoder(settings: Settings) -> _Encoder:
    cutter = settings.text_cutter()
    tokenizer = BPEBase()
    tokenizer.pattern, tokenizer.byte_ids = settings.pattern, settings.byte_ids
    tokenizer.merges, tokenizer.vocab = settings.merges, settings.vocab

    def encode(parts: Iterable[bytes | int], location: str) -> Iterator[NDArray[np.uint32]]:
        for part in parts:
            if isinstance(part, bytes):
                for text in cut_text(part, RUST_BLOCK_BYTES, cutter, location):
                    yield np.array(encode_ordinary_fast(tokenizer, text.decode()), np.uint32)
            elif part != NO_TOKEN:
                yield np.array([part], np.uint32)

    return encode
