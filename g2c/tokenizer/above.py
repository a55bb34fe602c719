"""Methods of a tokenizer, and public names of this package, whose code is in packages that build on this one.

`tokenizer.train_exact(...)` and `tokenizer.save_artifact(...)` read well, but exact training belongs to g2c.engine and
saving to g2c.formats, which both import g2c.tokenizer. So each is imported when it is asked for. No other file of the
course imports upward, or hands out the student's class, as `load` and the functions after it do.
"""

from collections.abc import Callable
from importlib import import_module
from types import MethodType
from typing import TYPE_CHECKING, Any


class Above:
    """A method whose code is the function of the same name in a module above. The function's first argument is the
    tokenizer, or for a class method the class.

    >>> class Number(int):
    ...     sqrt = Above("math")
    >>> Number(9).sqrt()
    3.0
    """

    def __init__(self, module: str, *, of_class: bool = False) -> None:
        self.module, self.of_class = module, of_class

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, tokenizer: Any, cls: type) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(import_module(self.module), self.name)
        if self.of_class:
            return MethodType(function, cls)
        return function if tokenizer is None else MethodType(function, tokenizer)


if TYPE_CHECKING:
    from os import PathLike
    from typing import Self

    from g2c.corpus import published_tokenizers
    from g2c.corpus.batch_loader import BatchLoader
    from g2c.engine import exact, fast
    from g2c.formats import artifact, chat, interop, tokenizer_json
    from g2c.formats.artifact import Artifact
    from g2c.tokenizer.base import BPEBase

    class Methods:
        """The same for type checkers and editors."""

        train_exact = exact.train_exact
        train_fast = fast.train_fast
        encode_fast = fast.encode_fast
        encode_ordinary_fast = fast.encode_ordinary_fast
        decode_bytes = fast.decode_bytes
        save = tokenizer_json.save
        save_artifact = artifact.save_artifact
        to_hf = interop.to_hf
        to_tiktoken = interop.to_tiktoken

        @classmethod
        def load(cls, path: str | PathLike[str]) -> Self: ...

        @classmethod
        def load_artifact(cls, name_or_folder: str | PathLike[str], *, mmap: bool = False) -> Artifact: ...

        @classmethod
        def from_hf(cls, source: Any) -> Self: ...

    save, save_artifact, encode_chat = tokenizer_json.save, artifact.save_artifact, chat.encode_chat
    load_bert, load_deepseek = published_tokenizers.load_bert, published_tokenizers.load_deepseek

else:

    class Methods:
        """Gives `BPEBase` the methods whose code is in other packages."""

        train_exact = Above("g2c.engine.exact")
        train_fast = Above("g2c.engine.fast")
        encode_fast = Above("g2c.engine.fast")
        encode_ordinary_fast = Above("g2c.engine.fast")
        decode_bytes = Above("g2c.engine.fast")
        save = Above("g2c.formats.tokenizer_json")
        load = Above("g2c.formats.tokenizer_json", of_class=True)
        save_artifact = Above("g2c.formats.artifact")
        load_artifact = Above("g2c.formats.artifact", of_class=True)
        to_hf = Above("g2c.formats.interop")
        from_hf = Above("g2c.formats.interop", of_class=True)
        to_tiktoken = Above("g2c.formats.interop")


UPPER_ROOMS = {
    "Artifact": "g2c.formats.artifact",
    "BatchLoader": "g2c.corpus.batch_loader",
    "encode_chat": "g2c.formats.chat",
    "load_bert": "g2c.corpus.published_tokenizers",
    "load_deepseek": "g2c.corpus.published_tokenizers",
    "pad_batch": "g2c.tokenizer.batching",
    "save": "g2c.formats.tokenizer_json",
    "save_artifact": "g2c.formats.artifact",
}
"""Public name of `g2c.tokenizer` that does not need the student's class -> the module that defines it."""


# --- the same for the student's class ---------------------------------------------------------------------------------


def load(path: "str | PathLike[str]") -> "BPEBase":
    """Read a tokenizer from tokenizer.json: `BPETokenizer.load(path)`. `load_tokenizer_json` is another name for it."""
    return _students_class().load(path)


load_tokenizer_json = load


def load_artifact(name_or_folder: "str | PathLike[str]", *, mmap: bool = False) -> "Artifact":
    """Read what `save_artifact` wrote: `BPETokenizer.load_artifact(...)`."""
    return _students_class().load_artifact(name_or_folder, mmap=mmap)


def load_gpt2() -> "BPEBase":
    """Load GPT-2's tokenizer: 256 bytes, 50,000 merges, and <|endoftext|>, which has the ID 50256.

    This and the following functions read files that `./datasets.sh` fetches. They raise CorpusError if a file is
    missing, or is not the published one.
    """
    return _load_published("gpt2")


def load_cl100k() -> "BPEBase":
    """Load cl100k_base, of GPT-3.5 and GPT-4: 100,256 tokens, and five special tokens from 100257 to 100276."""
    return _load_published("cl100k")


def load_o200k() -> "BPEBase":
    """Load o200k_base, of GPT-4o and later models: 199,998 tokens and two special tokens."""
    return _load_published("o200k")


def load_llama3() -> "BPEBase":
    """Load the tokenizer of Llama 3.1 and later: 128,000 tokens, 588 of them made by no merge, and 256 special ones.

    The special tokens are as in Meta's llama-models; Llama 3 itself had other names for most of the reserved IDs.
    """
    return _load_published("llama3")


def load_qwen3() -> "BPEBase":
    """Load Qwen 3's tokenizer: 151,643 tokens and 26 special tokens. It first brings a text into the NFC form."""
    return _load_published("qwen3")


def _load_published(name: str) -> "BPEBase":
    tokenizer: BPEBase = import_module("g2c.corpus.published_tokenizers").load_published(name, _students_class())
    return tokenizer


def _students_class() -> "type[BPEBase]":
    students: type[BPEBase] = import_module("g2c.tokenizer").BPETokenizer
    return students


__all__ = ["load", "load_artifact", "load_cl100k", "load_gpt2", "load_llama3", "load_o200k", "load_qwen3"]
__all__ += ["load_tokenizer_json"]
if TYPE_CHECKING:
    __all__ += ["Artifact", "BatchLoader", "encode_chat", "load_bert", "load_deepseek"]
    __all__ += ["save", "save_artifact"]
