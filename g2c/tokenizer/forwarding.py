"""Methods of a tokenizer, and public names of this package, whose code is in packages that build on this one.

`tokenizer.train_exact(...)` and `tokenizer.save_artifact(...)` read well, but exact training belongs to g2c.engine and
saving to g2c.formats, which both import g2c.tokenizer. So each method here imports its function when it is called, and
passes all arguments on. This is the only file of the course that imports upward, and the only one that imports its own
packages inside functions.

A graded submission runs in a copy of the course without those packages; there, these methods raise ImportError.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from g2c.common.progress import Progress
from g2c.tokenizer.special_tokens import AllowedSpecial

if TYPE_CHECKING:
    import tiktoken
    import tokenizers

    from g2c.corpus.batch_loader import BatchLoader as BatchLoader
    from g2c.corpus.published_tokenizers import load_bert as load_bert
    from g2c.corpus.published_tokenizers import load_cl100k as load_cl100k
    from g2c.corpus.published_tokenizers import load_gpt2 as load_gpt2
    from g2c.corpus.published_tokenizers import load_tokenizer_json as load_tokenizer_json
    from g2c.engine.exact import Ties
    from g2c.formats.artifact import Artifact as Artifact
    from g2c.formats.artifact import CorpusFacts
    from g2c.formats.artifact import load_artifact as load_artifact
    from g2c.formats.artifact import save_artifact as save_artifact
    from g2c.formats.token_ids import load_token_ids as load_token_ids
    from g2c.formats.token_ids import save_token_ids as save_token_ids
    from g2c.formats.tokenizer_json import fingerprint as fingerprint
    from g2c.formats.tokenizer_json import load as load
    from g2c.formats.tokenizer_json import save as save
    from g2c.tokenizer.base import BPEBase

PUBLIC_NAMES = {
    "Artifact": "g2c.formats.artifact",
    "BatchLoader": "g2c.corpus.batch_loader",
    "fingerprint": "g2c.formats.tokenizer_json",
    "load": "g2c.formats.tokenizer_json",
    "load_artifact": "g2c.formats.artifact",
    "load_bert": "g2c.corpus.published_tokenizers",
    "load_cl100k": "g2c.corpus.published_tokenizers",
    "load_gpt2": "g2c.corpus.published_tokenizers",
    "load_token_ids": "g2c.formats.token_ids",
    "load_tokenizer_json": "g2c.corpus.published_tokenizers",
    "save": "g2c.formats.tokenizer_json",
    "save_artifact": "g2c.formats.artifact",
    "save_token_ids": "g2c.formats.token_ids",
}
"""Public name of `g2c.tokenizer` -> the module that defines it."""


def public_name(name: str) -> Any:
    """The object with one of the `PUBLIC_NAMES`."""
    return getattr(import_module(PUBLIC_NAMES[name]), name)


class Forwarding:
    """What every byte-level BPE tokenizer of the course can do besides the exercises. Only `BPEBase` inherits it."""

    # --- training -----------------------------------------------------------------------------------------------------

    def train_exact(
        self,
        text: str | Iterable[str],
        vocab_size: int,
        *,
        ties: "Ties" = "first-seen",
        progress: Progress = None,
    ) -> list[int]:
        """The merges and IDs of `train`, in a fraction of a second. See `g2c.engine.exact.train_exact`.

        Args:
            text: the corpus: a text, or an iterable of texts. No pair crosses from one text to the next.
            vocab_size: the number of tokens after training: 256 bytes, special tokens and learned merges.
            ties: which of equally frequent pairs is merged: one of its rules.
            progress: as for `train`.

        Returns:
            the IDs of `text`; for an iterable, the IDs of all texts in a row.
        """
        from g2c.engine.exact import train_exact

        return train_exact(_tokenizer(self), text, vocab_size, ties=ties, progress=progress)

    def train_fast(
        self,
        text: str | Iterable[str],
        vocab_size: int,
        *,
        ties: Literal["lowest-id"] = "lowest-id",
        progress: Progress = None,
    ) -> None:
        """Train with the Rust library `tokenizers`, on any amount of text. See `g2c.engine.fast.train_fast`.

        Args:
            text, vocab_size: as for `train_exact`. Each text of an iterable is read once, and may then be forgotten.
            ties: the library has this rule only.
            progress: as for `train`, but in bytes read.

        Returns:
            None: the library does not keep the text.
        """
        from g2c.engine.fast import train_fast

        train_fast(_tokenizer(self), text, vocab_size, ties=ties, progress=progress)

    # --- encoding and decoding ----------------------------------------------------------------------------------------

    def encode_fast(self, text: str, *, allowed_special: AllowedSpecial = "all") -> list[int]:
        """The IDs of `encode`, computed by the engine. See `g2c.engine.fast.encode_fast`.

        `allowed_special` chooses the special tokens that get their IDs, as for `encode_with_special`.
        """
        from g2c.engine.fast import encode_fast

        return encode_fast(_tokenizer(self), text, allowed_special=allowed_special)

    def encode_ordinary_fast(self, text: str) -> list[int]:
        """The IDs of `encode_ordinary`, computed by the engine. See `g2c.engine.fast.encode_ordinary_fast`."""
        from g2c.engine.fast import encode_ordinary_fast

        return encode_ordinary_fast(_tokenizer(self), text)

    def encode_batch(
        self, texts: Iterable[str], *, num_threads: int | None = None, allowed_special: AllowedSpecial = "all"
    ) -> list[list[int]]:
        """The IDs of each of several texts, on all cores. See `g2c.engine.many_texts.encode_batch`."""
        from g2c.engine.many_texts import encode_batch

        return encode_batch(_tokenizer(self), texts, num_threads=num_threads, allowed_special=allowed_special)

    def encode_iterable(self, texts: Iterable[str], *, allowed_special: AllowedSpecial = "all") -> Iterator[int]:
        """The IDs of a text that comes in chunks, one by one, in little memory. See `g2c.engine.many_texts`."""
        from g2c.engine.many_texts import encode_iterable

        return encode_iterable(_tokenizer(self), texts, allowed_special=allowed_special)

    def encode_with_offsets(
        self, text: str, *, allowed_special: AllowedSpecial = "all"
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """The IDs of a text, and for each the characters that it covers. See `g2c.engine.offsets`."""
        from g2c.engine.offsets import encode_with_offsets

        return encode_with_offsets(_tokenizer(self), text, allowed_special=allowed_special)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes that IDs stand for, which may end inside a character. See `g2c.engine.offsets.decode_bytes`."""
        from g2c.engine.offsets import decode_bytes

        return decode_bytes(_tokenizer(self), ids)

    # --- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write tokenizer.json. See `g2c.formats.tokenizer_json.save`."""
        from g2c.formats.tokenizer_json import save

        return save(_tokenizer(self), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read tokenizer.json. See `g2c.formats.tokenizer_json.load`."""
        from g2c.formats.tokenizer_json import load

        return cast(Self, load(path, cls=_tokenizer_class(cls)))

    def save_artifact(
        self,
        name_or_folder: str | os.PathLike[str],
        ids: Iterable[int],
        *,
        corpus: "CorpusFacts | None" = None,
        train: Mapping[str, Any] | None = None,
    ) -> Path:
        """Write the tokenizer and its encoded corpus. See `g2c.formats.artifact.save_artifact`."""
        from g2c.formats.artifact import save_artifact

        return save_artifact(_tokenizer(self), name_or_folder, ids, corpus=corpus, train=train)

    @classmethod
    def load_artifact(cls, name_or_folder: str | os.PathLike[str], *, mmap: bool = False) -> "Artifact":
        """Read a tokenizer and its encoded corpus. See `g2c.formats.artifact.load_artifact`."""
        from g2c.formats.artifact import load_artifact

        return load_artifact(name_or_folder, mmap=mmap, cls=_tokenizer_class(cls))

    # --- other libraries ----------------------------------------------------------------------------------------------

    def to_hf(self) -> "tokenizers.Tokenizer":
        """This tokenizer as a `tokenizers.Tokenizer`. See `g2c.formats.interop.to_hf`."""
        from g2c.formats.interop import to_hf

        return to_hf(_tokenizer(self))

    @classmethod
    def from_hf(cls, source: Any) -> Self:
        """The tokenizer in an object of `tokenizers` or transformers. See `g2c.formats.interop.from_hf`."""
        from g2c.formats.interop import from_hf

        return cast(Self, from_hf(source, _tokenizer_class(cls)))

    def to_tiktoken(self, name: str = "g2c") -> "tiktoken.Encoding":
        """This tokenizer as a `tiktoken.Encoding`. See `g2c.formats.interop.to_tiktoken`."""
        from g2c.formats.interop import to_tiktoken

        return to_tiktoken(_tokenizer(self), name)

    @classmethod
    def from_tiktoken(cls, source: "tiktoken.Encoding") -> Self:
        """The tokenizer in a `tiktoken.Encoding`. See `g2c.formats.interop.from_tiktoken`."""
        from g2c.formats.interop import from_tiktoken

        return cast(Self, from_tiktoken(source, _tokenizer_class(cls)))

    @classmethod
    def from_tiktoken_file(
        cls,
        path: str | os.PathLike[str],
        special_tokens: Mapping[str, int] | None = None,
        pattern: str | None = "gpt4",
    ) -> Self:
        """The tokenizer in a .tiktoken file. See `g2c.formats.interop.from_tiktoken_file`."""
        from g2c.formats.interop import from_tiktoken_file

        return cast(Self, from_tiktoken_file(path, special_tokens or {}, pattern, _tokenizer_class(cls)))

    @classmethod
    def from_vocab(
        cls,
        vocab: Mapping[int, bytes],
        merges: Iterable[tuple[bytes, bytes]],
        special_tokens: Iterable[str] | None = None,
        pattern: str | None = "gpt2",
    ) -> Self:
        """The tokenizer with this vocabulary and these merges, as CS336 has them. See `g2c.formats.interop.from_vocab`.

        Args:
            vocab: ID -> token.
            merges: the two parts of each merge, in the order learned.
            special_tokens: each has its ID in `vocab`; those that are not there get the next IDs.
            pattern: as for the constructor; CS336 splits texts with "gpt2".
        """
        from g2c.formats.interop import from_vocab

        return cast(Self, from_vocab(vocab, merges, special_tokens, pattern, _tokenizer_class(cls)))


def _tokenizer(forwarding: Forwarding) -> "BPEBase":
    """The same object, for type checkers: whatever inherits `Forwarding` is a `BPEBase`."""
    return cast("BPEBase", forwarding)


def _tokenizer_class(cls: type[Forwarding]) -> type["BPEBase"]:
    return cast("type[BPEBase]", cls)
