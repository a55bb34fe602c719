"""Token IDs in the file formats of training programs: nanoGPT, datatrove, `datasets` (parquet) and litdata.

ids.uint32 is four bytes for each ID, without a header. Every other format is written from it, block by block, so that
only one block is in memory:

    format      files                             content
    nanogpt     train.bin, val.bin, meta.pkl      uint16, no header; meta.pkl: the tokens, for prompts and samples
    datatrove   tokens.ds, .ds.index, .ds.metadata  uint16 or uint32; the index: where each document ends
    parquet     train.parquet, validation.parquet a column input_ids: a list of int32 for each document
    litdata     chunk-0-0.bin, ..., index.json    int32, after a short header; the index: the length of each chunk

Sources: nanoGPT's data/openwebtext/prepare.py, train.py and sample.py (Karpathy 2022), datatrove's utils/dataset.py and
pipeline/tokens/tokenizer.py (Hugging Face), litdata's streaming/writer.py and streaming/item_loader.py (Lightning AI).

The formats of tokenizers without IDs are in `g2c.formats.export_tokenizer`.
"""

import os
import pickle
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from g2c.common.errors import CourseError, SavingError
from g2c.common.files import replacing_folder
from g2c.common.packages import install_command
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.formats.artifact import Artifact, load_artifact
from g2c.formats.export_tokenizer import TOKENIZER_FORMATS, NewFile, content_writer
from g2c.formats.tokenizer_json import fingerprint, json_bytes
from g2c.tokenizer.base import BPEBase

TRAIN_SHARE = 0.9
"""The share of the IDs for training, in formats with two parts. The last tenth is for validation."""

PROMPT_CHARACTER = 0xF0000
"""In a prompt for nanoGPT, the character `chr(PROMPT_CHARACTER + ID)` stands for a token. They are for private use."""

GPT2_FINGERPRINT = "fa1e5f208157bb83c2856c822d20bee6facb628b3e38d9a9c289b317eef6ccd6"
"""The fingerprint of GPT-2's tokenizer."""

LITDATA_CHUNK = 1 << 24
"""The number of IDs in a chunk for litdata. A sample is never in two chunks."""

_BLOCK = 1 << 20
_ROW = 1024
_ROWS_AT_ONCE = 1024


@dataclass(frozen=True)
class Tokens:
    """What is exported.

    Attributes:
        ids: the token IDs, memory-mapped.
        ends: the end of each document, after its separator, in ascending order; the last is the number of IDs. Empty if
            the IDs do not mark where documents end.
        tokenizer: the tokenizer that the IDs come from.
        folder: the artifact's folder.
    """

    ids: NDArray[numpy.uint32]
    ends: NDArray[numpy.int64]
    tokenizer: BPEBase
    folder: Path

    @property
    def highest(self) -> int:
        """The highest ID of the tokenizer."""
        return max(self.tokenizer.vocab)

    def split(self) -> int:
        """The start of the validation part: the end of a document, if one lies between the first and last tenth."""
        wanted = int(len(self.ids) * TRAIN_SHARE)
        later = self.ends[(self.ends >= wanted) & (self.ends < len(self.ids))]
        earlier = self.ends[(self.ends < wanted) & (self.ends > len(self.ids) * (1 - TRAIN_SHARE))]
        if len(later):
            return int(later[0])
        return int(earlier[-1]) if len(earlier) else wanted


def export(
    name_or_folder: str | os.PathLike[str],
    format: str,
    output: str | os.PathLike[str] | None = None,
    *,
    merges_as_strings: bool = False,
) -> Path:
    """Check an artifact, and write its token IDs or its tokenizer in another format.

    Args:
        name_or_folder: as for `load_artifact`.
        format: a name in `FORMATS`, for token IDs, or in `TOKENIZER_FORMATS`.
        output: the folder to create; None for NAME-FORMAT in the current folder.
        merges_as_strings: with the format "tokenizers" only: True writes tokenizer.json for versions below 0.20.

    Returns:
        the folder, which appears complete or not at all.

    Raises:
        MissingFileError, FileFormatError: there is no such artifact, or it is damaged.
        CourseError: the format is unknown, cannot represent these IDs or this tokenizer, or needs a package that is not
            installed.
        SavingError: the folder exists, the disk is full, ...
    """
    if format not in (*FORMATS, *TOKENIZER_FORMATS):
        names = ", ".join((*FORMATS, *TOKENIZER_FORMATS))
        raise CourseError(f"There is no format named {format!r}; the formats are {names}.")
    if merges_as_strings and format != "tokenizers":
        raise CourseError(f"Merges as strings belong to the format tokenizers, not to {format}.")
    artifact = load_artifact(name_or_folder, mmap=True, cls=BPEBase)
    folder = Path(f"{artifact.path.name}-{format}") if output is None else Path(output)
    if os.path.lexists(folder):
        raise SavingError(f"{folder} already exists. Delete it, or give another folder with --output.")
    if format in TOKENIZER_FORMATS:
        files = TOKENIZER_FORMATS[format](artifact.tokenizer, merges_as_strings)
    else:
        files = FORMATS[format](_tokens(artifact))
    # The generator runs up to its first `yield`: its checks run before the folder is created.
    first = next(files)
    with replacing_folder(folder) as new:
        for name, write in (first, *files):
            write(new / name)
    return folder


def _tokens(artifact: Artifact) -> Tokens:
    if len(artifact.ids) < 2:
        raise CourseError(
            f"The number of token IDs in {artifact.path} is {len(artifact.ids)}, but training and validation "
            "need at least 2."
        )
    separator_id = artifact.tokenizer.special_to_id.get(DOCUMENT_SEPARATOR)
    return Tokens(artifact.ids, _document_ends(artifact.ids, separator_id), artifact.tokenizer, artifact.path)


def _document_ends(ids: NDArray[numpy.uint32], separator_id: int | None) -> NDArray[numpy.int64]:
    if separator_id is None:
        return numpy.zeros(0, numpy.int64)
    places = [
        numpy.flatnonzero(ids[begin : begin + _BLOCK] == separator_id) + begin + 1
        for begin in range(0, len(ids), _BLOCK)
    ]
    ends = numpy.concatenate(places)
    if len(ends) and ends[-1] < len(ids):
        ends = numpy.append(ends, len(ids))
    return ends


def _typed(ids: NDArray[numpy.uint32], dtype: str) -> Iterator[bytes]:
    for begin in range(0, len(ids), _BLOCK):
        yield ids[begin : begin + _BLOCK].astype(dtype).tobytes()


# --- the formats ------------------------------------------------------------------------------------------------------


def _nanogpt(tokens: Tokens) -> Iterator[NewFile]:
    if tokens.highest > 0xFFFF:
        raise CourseError(
            f"nanoGPT reads two-byte IDs, up to 65,535, but this tokenizer has IDs up to {tokens.highest:,}. "
            "Export as parquet or litdata, or train a smaller vocabulary."
        )
    split = tokens.split()
    yield "train.bin", content_writer(_typed(tokens.ids[:split], "<u2"))
    yield "val.bin", content_writer(_typed(tokens.ids[split:], "<u2"))
    # Without meta.pkl, nanoGPT takes GPT-2's tokenizer from tiktoken, which is exact.
    if fingerprint(tokens.tokenizer) != GPT2_FINGERPRINT:
        # Protocol 4 can be read since Python 3.4.
        yield "meta.pkl", content_writer([pickle.dumps(nanogpt_meta(tokens.tokenizer), protocol=4)])


def nanogpt_meta(tokenizer: BPEBase) -> dict[str, Any]:
    """The content of nanoGPT's meta.pkl, which was made for characters, for a tokenizer with tokens of any length.

    sample.py encodes a prompt as `[stoi[character] for character in prompt]`, and joins `itos[token_id]` for a sample.
    train.py takes the size of the model's vocabulary from `vocab_size`.

    Returns:
        vocab_size: the highest ID plus one, an int.
        itos: ID -> the token's text; for bytes that are only part of a character, U+FFFD.
        stoi: character -> ID, for every character that is a token; and for every token, the character
            `chr(PROMPT_CHARACTER + ID)`. The text of these gives a prompt exactly the IDs of `encode`.
    """
    vocab_size = max(tokenizer.vocab) + 1
    itos = {token_id: tokenizer.vocab.get(token_id, b"").decode(errors="replace") for token_id in range(vocab_size)}
    characters = {token: token_id for token_id, token in itos.items() if len(token) == 1 and token != "\ufffd"}
    return {
        "vocab_size": vocab_size,
        "itos": itos,
        "stoi": characters | {chr(PROMPT_CHARACTER + token_id): token_id for token_id in tokenizer.vocab},
    }


def _datatrove(tokens: Tokens) -> Iterator[NewFile]:
    if not len(tokens.ends):
        raise CourseError(
            f"datatrove's index lists where documents end, but no {DOCUMENT_SEPARATOR} separates documents in these "
            "IDs. Encode a corpus of documents, or export as parquet or litdata."
        )
    size = 2 if tokens.highest <= 0xFFFF else 4
    tokenizer_path = str(tokens.folder.resolve())
    if "|" in tokenizer_path:
        raise CourseError(f"datatrove's metadata cannot represent the path {tokenizer_path}: it contains a |.")
    # nanotron loads the tokenizer from this path. The last line is for people.
    metadata = f"{tokenizer_path}|{size}\n{len(tokens.ids)}\n{len(tokens.ids) / 1000:.4g} kT"
    yield "tokens.ds", content_writer(_typed(tokens.ids, f"<u{size}"))
    yield "tokens.ds.index", content_writer([tokens.ends.astype("<u8").tobytes()])
    yield "tokens.ds.metadata", content_writer([metadata.encode()])


def _parquet(tokens: Tokens) -> Iterator[NewFile]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        command = install_command("pyarrow")
        raise CourseError(f"Writing parquet files needs pyarrow. Install it with: {command}") from None

    # Without documents, rows of equal length.
    row_ends = tokens.ends
    if not len(row_ends):
        row_ends = numpy.append(numpy.arange(_ROW, len(tokens.ids), _ROW), len(tokens.ids))
    split = tokens.split()
    train_rows = max(1, int(numpy.searchsorted(row_ends, split, "right")))
    schema = pyarrow.schema([("input_ids", pyarrow.list_(pyarrow.int32()))])

    def write(path: Path, first: int, last: int) -> None:
        with open(path, "xb") as file:
            with pyarrow.parquet.ParquetWriter(file, schema) as writer:
                for begin in range(first, last, _ROWS_AT_ONCE):
                    ends = row_ends[begin : min(begin + _ROWS_AT_ONCE, last)]
                    start = int(row_ends[begin - 1]) if begin else 0
                    offsets = pyarrow.array(numpy.append(0, ends - start), pyarrow.int32())
                    values = pyarrow.array(tokens.ids[start : ends[-1]].astype(numpy.int32))
                    rows = pyarrow.ListArray.from_arrays(offsets, values)
                    writer.write_table(pyarrow.Table.from_arrays([rows], schema=schema))
            file.flush()
            os.fsync(file.fileno())

    yield "train.parquet", lambda path: write(path, 0, train_rows)
    if train_rows < len(row_ends):
        yield "validation.parquet", lambda path: write(path, train_rows, len(row_ends))


def _litdata(tokens: Tokens) -> Iterator[NewFile]:
    chunks = []
    for number, begin in enumerate(range(0, len(tokens.ids), LITDATA_CHUNK)):
        ids = tokens.ids[begin : begin + LITDATA_CHUNK]
        # The chunk has one item: its number of items, where the item begins, and where it ends.
        header = struct.pack("<III", 1, 12, 12 + 4 * len(ids))
        name = f"chunk-0-{number}.bin"
        yield name, content_writer(block for part in ([header], _typed(ids, "<i4")) for block in part)
        chunks.append({"chunk_bytes": 12 + 4 * len(ids), "chunk_size": 1, "dim": len(ids), "filename": name})
    config = {
        "chunk_bytes": None,
        "chunk_size": LITDATA_CHUNK,
        "compression": None,
        # litdata's number for int32.
        "data_format": ["no_header_tensor:16"],
        "data_spec": '[1, {"type": null, "context": null, "children_spec": []}]',
        "encryption": None,
        "item_loader": "TokensLoader",
    }
    yield "index.json", content_writer([json_bytes({"chunks": chunks, "config": config, "updated_at": "0"})])


FORMATS: dict[str, Callable[[Tokens], Iterator[NewFile]]] = {
    "nanogpt": _nanogpt,
    "datatrove": _datatrove,
    "parquet": _parquet,
    "litdata": _litdata,
}
"""Name -> a generator of the format's files: a name, and a function that writes the file to a path.

Before the first file, it raises a CourseError if the format cannot represent the IDs."""
