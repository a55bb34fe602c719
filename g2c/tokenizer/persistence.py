"""Saving and loading tokenizers and token IDs.

    artifacts/tokenizers/NAME/
        tokenizer.json          the tokenizer, as Hugging Face `tokenizers` writes it
        tokenizer_config.json   what transformers wants to know beside it
        chat_template.jinja     how a conversation is written, when the tokenizer has the course's special tokens
        ids.uint32              the corpus as token IDs: four bytes each, little-endian, no header
        manifest.json           what these files are and came from, with a checksum of each

Every function checks before it writes and writes all or nothing: a full disk or a kill in the middle leaves what was
there before. What is read is checked before it is believed.
"""

import hashlib
import json
import mmap
import operator
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
import tokenizers

from g2c import __version__
from g2c.corpora import DOCUMENT_SEPARATOR, Corpus
from g2c.errors import CourseError, FileFormatError, MissingFileError, SavingError
from g2c.files import parse_json, read_file, replacing_folder, restore_folder, write_file, write_flushed
from g2c.paths import artifacts_folder
from g2c.tokenizer.chat import chat_template, has_chat_tokens
from g2c.tokenizer.hf_format import UnsupportedTokenizer, from_hf_dict, to_hf_dict
from g2c.tokenizer.special_tokens import ID_LIMIT
from g2c.tokenizer.validity import check_tokenizer

if TYPE_CHECKING:
    from g2c.tokenizer.base import BPEBase

TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "tokenizer_config.json"
TEMPLATE_FILE = "chat_template.jinja"
IDS_FILE = "ids.uint32"
MANIFEST_FILE = "manifest.json"
ARTIFACT_FILES = (TOKENIZER_FILE, CONFIG_FILE, TEMPLATE_FILE, IDS_FILE, MANIFEST_FILE)

_BLOCK = 1 << 20
_MANIFEST_VERSION = 1
LARGEST_JSON = 32 * 2**20
"""Bytes of the longest tokenizer.json or manifest.json that is read."""


class Artifact(NamedTuple):
    """A tokenizer together with the corpus that it encoded, as `load_artifact` reads them."""

    tokenizer: "BPEBase"
    ids: numpy.ndarray
    manifest: dict[str, Any]
    path: Path


# --- a tokenizer ------------------------------------------------------------------------------------------------------


def save(tokenizer: "BPEBase", path: str | os.PathLike[str]) -> Path:
    """Write a tokenizer as tokenizer.json, the file that Hugging Face `tokenizers` reads and writes.

    Args:
        tokenizer: trained or not.
        path: a path ending in .json is that file. Any other is a folder, which gets tokenizer.json and
            tokenizer_config.json, and chat_template.jinja when it has the course's special tokens; transformers'
            `AutoTokenizer.from_pretrained` reads such a folder.

    Returns:
        the path of tokenizer.json.

    Raises:
        ValueError: the tokenizer is not in a state that every library reads the same way (`check_tokenizer`).
        CourseError: the folder holds an artifact, whose other files would no longer fit.
        SavingError: the disk is full, the folder is read-only, ...

    >>> import tempfile
    >>> from g2c.tokenizer import BPETokenizer, load, save
    >>> tokenizer = BPETokenizer()
    >>> _ = tokenizer.train("the the the", 259)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(save(tokenizer, folder)).merges
    {(116, 104): 256, (256, 101): 257, (257, 32): 258}
    """
    check_tokenizer(tokenizer)
    path = Path(path)
    single_file = path.suffix == ".json"
    file = path if single_file else path / TOKENIZER_FILE
    if file.name == TOKENIZER_FILE and file.with_name(MANIFEST_FILE).exists():
        raise CourseError(f"{file.parent} holds an artifact. Use save_artifact, which replaces all its files together.")
    if not single_file:
        write_file(path / CONFIG_FILE, [render_config(tokenizer)])
        _write_template(tokenizer, path / TEMPLATE_FILE)
    write_file(file, [render_tokenizer(tokenizer)])
    return file


def _write_template(tokenizer: "BPEBase", file: Path) -> None:
    if has_chat_tokens(tokenizer):
        write_file(file, [chat_template()])
    elif file.is_file() and file.read_bytes() == chat_template():
        # It is that of another tokenizer, which was saved here before.
        file.unlink()


def load(path: str | os.PathLike[str], cls: type["BPEBase"] | None = None) -> "BPEBase":
    """Read a tokenizer from tokenizer.json.

    Args:
        path: the file, or a folder that holds a tokenizer.json.
        cls: the class to make; None: `g2c.tokenizer.BPETokenizer`.

    Raises:
        MissingFileError: there is no such file.
        FileFormatError: the file is damaged, or describes a tokenizer that a BPETokenizer cannot express.
    """
    path = Path(path)
    file = path / TOKENIZER_FILE if path.is_dir() else path
    return parse_tokenizer(read_file(file, limit=LARGEST_JSON), file, cls)


def fingerprint(tokenizer: "BPEBase") -> str:
    """What makes two tokenizers the same one, as 64 hexadecimal digits.

    The SHA-256 of special tokens with their IDs and pattern (a JSON list), the ID of each byte (256 bytes), and the
    merges (two little-endian uint32 each, in the order learned). How tokenizer.json is written does not change it.

    >>> from g2c.tokenizer import BPETokenizer, fingerprint
    >>> fingerprint(BPETokenizer()) == fingerprint(BPETokenizer(pattern="gpt2"))
    False
    """
    digest = hashlib.sha256(json.dumps([tokenizer.special_to_id, tokenizer.pattern]).encode())
    digest.update(tokenizer.byte_ids)
    digest.update(numpy.array(list(tokenizer.merges), dtype="<u4").tobytes())
    return digest.hexdigest()


def render_tokenizer(tokenizer: "BPEBase") -> bytes:
    """The content of tokenizer.json. The layout is, byte for byte, what Tokenizer.save of the Rust library writes."""
    return json.dumps(to_hf_dict(tokenizer), indent=2, ensure_ascii=False).encode()


def render_files(tokenizer: "BPEBase") -> dict[str, bytes]:
    """Name -> content of every file that describes the tokenizer."""
    files = {TOKENIZER_FILE: render_tokenizer(tokenizer), CONFIG_FILE: render_config(tokenizer)}
    return files | ({TEMPLATE_FILE: chat_template()} if has_chat_tokens(tokenizer) else {})


def render_config(tokenizer: "BPEBase") -> bytes:
    """The content of tokenizer_config.json."""
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
    }
    others = list(tokenizer.special_tokens)
    for role, token in (("eos_token", DOCUMENT_SEPARATOR), ("pad_token", "<|pad|>")):
        if token in others:
            config[role] = token
            others.remove(token)
    config["additional_special_tokens"] = others
    return _json_bytes(config)


def _json_bytes(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def parse_tokenizer(data: bytes, file: Path, cls: type["BPEBase"] | None) -> "BPEBase":
    """The tokenizer in the content of a tokenizer.json. `file` is its name, for the error's sentence."""
    if cls is None:
        from g2c.tokenizer import BPETokenizer as cls
    content = parse_json(data, file)
    try:
        tokenizer = from_hf_dict(content, cls)
        check_tokenizer(tokenizer)
    except UnsupportedTokenizer as error:
        raise FileFormatError(
            f"{file}: {error} A BPETokenizer cannot express that; open the file with tokenizers.Tokenizer.from_file."
        ) from None
    except ValueError as error:
        raise FileFormatError(
            f"{file}: {error} The file is damaged or was edited; save it again, or copy it again from where it came."
        ) from None
    return tokenizer


# --- token IDs --------------------------------------------------------------------------------------------------------


def save_token_ids(ids: Iterable[int], path: str | os.PathLike[str]) -> Path:
    """Write token IDs as four bytes each, little-endian, without a header.

    Args:
        ids: a list, a one-dimensional array of integers, or any iterable of them, such as a generator.
        path: the file.

    Raises:
        TypeError: something in `ids` is not an integer.
        ValueError: an ID is negative, or 2**31 or above.
        SavingError: the disk is full, the folder is read-only, ...

    >>> import tempfile
    >>> from g2c.tokenizer import load_token_ids, save_token_ids
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_token_ids(save_token_ids([72, 105], folder + "/ids.uint32"))
    array([ 72, 105], dtype=uint32)
    """
    path = Path(path)
    write_file(path, (block.tobytes() for block in _id_blocks(ids, ID_LIMIT)))
    return path


def load_token_ids(path: str | os.PathLike[str], *, mmap: bool = False) -> numpy.ndarray:
    """Read what `save_token_ids` wrote.

    Args:
        path: the file.
        mmap: True leaves the IDs on the disk and reads parts of them when they are used: a `numpy.memmap` that cannot
            be written to, for files larger than the memory. An empty file gives an empty array either way.

    Returns:
        a one-dimensional array of uint32.

    Raises:
        MissingFileError: there is no such file.
        FileFormatError: the file is cut short, or of another kind.
    """
    path = Path(path)
    try:
        with open(path, "rb") as file:
            _check_kind(file.read(16), path)
            size = os.fstat(file.fileno()).st_size
        if size % 4:
            raise FileFormatError(
                f"{path} has {size:,} bytes, which is not a multiple of 4: it is cut short, or holds no token IDs. "
                "Save it again, or copy it again from where it came."
            )
        if mmap and size:
            ids = numpy.memmap(path, dtype="<u4", mode="r")
        else:
            ids = numpy.fromfile(path, dtype="<u4")
            ids.flags.writeable = not mmap
    except FileNotFoundError:
        raise MissingFileError(f"There are no token IDs at {path}. Check the path, or save them first.") from None
    except IsADirectoryError:
        raise FileFormatError(f"{path} is a folder, not a file of token IDs. Name the {IDS_FILE} in it.") from None
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read: {error.strerror or error}. Check its permissions.") from error
    _check_id_range(ids, path)
    return ids


def _check_kind(start: bytes, path: Path) -> None:
    """Recognise other kinds of files by their first bytes. Text would be IDs in the hundreds of millions."""
    kind = None
    if start.startswith(b"\x93NUMPY"):
        kind = "numpy's own format, which numpy.load reads"
    elif start and all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in start):
        kind = "text"
    if kind:
        raise FileFormatError(f"{path} begins with {start[:8]!r}: it is {kind}, not a file of token IDs.")


def _check_id_range(ids: numpy.ndarray, path: Path) -> None:
    first = 0
    for block in blocks_of(ids, _BLOCK):
        if block.max() >= ID_LIMIT:
            place = int(numpy.argmax(block >= ID_LIMIT))
            raise FileFormatError(
                f"{path} holds {block[place]} at place {first + place}, but token IDs are below 2**31: it is damaged, "
                "or holds no token IDs. Save it again, or copy it again from where it came."
            )
        first += len(block)


def blocks_of(ids: numpy.ndarray, size: int) -> Iterator[numpy.ndarray]:
    """IDs, as `load_token_ids` gives them, in blocks of `size`.

    The part of a mapped file that was looked at counts as memory of the process. It is given back after each block.
    """
    for first in range(0, len(ids), size):
        yield ids[first : first + size]
        if isinstance(ids.base, mmap.mmap):
            ids.base.madvise(mmap.MADV_DONTNEED)


def _id_blocks(ids: Iterable[int], limit: int) -> Iterator[numpy.ndarray]:
    """`ids` as little-endian uint32, block by block, after checking that each is an integer from 0 to below `limit`."""
    first = 0
    for block in _integer_blocks(ids):
        if block.size and (block.min() < 0 or block.max() >= limit):
            place = int(numpy.argmax((block < 0) | (block >= limit)))
            raise ValueError(
                f"The ID {block[place]} at place {first + place} is not a token ID: IDs go from 0 to {limit - 1}."
            )
        yield block.astype("<u4")
        first += block.size


def _token_id_blocks(ids: Iterable[int], tokenizer: "BPEBase") -> Iterator[numpy.ndarray]:
    """The blocks of `_id_blocks`, after checking that each ID is one of the tokenizer's."""
    known = known_ids(tokenizer)
    first = 0
    for block in _id_blocks(ids, int(known[-1]) + 1):
        unknown = unknown_ids(block, known)
        if unknown.any():
            place = int(numpy.argmax(unknown))
            raise ValueError(f"The ID {block[place]} at place {first + place} is none of the tokenizer's.")
        yield block
        first += block.size


def known_ids(tokenizer: "BPEBase") -> numpy.ndarray:
    """The tokenizer's IDs, ascending."""
    return numpy.array(sorted(tokenizer.vocab), dtype=numpy.int64)


def unknown_ids(block: numpy.ndarray, known: numpy.ndarray) -> numpy.ndarray:
    """Which IDs of the block are no token's. Published tables can leave IDs free between their special tokens."""
    return block > known[-1] if len(known) == known[-1] + 1 else ~numpy.isin(block, known)


def _integer_blocks(ids: Iterable[int]) -> Iterator[numpy.ndarray]:
    if isinstance(ids, (str, bytes, bytearray)):
        raise TypeError(f"Token IDs are integers, but this is of type {type(ids).__name__}: encode the text first.")
    if hasattr(ids, "__array__") or isinstance(ids, (array, memoryview)):
        values = numpy.asarray(ids)
        if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
            raise TypeError(
                f"Token IDs are a one-dimensional array of integers, but this one is {values.ndim}-dimensional and of "
                f"type {values.dtype}."
            )
        for first in range(0, values.size, _BLOCK):
            yield values[first : first + _BLOCK]
        return
    remaining, first = iter(ids), 0
    while block := list(islice(remaining, _BLOCK)):
        try:
            yield numpy.fromiter(map(operator.index, block), dtype=numpy.int64, count=len(block))
        except TypeError:
            place, value = next((i, v) for i, v in enumerate(block) if not hasattr(v, "__index__"))
            raise TypeError(
                f"Token IDs are integers, but at place {first + place} stands {value!r}, "
                f"of type {type(value).__name__}."
            ) from None
        except OverflowError:
            raise ValueError(f"The IDs hold {max(block, key=abs)}, but token IDs are below 2**31.") from None
        first += len(block)


# --- an artifact ------------------------------------------------------------------------------------------------------


def save_artifact(
    tokenizer: "BPEBase",
    name_or_folder: str | os.PathLike[str],
    ids: Iterable[int],
    *,
    corpus: Corpus | None = None,
    train: Mapping[str, Any] | None = None,
) -> Path:
    """Write a tokenizer and its encoded corpus as one folder, in place of the one that is there.

    The folder appears whole or not at all. The same tokenizer, IDs, corpus and training give the same files, byte for
    byte.

    Args:
        tokenizer: the tokenizer.
        name_or_folder: a name, such as "ShakespeareTokenizer", stands for the folder of that name among the course's
            artifacts (`artifacts/tokenizers/`). Anything with a "/" in it, or a `Path`, is the folder itself.
        ids: the token IDs of the corpus: an array, a list, or any iterable of integers.
        corpus: what was encoded, as `g2c.corpora.load_corpus` gives it; name, size and checksum go into manifest.json.
        train: how the tokenizer was trained, for manifest.json: algorithm, ties, vocab_size and so on.

    Returns:
        the folder.

    Raises:
        TypeError, ValueError: the tokenizer is not in a valid state, or an ID is not one of its tokens.
        CourseError: the folder holds files that are no part of an artifact, and that would be lost.
        SavingError: the disk is full, the folder is read-only, ...
    """
    check_tokenizer(tokenizer)
    summary = IdSummary(tokenizer)

    def write_ids(path: Path) -> None:
        write_flushed(path, summary.passing(_token_id_blocks(ids, tokenizer)))

    return write_artifact(tokenizer, artifact_folder(name_or_folder), write_ids, summary, corpus=corpus, train=train)


def write_artifact(
    tokenizer: "BPEBase",
    folder: Path,
    write_ids: Callable[[Path], None],
    summary: "IdSummary",
    *,
    corpus: Corpus | None = None,
    train: Mapping[str, Any] | None = None,
) -> Path:
    """The part of `save_artifact` that also serves IDs which are in a file already.

    Args:
        write_ids: is called with the path at which it has to make the file of token IDs.
        summary: has seen all IDs when `write_ids` returns.
    """
    origin = {
        "corpus": None if corpus is None else {"name": corpus.name, "bytes": corpus.size, "sha256": corpus.sha256},
        "train": dict(train or {}),
        "software": {"g2c": __version__, "tokenizers": tokenizers.__version__},
    }
    json.dumps(origin)  # a TypeError here comes before anything is written
    check_replaceable(folder)
    files = render_files(tokenizer)
    with replacing_folder(folder) as new:
        for name, data in files.items():
            write_flushed(new / name, [data])
        write_ids(new / IDS_FILE)
        manifest = describe(tokenizer, files, summary, origin)
        write_flushed(new / MANIFEST_FILE, [_json_bytes(manifest)])
    return folder


def load_artifact(
    name_or_folder: str | os.PathLike[str], *, mmap: bool = False, cls: type["BPEBase"] | None = None
) -> Artifact:
    """Read what `save_artifact` wrote, after checking every byte of it against manifest.json.

    Args:
        name_or_folder: as for `save_artifact`.
        mmap: True leaves the IDs on the disk, see `load_token_ids`.
        cls: the class of the tokenizer; None: `g2c.tokenizer.BPETokenizer`.

    Returns:
        (tokenizer, ids, manifest, path)

    Raises:
        MissingFileError: there is no such artifact, or one of its files is missing.
        FileFormatError: a file is not the one that was saved. The sentence names it and what differs.
    """
    folder = artifact_folder(name_or_folder)
    while True:
        restore_folder(folder)
        before = _identity(folder)
        if before is None:
            raise MissingFileError(f"There is no artifact {folder}. Check the name, or train and save it first.")
        try:
            return _read_artifact(folder, mmap, cls)
        except (FileFormatError, MissingFileError):
            # Another process may have replaced the folder while its files were read one by one: then read the new one.
            if _identity(folder) == before:
                raise


def _read_artifact(folder: Path, mmap: bool, cls: type["BPEBase"] | None) -> Artifact:
    manifest = read_manifest(folder / MANIFEST_FILE)
    names = [name for name in CHECKSUMS if name != TEMPLATE_FILE or manifest["tokenizer"].get(CHECKSUMS[name])]
    files = {name: read_file(folder / name, limit=LARGEST_JSON) for name in names}
    for name, data in files.items():
        _check_sum(folder / name, _sha256(data), manifest["tokenizer"], CHECKSUMS[name])
    tokenizer = parse_tokenizer(files[TOKENIZER_FILE], folder / TOKENIZER_FILE, cls)

    summary = IdSummary(tokenizer)
    ids = load_token_ids(folder / IDS_FILE, mmap=mmap)
    known = known_ids(tokenizer)
    foreign: int | None = None
    for block in blocks_of(ids, _BLOCK):
        summary.add(block)
        unknown = block[unknown_ids(block, known)]
        if foreign is None and unknown.size:
            foreign = int(unknown[0])
    _check_sum(folder / IDS_FILE, summary.digest.hexdigest(), manifest["ids"], "sha256")
    if foreign is not None:
        raise FileFormatError(
            f"{folder / IDS_FILE} holds the ID {foreign}, which is none of the tokenizer's beside it; those are 0 to "
            f"{known[-1]}. Train and save the artifact again."
        )
    origin = {part: manifest[part] for part in ("corpus", "train", "software")}
    expected = describe(tokenizer, files, summary, origin)
    for part, entries in expected.items():
        if json.dumps(manifest[part]) != json.dumps(entries):
            raise FileFormatError(
                f"{folder / MANIFEST_FILE} does not fit the files beside it: "
                f"{difference(part, manifest[part], entries)}. Train and save the artifact again."
            )
    return Artifact(tokenizer, ids, manifest, folder)


class IdSummary:
    """What manifest.json says about the IDs, gathered in one pass."""

    def __init__(self, tokenizer: "BPEBase") -> None:
        self.separator_id = tokenizer.special_to_id.get(DOCUMENT_SEPARATOR)
        self.digest = hashlib.sha256()
        self.count = 0
        self.min_id: int | None = None
        self.max_id: int | None = None
        self.documents = 0
        self._inside_document = False

    def add(self, block: numpy.ndarray) -> None:
        if not block.size:
            return
        low, high = int(block.min()), int(block.max())
        self.min_id = low if self.min_id is None else min(self.min_id, low)
        self.max_id = high if self.max_id is None else max(self.max_id, high)
        self.count += block.size
        self.digest.update(block)
        # A document is a run of IDs without a separator in it; the first may have begun in the block before.
        ends = numpy.flatnonzero(block == self.separator_id) if self.separator_id is not None else []
        has_ids = numpy.diff(ends, prepend=-1, append=block.size) > 1
        self.documents += int(numpy.count_nonzero(has_ids)) - int(has_ids[0] and self._inside_document)
        self._inside_document = bool(has_ids[-1])

    def passing(self, blocks: Iterable[numpy.ndarray]) -> Iterator[bytes]:
        for block in blocks:
            self.add(block)
            yield block.tobytes()


CHECKSUMS = {TOKENIZER_FILE: "sha256", CONFIG_FILE: "config_sha256", TEMPLATE_FILE: "template_sha256"}
"""File -> where manifest.json has its checksum, in the part "tokenizer"."""


def describe(
    tokenizer: "BPEBase", files: Mapping[str, bytes], ids: IdSummary, origin: dict[str, Any]
) -> dict[str, Any]:
    """The content of manifest.json. Computed on saving, and again on loading to compare.

    `files` holds the content of the files of `render_files`, as they are on the disk.
    """
    template = files.get(TEMPLATE_FILE) if has_chat_tokens(tokenizer) else None
    manifest = {
        "version": _MANIFEST_VERSION,
        "ids": {
            "file": IDS_FILE,
            "dtype": "uint32",
            "byte_order": "little",
            "count": ids.count,
            "min_id": ids.min_id,
            "max_id": ids.max_id,
            "sha256": ids.digest.hexdigest(),
        },
        "documents": {"count": ids.documents, "separator_id": ids.separator_id},
        "tokenizer": {
            "file": TOKENIZER_FILE,
            "sha256": _sha256(files[TOKENIZER_FILE]),
            "config_file": CONFIG_FILE,
            "config_sha256": _sha256(files[CONFIG_FILE]),
            "template_file": None if template is None else TEMPLATE_FILE,
            "template_sha256": None if template is None else _sha256(template),
            "fingerprint": fingerprint(tokenizer),
            "vocab_size": tokenizer.vocab_size,
            "special_tokens": list(tokenizer.special_tokens),
            "num_merges": len(tokenizer.merges),
            "pattern": tokenizer.pattern,
        },
        **origin,
    }
    return {**manifest, "sha256_of_the_above": _sha256(_json_bytes(manifest))}


def read_manifest(path: Path) -> dict[str, Any]:
    """manifest.json, checked against its own checksum. Files are looked up by fixed names, never by what it says."""
    data = read_file(path, limit=LARGEST_JSON)
    manifest = parse_json(data, path)
    parts = ("version", "ids", "documents", "tokenizer", "corpus", "train", "software", "sha256_of_the_above")
    if not isinstance(manifest, dict) or tuple(manifest) != parts:
        raise FileFormatError(f"{path} is not the manifest of an artifact: its parts should be {', '.join(parts)}.")
    for part in parts[1:-1]:
        if not isinstance(manifest[part], dict) and not (part == "corpus" and manifest[part] is None):
            raise FileFormatError(f"{path} has {manifest[part]!r} as {part}, which should be an object.")
    if manifest["version"] != _MANIFEST_VERSION:
        raise FileFormatError(
            f"{path} has the version {manifest['version']!r}, and this program reads {_MANIFEST_VERSION}. "
            "Update the course, or train and save the artifact again."
        )
    above = {part: manifest[part] for part in parts[:-1]}
    if manifest["sha256_of_the_above"] != _sha256(_json_bytes(above)) or data != _json_bytes(manifest):
        raise FileFormatError(
            f"{path} was changed after it was written: its own checksum does not fit. "
            "Copy the artifact again from where it came, or train and save it again."
        )
    return manifest


def _check_sum(path: Path, found: str, entries: dict[str, Any], name: str) -> None:
    expected = entries.get(name)
    if expected != found:
        raise FileFormatError(
            f"{path} is not the file that was saved: its SHA-256 begins with {found[:12]}, in {MANIFEST_FILE} with "
            f"{str(expected)[:12]}. Copy the artifact again from where it came, or train and save it again."
        )


def difference(part: str, said: Any, found: Any) -> str:
    """Where a part of manifest.json is not as it should be."""
    if isinstance(said, dict) and isinstance(found, dict):
        for name in (*found, *said):
            if said.get(name) != found.get(name):
                return f"{part}.{name} is {said.get(name)!r}, but it should be {found.get(name)!r}"
    return f"{part} is {said!r}, but it should be {found!r}"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_ino, status.st_ctime_ns


def artifact_folder(name_or_folder: str | os.PathLike[str]) -> Path:
    if isinstance(name_or_folder, str) and os.sep not in name_or_folder:
        name = name_or_folder
        if not name or name.startswith(".") or not name.isprintable():
            raise ValueError(f"{name!r} is not a name for an artifact; use letters and digits, or give a folder.")
        return artifacts_folder() / name
    return Path(name_or_folder)


def check_replaceable(folder: Path) -> None:
    """Saving deletes the old folder, so it must hold nothing but an artifact, and what browsing it leaves there."""
    names, is_something_else = [], False
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        # Nothing to replace. So it is too for the moment in which another process puts its own artifact in place.
        is_something_else = folder.is_symlink()
    except NotADirectoryError:
        is_something_else = os.path.lexists(folder)
    if is_something_else:
        raise SavingError(f"{folder} is not a folder. Move it away, or save under another name.")
    others = sorted({*names} - {*ARTIFACT_FILES, ".DS_Store", ".ipynb_checkpoints"})
    if others:
        raise SavingError(
            f"{folder} also holds {others[0]!r}, which is no part of an artifact and would be lost. "
            "Move it away, or save under another name."
        )
