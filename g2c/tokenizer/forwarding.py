# mypy: disable-error-code="arg-type, return-value"
# The reason: BPEBase inherits these methods, so each `self` is a BPEBase, which this class cannot say.
"""Methods of a tokenizer, and public names of this package, whose code is in packages that build on this one.

`tokenizer.train_exact(...)` and `tokenizer.save_artifact(...)` read well, but exact training belongs to g2c.engine and
saving to g2c.formats, which both import g2c.tokenizer. So these methods import the function that does the work when
they are called. This is the only file of the course that imports upward, and the only one that imports its own packages
inside functions. It is also the only one that hands out the student's class: `load` and the other functions below read
a file as a `g2c.tokenizer.BPETokenizer`.

A graded submission runs in a copy of the course without the upper packages; there, these methods raise ImportError.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from g2c.common.progress import Progress
from g2c.common.text import Corpus
from g2c.tokenizer.special_tokens import AllowedSpecial

if TYPE_CHECKING:
    import tiktoken
    import tokenizers

    from g2c.corpus.batch_loader import BatchLoader as BatchLoader
    from g2c.corpus.published_tokenizers import load_bert as load_bert
    from g2c.engine.exact import Ties
    from g2c.formats.artifact import Artifact as Artifact
    from g2c.formats.chat import encode_chat as encode_chat
    from g2c.formats.token_ids import load_token_ids as load_token_ids
    from g2c.formats.token_ids import save_token_ids as save_token_ids
    from g2c.formats.tokenizer_json import fingerprint as fingerprint
    from g2c.tokenizer.base import BPEBase

UPPER_ROOMS = {
    "Artifact": "g2c.formats.artifact",
    "BatchLoader": "g2c.corpus.batch_loader",
    "encode_chat": "g2c.formats.chat",
    "fingerprint": "g2c.formats.tokenizer_json",
    "load_bert": "g2c.corpus.published_tokenizers",
    "load_token_ids": "g2c.formats.token_ids",
    "save_token_ids": "g2c.formats.token_ids",
}
"""Public name of `g2c.tokenizer` that has nothing to do with the student's class -> the module that defines it."""


class Forwarding:
    """The methods of every byte-level BPE tokenizer of the course beside the exercises. Only `BPEBase` inherits it."""

    # --- training -----------------------------------------------------------------------------------------------------

    def train_exact(
        self,
        text: str | Iterable[str],
        vocab_size: int,
        *,
        ties: "Ties" = "first-seen",
        progress: Progress = None,
    ) -> list[int]:
        """Learn merges from a text or from several, as `train` does but faster, and return their IDs.

        All texts are in memory at once. For corpora that do not fit, see `g2c.corpus.training.train_exact_corpus`. None
        of the methods that students write is called.

        Args:
            text: the corpus: a text, or an iterable of texts. Special tokens, the boundaries of the pattern's pieces
                and the ends of texts are barriers.
            vocab_size: number of tokens in the end: 256 bytes, special tokens and learned merges.
            ties: which of equally frequent pairs is merged. "first-seen": the one that appears first in the corpus, as
                in `train`. "lowest-id": the one with the lowest (first ID, second ID), as in the trainer of Hugging
                Face `tokenizers`. Ties are the only difference between the two trainers: the Rust trainer, too, counts
                (a, a) twice in "aaa" and replaces from left to right. So with "lowest-id" the merges and their order
                are the same. "greatest": the one whose two byte strings come last in lexicographic order, as in
                Stanford's course CS336.
            progress: True shows a progress bar, False nothing, None a bar in a terminal or notebook only.

        Returns:
            the IDs of `text`; those of all texts in a row, for an iterable.

        Raises:
            TypeError, ValueError: as `train`; and ValueError if `ties` is none of the three.

        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer()
        >>> tokenizer.train_exact("the the the", 259)
        [258, 258, 257]
        >>> tokenizer.merges
        {(116, 104): 256, (256, 101): 257, (257, 32): 258}
        >>> _ = tokenizer.train_exact("the the the", 259, ties="lowest-id")
        >>> tokenizer.merges
        {(104, 101): 256, (116, 256): 257, (32, 257): 258}
        """
        from g2c.engine.exact import train_exact

        return train_exact(self, text, vocab_size, ties=ties, progress=progress)

    def train_fast(self, text: str | Iterable[str], vocab_size: int, *, progress: Progress = None) -> None:
        """Learn merges with the trainer of `tokenizers`. The new merges replace the old ones when training has ended.

        Among equally frequent pairs it merges the one with the lowest (first ID, second ID), while `train` merges the
        one seen first. With a pattern that is the only difference: `train_exact(..., ties="lowest-id")` gives the same
        merges.

        Without a pattern there is a second difference. The trainer treats a piece of text as one word and scans the
        whole word for each merge in it, so a corpus in one piece takes minutes for each megabyte. Text is therefore cut
        after every 1,000 characters. The pairs across these cuts are not counted, so some merges differ from those of
        the whole text. `train_exact` needs no cuts.

        Memory grows with the number of distinct pieces, not with the length of the corpus. Ctrl-C while text is being
        read ends training and leaves the tokenizer unchanged; while merges are being learned it takes effect at the
        end.

        Args:
            text: the corpus, as one text or as an iterable of texts, each read once. No pair crosses from one text to
                the next. Special tokens in a text are barriers.
            vocab_size: number of tokens in the end: 256 bytes, special tokens and learned merges.
            progress: True shows the bytes read so far, False nothing, None shows them in a terminal or notebook only.

        Returns:
            None: the library does not keep the text.

        Raises:
            TypeError: `text` is neither a str nor an iterable of str, or a number is not an int.
            ValueError: `vocab_size` is below `base_vocab_size`, or a text contains a lone surrogate.

        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer(pattern="gpt2")
        >>> tokenizer.train_fast(["low low low low low lower lower", "lowest"], 260)
        >>> [tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()]
        [b'lo', b'low', b' low', b'er']
        """
        from g2c.engine.fast import train_fast

        train_fast(self, text, vocab_size, progress=progress)

    # --- encoding and decoding ----------------------------------------------------------------------------------------

    def encode_fast(self, text: str, *, allowed_special: AllowedSpecial = "all") -> list[int]:
        """Return the IDs that `encode(text)` gives, for any text.

        Args:
            allowed_special: as for `encode_with_special`.

        Raises:
            TypeError: `text` is not a str.
            ValueError: `text` contains a lone surrogate; the merges are not in the order learned; or the library cannot
                split the text by the pattern, which happens with millions of spaces under a custom pattern.

        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer(["<|end|>"])
        >>> _ = tokenizer.train_exact("the the the", 260)
        >>> tokenizer.encode_fast("the the<|end|>")
        [259, 258, 256]
        """
        from g2c.engine.fast import encode_fast

        return encode_fast(self, text, allowed_special=allowed_special)

    def encode_ordinary_fast(self, text: str) -> list[int]:
        """Return the IDs that `encode_ordinary(text)` gives: special tokens in `text` are plain characters.

        Raises:
            TypeError, ValueError: as `encode_fast`.

        >>> from g2c.tokenizer import BPETokenizer
        >>> BPETokenizer(["<|end|>"]).encode_ordinary_fast("<|end|>")
        [60, 124, 101, 110, 100, 124, 62]
        """
        return self.encode_fast(text, allowed_special="none")

    def encode_batch(
        self, texts: Iterable[str], *, num_threads: int | None = None, allowed_special: AllowedSpecial = "all"
    ) -> list[list[int]]:
        """Encode several texts on all cores: returns a list with what `encode_fast` gives for each.

        Args:
            texts: any number of texts. No token crosses from one to the next.
            num_threads: number of threads; None means one for each core.
            allowed_special: as for `encode_with_special`.

        Raises:
            TypeError, ValueError: as `encode_fast`, for one of the texts; and ValueError if `num_threads` is below 1.

        >>> from g2c.tokenizer import BPETokenizer
        >>> BPETokenizer(["<|end|>"]).encode_batch(["Hi", "", "<|end|>"])
        [[72, 105], [], [256]]
        """
        from g2c.engine.fast import encode_batch

        return encode_batch(self, texts, num_threads=num_threads, allowed_special=allowed_special)

    def encode_iterable(self, texts: Iterable[str], *, allowed_special: AllowedSpecial = "all") -> Iterator[int]:
        """Encode a text that comes in chunks: yields the IDs of `encode_fast("".join(texts))`, one by one.

        Words, special tokens and line breaks may be spread over several chunks, because only the joined text counts. So
        the lines of an open file give the IDs of the whole file.

        When the next ID is asked for and none is left, chunks are read until they have 4,096 bytes or more. If they are
        short, as lines are, memory holds less than a megabyte besides the tables of the tokenizer: the chunks, and the
        text since the last place where it could be cut. Natural text has one within a few words. Without one the text
        is held back until one comes, or the end:

        - under "gpt2" and "gpt4", in a run of millions of letters, digits, spaces or punctuation marks alone;
        - without a pattern, as long as every two adjacent bytes are adjacent in some token, as in a run of one
          character;
        - under another pattern: give it a document at a time.

        The tokenizer may be trained again meanwhile; the IDs are those of its state at the start.

        Args:
            texts: the chunks, each a str, of any length, also empty.
            allowed_special: as for `encode_with_special`.

        Raises:
            TypeError, ValueError: as `encode_fast`, for what a chunk contains, when it is read. A chunk that ends
                inside a surrogate pair is an error: decode bytes with an incremental decoder.

        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer(["<|end|>"], pattern="gpt4")
        >>> _ = tokenizer.train_exact("a\\n\\nb\\n\\nc", 258)
        >>> list(tokenizer.encode_iterable(["a\\n", "\\n", "b<|e", "nd|>"]))
        [97, 257, 98, 256]
        >>> tokenizer.encode_fast("a\\n\\nb<|end|>")
        [97, 257, 98, 256]
        """
        from g2c.engine.fast import encode_iterable

        return encode_iterable(self, texts, allowed_special=allowed_special)

    def encode_with_offsets(
        self, text: str, *, allowed_special: AllowedSpecial = "all"
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the IDs of a text, and the span of each token: `text[start:end]` is what it covers.

        A token may contain only some of the bytes of a character. It then covers the whole character, so that spans can
        overlap, as the offsets of the library tokenizers do.

        Args:
            text: any str.
            allowed_special: as for `encode_with_special`.

        Returns:
            (IDs, spans): lists of the same length. A span is (start, end), in characters.

        Raises:
            TypeError, ValueError: as `encode_fast`.

        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer(["<|end|>"])
        >>> tokenizer.encode_with_offsets("né<|end|>")
        ([110, 195, 169, 256], [(0, 1), (1, 2), (1, 2), (2, 9)])
        """
        from g2c.engine.fast import encode_with_offsets

        return encode_with_offsets(self, text, allowed_special=allowed_special)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes that IDs stand for, one after the other.

        `decode` turns bytes into text, and replaces those that are not valid UTF-8. This method loses nothing: the IDs
        of a model's answer so far may end inside a character.

        Args:
            ids: IDs, in a list or an array. Those of special tokens give the bytes of their text.

        Raises:
            ValueError: an ID does not exist. The message names it.

        >>> from g2c.tokenizer import BPETokenizer
        >>> BPETokenizer(["<|end|>"]).decode_bytes([72, 105, 240, 159, 256])
        b'Hi\\xf0\\x9f<|end|>'
        """
        from g2c.engine.fast import decode_bytes

        return decode_bytes(self, ids)

    # --- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the tokenizer as tokenizer.json, the format of Hugging Face `tokenizers`. It need not be trained.

        Args:
            path: a path that ends in .json is the file. A path without an extension, or that of an existing folder, is
                a folder for tokenizer.json, tokenizer_config.json and, if the tokenizer has the course's special
                tokens, chat_template.jinja; transformers' `AutoTokenizer.from_pretrained` reads such a folder.

        Returns:
            the path of the tokenizer.json.

        Raises:
            TypeError, ValueError: the tokenizer is not in a valid state, see `check_tokenizer`; or the path has the
                extension of another kind of file, such as .model.
            CourseError: the folder contains an artifact, whose other files would no longer match.
            SavingError: the disk is full, the folder is read-only, ...

        >>> import tempfile
        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer()
        >>> _ = tokenizer.train("the the the", 259)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     BPETokenizer.load(tokenizer.save(folder)).merges
        {(116, 104): 256, (256, 101): 257, (257, 32): 258}
        """
        from g2c.formats.tokenizer_json import save

        return save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a tokenizer from tokenizer.json.

        The IDs are those of the library `tokenizers` for every text: a file whose IDs would differ is refused. The
        section "Which tokenizer.json can be read" of docs/files-reference.md lists what that depends on.

        Args:
            path: the file, or a folder that contains a tokenizer.json.

        Raises:
            MissingFileError: there is no such file.
            FileFormatError: the file is damaged, or describes a tokenizer that a BPETokenizer cannot represent.
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
        """Write the tokenizer and its encoded corpus as one folder, which replaces an existing one.

        The folder appears complete or not at all. The same tokenizer, IDs, corpus and training give the same files,
        byte for byte.

        Args:
            name_or_folder: a name, such as "ShakespeareTokenizer", means the folder of that name among the course's
                artifacts (`artifacts/tokenizers/`). A `Path`, or a string with a "/", is the folder itself.
            ids: the token IDs of the corpus: an array, a list, or any iterable of integers.
            corpus: what was encoded, such as the result of `g2c.corpus.corpora.load_corpus`. Its name, size and
                checksum go into manifest.json.
            train: how the tokenizer was trained, for manifest.json: algorithm, ties, vocab_size and so on. JSON values.

        Returns:
            the folder.

        Raises:
            TypeError, ValueError: the tokenizer is not in a valid state, an ID is not one of its tokens, or `train`
                cannot be written as JSON.
            SavingError: the folder contains files that do not belong to an artifact and would be lost, the disk is
                full, the folder is read-only, ...
        """
        from g2c.formats.artifact import save_artifact

        return save_artifact(self, name_or_folder, ids, corpus=corpus, train=train)

    @classmethod
    def load_artifact(cls, name_or_folder: str | os.PathLike[str], *, mmap: bool = False) -> "Artifact":
        """Read what `save_artifact` wrote, and check every byte of it against manifest.json.

        Args:
            name_or_folder: as for `save_artifact`.
            mmap: True leaves the IDs on the disk, see `load_token_ids`.

        Returns:
            (tokenizer, ids, manifest, path)

        Raises:
            MissingFileError: there is no such artifact, or one of its files is missing.
            FileFormatError: a file is not the one that was saved. The message names it and what differs.
        """
        from g2c.formats.artifact import load_artifact

        return load_artifact(name_or_folder, mmap=mmap, cls=cls)

    # --- other libraries ----------------------------------------------------------------------------------------------

    def to_hf(self) -> "tokenizers.Tokenizer":
        """Convert to a `tokenizers.Tokenizer` with the same IDs, as tokenizer.json describes it.

        Raises:
            TypeError, ValueError: the tokenizer is not in a valid state, see `check_tokenizer`.

        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer(["<|end|>"])
        >>> _ = tokenizer.train_exact("the the the", 260)
        >>> tokenizer.to_hf().encode("the the<|end|>").tokens
        ['theĠ', 'the', '<|end|>']
        """
        from g2c.formats.interop import to_hf

        return to_hf(self)

    @classmethod
    def from_hf(cls, source: Any) -> Self:
        """Convert a byte-level BPE tokenizer of `tokenizers` or transformers.

        Args:
            source: a `tokenizers.Tokenizer`, or a fast tokenizer of transformers, which contains one.

        Raises:
            TypeError: `source` is neither.
            ValueError: a BPETokenizer cannot represent the tokenizer. The message gives the reason.
        """
        from g2c.formats.interop import from_hf

        return from_hf(cls, source)

    def to_tiktoken(self, name: str = "g2c") -> "tiktoken.Encoding":
        """Convert to a `tiktoken.Encoding` with the same IDs.

        tiktoken's `encode` rejects special tokens in a text unless they are allowed: its
        `encode(text, allowed_special="all")` corresponds to `BPETokenizer.encode`, and its `encode_ordinary(text)` to
        `BPETokenizer.encode_ordinary`.

        Args:
            name: the name that tiktoken shows.

        Raises:
            TypeError, ValueError: the tokenizer is not in a valid state, see `check_tokenizer`.
            UnsupportedTokenizer: the tokenizer normalizes texts, or has several regexes or a custom pattern, with which
                tiktoken could give other IDs.
            ModuleNotFoundError: tiktoken is not installed (pip install -e '.[interop]').
        """
        from g2c.formats.interop import to_tiktoken

        return to_tiktoken(self, name)

    @classmethod
    def from_tiktoken(cls, source: "tiktoken.Encoding") -> Self:
        """Convert an encoding of tiktoken.

        Args:
            source: a `tiktoken.Encoding` with the pattern of GPT-2, cl100k_base or o200k_base, or one of `to_tiktoken`.

        Raises:
            TypeError: `source` is something else.
            ValueError: a BPETokenizer cannot represent the encoding. The message gives the reason.
        """
        from g2c.formats.interop import from_tiktoken

        return from_tiktoken(cls, source)

    @classmethod
    def from_tiktoken_file(
        cls,
        path: str | os.PathLike[str],
        special_tokens: Mapping[str, int] | None = None,
        pattern: str | None = "gpt4",
    ) -> Self:
        """Read a .tiktoken file, which has neither special tokens nor a pattern.

        Args:
            path: the file.
            special_tokens: special token -> ID.
            pattern: as for `BPETokenizer`.

        Raises:
            MissingFileError: there is no such file.
            FileFormatError: its table is damaged, too large, or not one of byte-level BPE. The message says where.
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
        """Make a tokenizer with this vocabulary and these merges, as Stanford's CS336 passes them.

        Args:
            vocab: ID -> token. The 256 bytes may have any IDs; the IDs of merges are above them, in the order learned.
                Any other token that is not special is decoded, but no text is encoded as it; a tokenizer with such
                tokens cannot be saved.
            merges: the two parts of each merge, in the order learned.
            special_tokens: each has its ID in `vocab`; those that are not there get the next IDs.
            pattern: as for `BPETokenizer`; CS336 splits texts with "gpt2".

        Raises:
            TypeError: a token is not bytes.
            ValueError: the parts do not fit together. The message says where.

        >>> from g2c.tokenizer import BPETokenizer
        >>> vocab = {0: b"<|end|>"} | {byte + 1: bytes([byte]) for byte in range(256)} | {257: b"th"}
        >>> BPETokenizer.from_vocab(vocab, [(b"t", b"h")], ["<|end|>"]).encode("the<|end|>")
        [257, 102, 0]
        """
        from g2c.formats.interop import from_vocab

        return from_vocab(cls, vocab, merges, special_tokens, pattern)


# --- the same as functions, and published tokenizers ------------------------------------------------------------------


def save(tokenizer: "BPEBase", path: str | os.PathLike[str]) -> Path:
    """Write a tokenizer as tokenizer.json: `tokenizer.save(path)`."""
    return tokenizer.save(path)


def load(path: str | os.PathLike[str], cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Read a tokenizer from tokenizer.json: `cls.load(path)`, where None stands for `BPETokenizer`.

    `load_tokenizer_json` is another name for it: published tokenizers come as such files, too.
    """
    return (cls or _students_class()).load(path)


load_tokenizer_json = load


def save_artifact(
    tokenizer: "BPEBase",
    name_or_folder: str | os.PathLike[str],
    ids: Iterable[int],
    *,
    corpus: Corpus | None = None,
    train: Mapping[str, Any] | None = None,
) -> Path:
    """Write a tokenizer and its encoded corpus as one folder: `tokenizer.save_artifact(...)`."""
    return tokenizer.save_artifact(name_or_folder, ids, corpus=corpus, train=train)


def load_artifact(
    name_or_folder: str | os.PathLike[str], *, mmap: bool = False, cls: type["BPEBase"] | None = None
) -> "Artifact":
    """Read what `save_artifact` wrote: `cls.load_artifact(...)`, where None stands for `BPETokenizer`."""
    return (cls or _students_class()).load_artifact(name_or_folder, mmap=mmap)


def load_gpt2(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load GPT-2's tokenizer: 256 bytes, 50,000 merges, and <|endoftext|>, which has the ID 50256.

    Args:
        cls: the class of the tokenizer; None for `BPETokenizer`.

    Raises:
        CorpusError: the files are not in the data folder, or are not the published ones.
    """
    from g2c.corpus.published_tokenizers import load_gpt2

    return load_gpt2(cls or _students_class())


def load_cl100k(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load cl100k_base, the tokenizer of GPT-3.5 and GPT-4. Takes a second or two.

    It has 100,256 tokens, and five special tokens with the IDs 100257 to 100260 and 100276; the IDs between are unused.

    Args:
        cls: the class of the tokenizer; None for `BPETokenizer`.

    Raises:
        CorpusError: the file is not in the data folder, or is not the published one.
    """
    from g2c.corpus.published_tokenizers import load_cl100k

    return load_cl100k(cls or _students_class())


def load_o200k(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load o200k_base, the tokenizer of GPT-4o and later models. Takes a few seconds.

    It has 199,998 tokens, and two special tokens with the IDs 199999 and 200018.
    For `cls` and errors, see `load_gpt2`.
    """
    from g2c.corpus.published_tokenizers import load_o200k

    return load_o200k(cls or _students_class())


def load_llama3(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load the tokenizer of Llama 3.1 and later. Takes a few seconds.

    It has 128,000 tokens and 256 special tokens. Its 588 `whole_pieces` are tokens that no merge makes.
    For `cls` and errors, see `load_gpt2`.
    """
    from g2c.corpus.published_tokenizers import load_llama3

    return load_llama3(cls or _students_class())


def load_qwen3(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load Qwen 3's tokenizer. Takes a few seconds.

    It has 151,643 tokens and 26 special tokens. A text is brought into the form NFC first.
    For `cls` and errors, see `load_gpt2`.
    """
    from g2c.corpus.published_tokenizers import load_qwen3

    return load_qwen3(cls or _students_class())


def load_deepseek(cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Load DeepSeek V3's tokenizer. Takes a few seconds.

    It has 127,997 tokens and 818 special tokens, and splits a text by three regexes, one after the other.
    For `cls` and errors, see `load_gpt2`.
    """
    from g2c.corpus.published_tokenizers import load_deepseek

    return load_deepseek(cls or _students_class())


def _students_class() -> type["BPEBase"]:
    from g2c.tokenizer import BPETokenizer

    return BPETokenizer
