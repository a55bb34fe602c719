# mypy: disable-error-code="arg-type, return-value"
# The reason: BPEBase inherits these methods, so each `self` is a BPEBase, which this class cannot say.
"""Methods of a tokenizer, and public names of this package, whose code is in packages that build on this one.

`tokenizer.train_exact(...)` and `tokenizer.save_artifact(...)` read well, but exact training belongs to g2c.engine and
saving to g2c.formats, which both import g2c.tokenizer. So each method imports its function when it is called. No other
file of the course imports upward, imports the course inside functions, or hands out the student's class, as `load` and
other functions below do. Where a submission is graded, upper packages are missing, and these methods raise ImportError.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from g2c.common.progress import Progress
from g2c.common.text import Corpus
from g2c.tokenizer.special_tokens import AllowedSpecial

__all__ = ["load", "load_artifact", "load_cl100k", "load_deepseek", "load_gpt2", "load_llama3", "load_o200k"]
__all__ += ["load_qwen3", "load_tokenizer_json", "save", "save_artifact"]

if TYPE_CHECKING:
    import tiktoken
    import tokenizers

    from g2c.corpus.batch_loader import BatchLoader
    from g2c.corpus.published_tokenizers import load_bert
    from g2c.engine.exact import Ties
    from g2c.formats.artifact import Artifact
    from g2c.formats.chat import encode_chat
    from g2c.formats.token_ids import load_token_ids, save_token_ids
    from g2c.formats.tokenizer_json import fingerprint
    from g2c.tokenizer.base import BPEBase

    __all__ += ["Artifact", "BatchLoader", "encode_chat", "fingerprint", "load_bert"]
    __all__ += ["load_token_ids", "save_token_ids"]

UPPER_ROOMS = {
    "Artifact": "g2c.formats.artifact",
    "BatchLoader": "g2c.corpus.batch_loader",
    "encode_chat": "g2c.formats.chat",
    "fingerprint": "g2c.formats.tokenizer_json",
    "load_bert": "g2c.corpus.published_tokenizers",
    "load_token_ids": "g2c.formats.token_ids",
    "save_token_ids": "g2c.formats.token_ids",
}
"""Public name of `g2c.tokenizer` that does not need the student's class -> the module that defines it."""


class Forwarding:
    """Gives `BPEBase` the methods whose code is in other packages.

    `allowed_special` is as for `encode_with_special`. Methods that encode raise what `encode_fast` raises.
    """

    def train_exact(
        self, text: str | Iterable[str], vocab_size: int, *, ties: "Ties" = "first-seen", progress: Progress = None
    ) -> list[int]:
        """Learn the merges that `train` learns, but by the engine, and return the IDs of the text.

        Arguments and errors are those of `train`. All texts are in memory at once; for larger corpora, see
        `g2c.corpus.training.train_exact_corpus`.

        Args:
            ties: which of equally frequent pairs is merged. "first-seen": the one that appears first in the corpus, as
                in `train`. "lowest-id": the one with the lowest (first ID, second ID), as in the trainer of Hugging
                Face's `tokenizers`. Its merges are the same only if it numbers the bytes by their values, as
                `train_fast` makes it do; it usually numbers them by the characters that stand for them.

        >>> tokenizer = BPETokenizer()
        >>> tokenizer.train_exact("the the the", 259)
        [258, 258, 257]
        >>> _ = tokenizer.train_exact("the the the", 259, ties="lowest-id")
        >>> tokenizer.merges
        {(104, 101): 256, (116, 256): 257, (32, 257): 258}
        """
        from g2c.engine.exact import train_exact

        return train_exact(self, text, vocab_size, ties=ties, progress=progress)

    def train_fast(self, text: str | Iterable[str], vocab_size: int, *, progress: Progress = None) -> None:
        """Learn merges with the trainer of `tokenizers`. Arguments and errors are those of `train`.

        The merges are those of `train_exact(..., ties="lowest-id")` if there is a pattern and no piece of the text has
        more than 1,000 characters. The trainer's time grows with the square of a piece's length, so longer pieces are
        cut after every 1,000 characters, as is a text without a pattern. Pairs across the cuts are not counted, so some
        merges may differ.

        Memory grows with the number of distinct pieces. Progress is in bytes read. Ctrl-C while the text is read leaves
        the tokenizer unchanged; after that, it takes effect when all merges are learned.
        """
        from g2c.engine.fast import train_fast

        train_fast(self, text, vocab_size, progress=progress)

    def encode_fast(self, text: str, *, allowed_special: AllowedSpecial = "all") -> list[int]:
        """Return the IDs that `encode(text)` gives, for any text.

        Raises TypeError if `text` is not a str, and ValueError if it contains a lone surrogate or is too long for a
        custom pattern, or if the merges are not in the order learned.

        >>> tokenizer = BPETokenizer(["<|end|>"])
        >>> _ = tokenizer.train_exact("the the the", 260)
        >>> tokenizer.encode_fast("the the<|end|>")
        [259, 258, 256]
        """
        from g2c.engine.fast import encode_fast

        return encode_fast(self, text, allowed_special=allowed_special)

    def encode_ordinary_fast(self, text: str) -> list[int]:
        """Return the IDs that `encode_ordinary(text)` gives: `encode_fast(text, allowed_special="none")`."""
        return self.encode_fast(text, allowed_special="none")

    def encode_batch(
        self, texts: Iterable[str], *, num_threads: int | None = None, allowed_special: AllowedSpecial = "all"
    ) -> list[list[int]]:
        """Return what `encode_fast` gives for each text. By default, there is a thread for each core."""
        from g2c.engine.fast import encode_batch

        return encode_batch(self, texts, num_threads=num_threads, allowed_special=allowed_special)

    def encode_iterable(self, texts: Iterable[str], *, allowed_special: AllowedSpecial = "all") -> Iterator[int]:
        """Encode a text that comes in chunks, such as an open file: yields the IDs of `encode_fast("".join(texts))`.

        Chunks are read when IDs are asked for, and kept until the text can be cut; under a custom pattern, to the end.
        docs/files-reference.md says how much memory that takes. Later changes of the tokenizer have no effect.
        """
        from g2c.engine.fast import encode_iterable

        return encode_iterable(self, texts, allowed_special=allowed_special)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the tokens' bytes, joined, from which `decode` makes text. Raises ValueError for an unknown ID."""
        from g2c.engine.fast import decode_bytes

        return decode_bytes(self, ids)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the tokenizer as tokenizer.json, the format of Hugging Face `tokenizers`, and return the file's path.

        A path that ends in .json is the file. Any other is a folder for tokenizer.json and what transformers needs
        beside it: tokenizer_config.json and, with the course's special tokens, chat_template.jinja. Then
        `AutoTokenizer.from_pretrained` reads the folder.

        Raises ValueError if the tokenizer's state is not valid or the path has another extension, CourseError if the
        folder contains an artifact, whose other files would no longer match, and SavingError if writing fails.
        """
        from g2c.formats.tokenizer_json import save

        return save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a tokenizer from tokenizer.json, or from the folder that contains it.

        Every text gets the same IDs as from `tokenizers`. Raises MissingFileError if there is no such file, and
        FileFormatError if it is damaged, or if a BPETokenizer cannot represent it; see docs/files-reference.md.
        """
        from g2c.formats.tokenizer_json import load

        return load(path, cls)

    def save_artifact(
        self,
        name_or_folder: str | os.PathLike[str],
        ids: Iterable[int],
        *,
        corpus: Corpus | None = None,
        train: Mapping[str, Any] | None = None,
    ) -> Path:
        """Write the tokenizer and its encoded corpus as one folder, replacing an existing one. Returns the folder.

        The same arguments give the same files, byte for byte.

        Args:
            name_or_folder: a name, such as "ShakespeareTokenizer", is a folder among the course's artifacts
                (`artifacts/tokenizers/`). A `Path`, or a string with a "/", is the folder itself.
            ids: the token IDs of the corpus, in any iterable.
            corpus: what was encoded, for manifest.json; `g2c.corpus.corpora.load_corpus` returns it.
            train: how the tokenizer was trained, for manifest.json: algorithm, vocab_size and so on, as JSON values.

        Raises TypeError or ValueError if the tokenizer's state is not valid, it lacks one of the IDs, or `train` cannot
        be written as JSON, and SavingError if the folder contains other files, which would be lost, or writing fails.
        """
        from g2c.formats.artifact import save_artifact

        return save_artifact(self, name_or_folder, ids, corpus=corpus, train=train)

    @classmethod
    def load_artifact(cls, name_or_folder: str | os.PathLike[str], *, mmap: bool = False) -> "Artifact":
        """Read what `save_artifact` wrote, and check every byte against manifest.json.

        `mmap=True` leaves the IDs on the disk, as `load_token_ids` does. Raises MissingFileError if the artifact or a
        file of it is missing, and FileFormatError, which says what differs, if a file is not the one that was saved.
        """
        from g2c.formats.artifact import load_artifact

        return load_artifact(name_or_folder, mmap=mmap, cls=cls)

    def to_hf(self) -> "tokenizers.Tokenizer":
        """Convert to a `tokenizers.Tokenizer` with the same IDs. Raises ValueError if the state is not valid."""
        from g2c.formats.interop import to_hf

        return to_hf(self)

    @classmethod
    def from_hf(cls, source: Any) -> Self:
        """Convert from a `tokenizers.Tokenizer` or a fast tokenizer of transformers.

        Raises TypeError for anything else, and ValueError with the reason if a BPETokenizer cannot represent it.
        """
        from g2c.formats.interop import from_hf

        return from_hf(cls, source)

    def to_tiktoken(self, name: str = "g2c") -> "tiktoken.Encoding":
        """Convert to a `tiktoken.Encoding`, whose `encode(text, allowed_special="all")` gives the IDs of `encode`.

        Raises ValueError if the state is not valid, or if tiktoken could give other IDs: with a normalization, several
        regexes, or a custom pattern.
        """
        from g2c.formats.interop import to_tiktoken

        return to_tiktoken(self, name)

    @classmethod
    def from_tiktoken(cls, source: "tiktoken.Encoding") -> Self:
        """Convert from a `tiktoken.Encoding` made by `to_tiktoken`, or with GPT-2's, cl100k's or o200k's pattern.

        Raises TypeError for anything else, and ValueError with the reason if a BPETokenizer cannot represent it.
        """
        from g2c.formats.interop import from_tiktoken

        return from_tiktoken(cls, source)

    @classmethod
    def from_tiktoken_file(
        cls, path: str | os.PathLike[str], special_tokens: Mapping[str, int] | None = None, pattern: str | None = "gpt4"
    ) -> Self:
        """Read a .tiktoken file, which has neither special tokens nor a pattern.

        Raises MissingFileError if there is no such file, and FileFormatError if its table is damaged, too large, or not
        of byte-level BPE.
        """
        from g2c.formats.interop import from_tiktoken_file

        return from_tiktoken_file(cls, path, special_tokens, pattern)

    @classmethod
    def from_vocab(
        cls,
        vocab: Mapping[int, bytes],
        merges: Iterable[tuple[bytes, bytes]],
        special_tokens: Iterable[str] | None = None,
        pattern: str | None = "gpt2",
    ) -> Self:
        """Make a tokenizer from a vocabulary and merges, in the form in which Stanford's CS336 passes them.

        Args:
            vocab: ID -> token. The 256 bytes may have any IDs; the IDs of merges are above them, in the order learned.
                Tokens that are neither are decoded but never encoded, and such a tokenizer cannot be saved.
            merges: the two parts of each merge, in the order learned.
            special_tokens: those in `vocab` keep their IDs; the others get the next ones.

        Raises TypeError if a token is not bytes, and ValueError, which says where, if the parts do not fit together.
        """
        from g2c.formats.interop import from_vocab

        return from_vocab(cls, vocab, merges, special_tokens, pattern)


# --- the same as functions, and published tokenizers ------------------------------------------------------------------


save = Forwarding.save
save_artifact = Forwarding.save_artifact


def load(path: str | os.PathLike[str], cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Read a tokenizer from tokenizer.json: `cls.load(path)`, with `BPETokenizer` for None.

    `load_tokenizer_json` is another name for it.
    """
    return (cls or _students_class()).load(path)


load_tokenizer_json = load


def load_artifact(
    name_or_folder: str | os.PathLike[str], *, mmap: bool = False, cls: type["BPEBase"] | None = None
) -> "Artifact":
    """Read what `save_artifact` wrote: `cls.load_artifact(...)`, with `BPETokenizer` for None."""
    return (cls or _students_class()).load_artifact(name_or_folder, mmap=mmap)


def load_gpt2(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load GPT-2's tokenizer: 256 bytes, 50,000 merges, and <|endoftext|>, which has the ID 50256.

    This and the following functions take up to a few seconds to read files that `./datasets.sh` fetches. They make a
    tokenizer of the class `cls`, with `BPETokenizer` for None. They raise CorpusError if a file is missing, or is not
    the published one.
    """
    return _load_published("gpt2", cls)


def load_cl100k(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load cl100k_base, of GPT-3.5 and GPT-4: 100,256 tokens, and five special tokens from 100257 to 100276."""
    return _load_published("cl100k", cls)


def load_o200k(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load o200k_base, of GPT-4o and later models: 199,998 tokens and two special tokens."""
    return _load_published("o200k", cls)


def load_llama3(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load the tokenizer of Llama 3.1 and later: 128,000 tokens, 588 of them made by no merge, and 256 special ones.

    The special tokens are as in Meta's llama-models; Llama 3 itself had other names for most of the reserved IDs.
    """
    return _load_published("llama3", cls)


def load_qwen3(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load Qwen 3's tokenizer: 151,643 tokens and 26 special tokens. It first brings a text into the NFC form."""
    return _load_published("qwen3", cls)


def load_deepseek(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load DeepSeek V3's tokenizer: 127,997 tokens and 818 special tokens. It splits a text by three regexes."""
    return _load_published("deepseek", cls)


def _load_published(name: str, cls: type["BPEBase"] | None) -> "BPEBase":
    from g2c.corpus.published_tokenizers import load_published

    return load_published(name, cls or _students_class())


def _students_class() -> type["BPEBase"]:
    from g2c.tokenizer import BPETokenizer

    return BPETokenizer
