"""Methods of a tokenizer, and public names of this package, whose code is in packages that build on this one.

`tokenizer.train_exact(...)` and `tokenizer.save_artifact(...)` read well, but exact training belongs to g2c.engine and
saving to g2c.formats, which both import g2c.tokenizer. So a method here is a function of another package whose first
argument is the tokenizer, or its class if the name begins with `from_`. The function is imported when the method is
first used, and documents it. This is the only file of the course that imports upward, and the only one that imports its
own packages inside functions.

A graded submission runs in a copy of the course without those packages; there, these methods raise ImportError.
"""

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    import tiktoken

    from g2c.corpus.batch_loader import BatchLoader as BatchLoader
    from g2c.corpus.published_tokenizers import load_bert as load_bert
    from g2c.corpus.published_tokenizers import load_cl100k as load_cl100k
    from g2c.corpus.published_tokenizers import load_gpt2 as load_gpt2
    from g2c.corpus.published_tokenizers import load_tokenizer_json as load_tokenizer_json
    from g2c.engine import decoding, exact, fast, many_texts
    from g2c.formats import artifact, interop, tokenizer_json
    from g2c.formats.artifact import Artifact as Artifact
    from g2c.formats.artifact import load_artifact as load_artifact
    from g2c.formats.artifact import save_artifact as save_artifact
    from g2c.formats.chat import encode_chat as encode_chat
    from g2c.formats.token_ids import load_token_ids as load_token_ids
    from g2c.formats.token_ids import save_token_ids as save_token_ids
    from g2c.formats.tokenizer_json import fingerprint as fingerprint
    from g2c.formats.tokenizer_json import load as load
    from g2c.formats.tokenizer_json import save as save
    from g2c.tokenizer.base import BPEBase

PUBLIC_NAMES = {
    "Artifact": "g2c.formats.artifact",
    "BatchLoader": "g2c.corpus.batch_loader",
    "encode_chat": "g2c.formats.chat",
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


class _Method:
    """A function of another package as a method. It is imported when the method is first used, and takes its place."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __get__(self, instance: object, owner: type) -> Any:
        function = getattr(import_module(self.module), self.name)
        method = classmethod(function) if self.name.startswith("from_") else function
        setattr(Forwarding, self.name, method)
        return method.__get__(instance, owner)


class _Module:
    """A module whose functions become methods. Type checkers see the module itself."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, function: str) -> _Method:
        return _Method(self.name, function)


if not TYPE_CHECKING:
    decoding, exact, fast, many_texts = map(
        _Module, ("g2c.engine.decoding", "g2c.engine.exact", "g2c.engine.fast", "g2c.engine.many_texts")
    )
    artifact, interop, tokenizer_json = map(
        _Module, ("g2c.formats.artifact", "g2c.formats.interop", "g2c.formats.tokenizer_json")
    )


class Forwarding:
    """What every byte-level BPE tokenizer of the course can do besides the exercises. Only `BPEBase` inherits it."""

    train_exact = exact.train_exact
    train_fast = fast.train_fast

    encode_fast = fast.encode_fast
    encode_ordinary_fast = fast.encode_ordinary_fast
    encode_batch = many_texts.encode_batch
    encode_iterable = many_texts.encode_iterable
    encode_with_offsets = decoding.encode_with_offsets
    decode_bytes = decoding.decode_bytes

    save = tokenizer_json.save
    save_artifact = artifact.save_artifact
    to_hf = interop.to_hf
    to_tiktoken = interop.to_tiktoken

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read tokenizer.json. See `g2c.formats.tokenizer_json.load`."""
        from g2c.formats.tokenizer_json import load

        return cast(Self, load(path, cls=_tokenizer_class(cls)))

    @classmethod
    def load_artifact(cls, name_or_folder: str | os.PathLike[str], *, mmap: bool = False) -> "Artifact":
        """Read a tokenizer and its encoded corpus. See `g2c.formats.artifact.load_artifact`."""
        from g2c.formats.artifact import load_artifact

        return load_artifact(name_or_folder, mmap=mmap, cls=_tokenizer_class(cls))

    if TYPE_CHECKING:
        # Type checkers do not see what `classmethod` makes of a function.

        @classmethod
        def from_hf(cls, source: Any) -> Self: ...
        @classmethod
        def from_tiktoken(cls, source: "tiktoken.Encoding") -> Self: ...
        @classmethod
        def from_tiktoken_file(
            cls,
            path: str | os.PathLike[str],
            special_tokens: Mapping[str, int] | None = None,
            pattern: str | None = "gpt4",
        ) -> Self: ...
        @classmethod
        def from_vocab(
            cls,
            vocab: Mapping[int, bytes],
            merges: Iterable[tuple[bytes, bytes]],
            special_tokens: Iterable[str] | None = None,
            pattern: str | None = "gpt2",
        ) -> Self: ...
    else:
        from_hf = interop.from_hf
        from_tiktoken = interop.from_tiktoken
        from_tiktoken_file = interop.from_tiktoken_file
        from_vocab = interop.from_vocab


def _tokenizer_class(cls: type[Forwarding]) -> type["BPEBase"]:
    return cast("type[BPEBase]", cls)
