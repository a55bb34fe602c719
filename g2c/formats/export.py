"""Writing an artifact as files of other programs: nanoGPT and tiktoken.

    format      files                           content
    nanogpt     train.bin, val.bin, meta.pkl    IDs as uint16, no header; the tokens, for prompts and samples
    tiktoken    ranks.tiktoken, encoding.json   a token and its ID in each line; the other arguments of Encoding

IDs are read and written block by block, so only one block is in memory.

Sources: nanoGPT's data/openwebtext/prepare.py, train.py and sample.py (Karpathy 2022), tiktoken's load.py (OpenAI).
"""

import base64
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy

from g2c.common.errors import CourseError, SavingError, UnsupportedTokenizer
from g2c.common.files import replacing_folder
from g2c.common.packages import install_command
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.formats.artifact import Artifact, load_artifact
from g2c.formats.interop import to_tiktoken
from g2c.formats.tokenizer_json import fingerprint, json_bytes
from g2c.tokenizer.base import BPEBase

TRAIN_SHARE = 0.9
"""The share of the IDs for training. The last tenth is for validation."""

PROMPT_CHARACTER = 0xF0000
"""In a prompt for nanoGPT, the private-use character `chr(PROMPT_CHARACTER + ID)` means the token with this ID."""

GPT2_FINGERPRINT = "fa1e5f208157bb83c2856c822d20bee6facb628b3e38d9a9c289b317eef6ccd6"
"""The fingerprint of GPT-2's tokenizer."""

_COPIED_IDS = 1 << 20


def export(name_or_folder: str | os.PathLike[str], format: str, output: str | os.PathLike[str] | None = None) -> Path:
    """Check an artifact, and write its token IDs or its tokenizer in another format, a name in `FORMATS`.

    `output` is the folder to create, and None means NAME-FORMAT in the current folder. Returns this folder, which
    appears complete or not at all.

    Raises MissingFileError or FileFormatError if there is no such artifact, or it is damaged; CourseError if the format
    is unknown, cannot represent the artifact, or needs a missing package; and SavingError if the folder exists, the
    disk is full, and so on.
    """
    if format not in FORMATS:
        raise CourseError(f"There is no format named {format!r}; the formats are {', '.join(FORMATS)}.")
    artifact = load_artifact(name_or_folder, mmap=True, cls=BPEBase)
    folder = Path(f"{artifact.path.resolve().name}-{format}") if output is None else Path(output)
    if os.path.lexists(folder):
        raise SavingError(f"{folder} already exists. Give a folder that does not with --output.")
    if artifact.path.resolve() in folder.resolve().parents:
        raise SavingError(f"{folder} is inside the artifact, which has files of its own. Give a folder elsewhere.")
    with replacing_folder(folder) as new:
        FORMATS[format](artifact, new)
        for path in new.iterdir():
            with open(path, "rb") as file:
                os.fsync(file.fileno())
    return folder


def _split(artifact: Artifact) -> int:
    """Return the position where validation starts: after the first document, if any, that ends in the last tenth."""
    ids, separator_id = artifact.ids, artifact.tokenizer.special_to_id.get(DOCUMENT_SEPARATOR)
    if len(ids) < 2:
        raise CourseError(
            f"The number of token IDs in {artifact.path} is {len(ids)}, but training and validation need at least 2."
        )
    wanted = int(len(ids) * TRAIN_SHARE)
    for begin in range(wanted - 1, len(ids) - 1, _COPIED_IDS):
        separators = numpy.flatnonzero(ids[begin : min(begin + _COPIED_IDS, len(ids) - 1)] == separator_id)
        if len(separators):
            return begin + int(separators[0]) + 1
    return wanted


def _nanogpt(artifact: Artifact, folder: Path) -> None:
    ids, highest = artifact.ids, max(artifact.tokenizer.vocab)
    if highest > 0xFFFF:
        raise CourseError(
            f"nanoGPT reads two-byte IDs, up to 65,535, but this tokenizer has IDs up to {highest:,}. Train a smaller "
            "vocabulary."
        )
    split = _split(artifact)
    for name, part in (("train.bin", ids[:split]), ("val.bin", ids[split:])):
        with open(folder / name, "wb") as file:
            for begin in range(0, len(part), _COPIED_IDS):
                file.write(part[begin : begin + _COPIED_IDS].astype("<u2").tobytes())
    # Without meta.pkl, nanoGPT uses GPT-2's tokenizer from tiktoken, whose prompts are exact.
    if fingerprint(artifact.tokenizer) == GPT2_FINGERPRINT:
        return
    # meta.pkl is meant for characters: sample.py encodes a prompt as [stoi[character] for character in prompt], and
    # joins itos[token_id] for a sample. With a private character for each token, a prompt gets exactly encode's IDs.
    vocab = artifact.tokenizer.vocab
    itos = {token_id: vocab.get(token_id, b"").decode(errors="replace") for token_id in range(highest + 1)}
    characters = {token: token_id for token_id, token in itos.items() if len(token) == 1 and token != "\ufffd"}
    private = {chr(PROMPT_CHARACTER + token_id): token_id for token_id in vocab}
    meta = {"vocab_size": highest + 1, "itos": itos, "stoi": characters | private}
    # Python reads protocol 4 since 3.4.
    (folder / "meta.pkl").write_bytes(pickle.dumps(meta, protocol=4))


def _tiktoken(artifact: Artifact, folder: Path) -> None:
    try:
        encoding = to_tiktoken(artifact.tokenizer)
    except UnsupportedTokenizer as error:
        raise CourseError(str(error)) from None
    except ModuleNotFoundError:
        raise CourseError(f"This format needs tiktoken. Install it with: {install_command('tiktoken')}") from None
    ranks = sorted((rank, token) for token, rank in encoding._mergeable_ranks.items())
    lines = b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in ranks)
    others = {"name": encoding.name, "pat_str": encoding._pat_str, "special_tokens": encoding._special_tokens}
    (folder / "ranks.tiktoken").write_bytes(lines)
    (folder / "encoding.json").write_bytes(json_bytes(others))


FORMATS: dict[str, Callable[[Artifact, Path], None]] = {
    "nanogpt": _nanogpt,
    "tiktoken": _tiktoken,
}
"""Name -> a function that writes an artifact's IDs or tokenizer into a new, empty folder, or raises a CourseError."""
