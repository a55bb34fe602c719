"""Writing and reading the files that describe a tokenizer: tokenizer.json, and those for transformers beside it."""

import hashlib
import json
import os
import re
from pathlib import Path
from reprlib import repr
from typing import Any

import numpy as np

from g2c.common.errors import CourseError, FileFormatError, UnsupportedTokenizer
from g2c.common.files import parse_json, read_file, write_file
from g2c.common.table_limits import MAX_TOKENIZER_JSON
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.formats.chat import chat_template, has_chat_tokens
from g2c.formats.hf_format import from_hf_dict, to_hf_json
from g2c.formats.interop import from_tekken
from g2c.formats.merge_table import merge_table
from g2c.formats.validity import check_tokenizer
from g2c.tokenizer.base import BPEBase

TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "tokenizer_config.json"
TEMPLATE_FILE = "chat_template.jinja"
MANIFEST_FILE = "manifest.json"

MAX_JSON = 32 * 2**20
"""The size limit in bytes for the JSON files beside tokenizer.json, whose limit is `MAX_TOKENIZER_JSON`."""


def size_limit(name: str) -> int:
    """Return the size in bytes up to which one of these files is read."""
    return MAX_TOKENIZER_JSON if name == TOKENIZER_FILE else MAX_JSON


def save(tokenizer: BPEBase, path: str | os.PathLike[str]) -> Path:
    """Write a tokenizer as tokenizer.json, and return the path of the file: see `BPEBase.save`."""
    check_tokenizer(tokenizer)
    path = Path(path)
    single_file = path.suffix == ".json"
    file = path if single_file else path / TOKENIZER_FILE
    # A version, as in "gpt2-v1.5", is no extension.
    if not single_file and path.suffix[1:2].isalpha() and not path.is_dir():
        raise ValueError(
            f"{path} ends in {path.suffix}, but a tokenizer is saved in the format of tokenizer.json. Give a path that "
            "ends in .json, or the name of a folder without an extension."
        )
    if file.name == TOKENIZER_FILE and file.with_name(MANIFEST_FILE).exists():
        raise CourseError(
            f"{file.parent} contains an artifact. Use save_artifact, which replaces all its files together."
        )
    files = render_files(tokenizer)
    content = files.pop(TOKENIZER_FILE)
    if not single_file:
        for name, data in files.items():
            write_file(path / name, [data])
        template = path / TEMPLATE_FILE
        if TEMPLATE_FILE not in files and template.is_file() and template.read_bytes() == chat_template():
            # It belongs to a tokenizer saved here earlier.
            template.unlink()
    write_file(file, [content])
    return file


def load(path: str | os.PathLike[str], cls: type[BPEBase] = BPEBase) -> BPEBase:
    """Read a tokenizer from tokenizer.json, as an object of the class `cls`: see `BPEBase.load`."""
    path = Path(path)
    file = path / TOKENIZER_FILE if path.is_dir() else path
    return parse_tokenizer(read_file(file, limit=MAX_TOKENIZER_JSON), file, cls)


def fingerprint(tokenizer: BPEBase) -> str:
    """Compute a checksum of everything that determines the IDs of a text, as 64 hexadecimal digits.

    It is the SHA-256 of a JSON list of the special tokens with their IDs and the pattern, the ID of each byte (256
    bytes; if one is above 255, 256 little-endian uint32), and the merges (two little-endian uint32 each, in the order
    learned); then, if there are any, of a JSON list of the normalization and the tokens that no merge makes. Raises
    ValueError if the merges are not valid.

    >>> fingerprint(BPETokenizer()) == fingerprint(BPETokenizer(pattern="gpt2"))
    False
    """
    table = merge_table(tokenizer)
    byte_ids = tokenizer.byte_ids
    digest = hashlib.sha256(json.dumps([tokenizer.special_to_id, tokenizer.pattern]).encode())
    digest.update(byte_ids if isinstance(byte_ids, bytes) else np.array(byte_ids, "<u4").tobytes())
    digest.update(table.ids[np.column_stack([table.left, table.right])].astype("<u4").tobytes())
    if tokenizer.normalization or tokenizer.whole_pieces:
        whole = sorted((token_id, token.hex()) for token, token_id in tokenizer.whole_pieces.items())
        digest.update(json.dumps([tokenizer.normalization, whole]).encode())
    return digest.hexdigest()


def render_files(tokenizer: BPEBase) -> dict[str, bytes]:
    """Return file name -> content for a tokenizer that `check_tokenizer` has accepted."""
    files = {TOKENIZER_FILE: to_hf_json(tokenizer), CONFIG_FILE: render_config(tokenizer)}
    return files | ({TEMPLATE_FILE: chat_template()} if has_chat_tokens(tokenizer) else {})


def render_config(tokenizer: BPEBase) -> bytes:
    """Return the content of tokenizer_config.json.

    With the course's special tokens, <|end|> is the EOS token, at which generation in a chat stops. The chat template
    is included because transformers.js and older versions of transformers do not read chat_template.jinja.
    """
    chat = has_chat_tokens(tokenizer)
    config: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    others = [token for token in tokenizer.special_tokens if token not in tokenizer.shown_tokens]
    for role, token in (("eos_token", "<|end|>" if chat else DOCUMENT_SEPARATOR), ("pad_token", "<|pad|>")):
        if token in others:
            config[role] = token
            others.remove(token)
    config["additional_special_tokens"] = others
    if chat:
        config["chat_template"] = chat_template().decode()
    return json_bytes(config)


def json_bytes(value: dict[str, Any]) -> bytes:
    """Return the content of a JSON file: indented, in UTF-8, with a newline at the end."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


_OTHER_TEXTS = {
    rb"#version|[^\s\[{]{1,2} \S{1,2}\r?\n": "It lists merges, as GPT-2's vocab.bpe and merges.txt; the IDs of tokens "
    "are in another file. load_gpt2() reads both files of GPT-2.",
    rb"[\w+/=]+ \d+\r?\n": "It is a table of tiktoken. BPETokenizer.from_tiktoken_file reads it.",
    rb"\n.\n.<\w+>": "It is a model of SentencePiece; sentencepiece.SentencePieceProcessor opens it.",
    rb"version https://git-lfs": "It is a pointer of Git LFS; `git lfs pull` fetches the file to which it points.",
}
"""How a file that is not JSON begins -> what kind it is, and what reads it."""


def _other_kind(content: Any) -> str | None:
    """Say which other kind of file has this JSON, and what reads it; None if it may be a tokenizer."""
    if not isinstance(content, dict):
        return f"It holds {repr(content)}, but a tokenizer.json is an object with a part named model."
    # Checked before "model", which is a token of GPT-2.
    if content and all(type(token_id) is int for token_id in content.values()):
        return (
            "It has the ID of each token, but no merges, as GPT-2's encoder.json and vocab.json, whose merges are in "
            "another file. load_gpt2() reads both files of GPT-2; BPETokenizer.from_vocab takes any vocabulary with "
            "its merges."
        )
    if "bpe_ranks" in content:
        return (
            "It is a table of tiktoken in JSON, with ranks as text. Get the same table as a .tiktoken file, and read "
            "it with BPETokenizer.from_tiktoken_file."
        )
    model = content.get("model")
    if isinstance(model, dict) and (kind := model.get("type")) in ("WordPiece", "Unigram"):
        return f"It is a {kind} tokenizer, which load_{kind.lower()} of g2c.formats.subword_json reads."
    if "model" in content or _is_tekken(content):
        return None
    return f"It has no part named model, as a tokenizer.json has; its parts are {repr(list(content))}."


def _is_tekken(content: dict[str, Any]) -> bool:
    """Tell whether this is a tekken.json, Mistral's format for byte-level BPE."""
    return {"config", "vocab"} <= content.keys() and isinstance(content["vocab"], list)


def parse_tokenizer(data: bytes, file: Path, cls: type[BPEBase]) -> BPEBase:
    """Make the tokenizer that the content of a tokenizer.json describes. Messages of errors name `file`."""
    kind = next((kind for begins, kind in _OTHER_TEXTS.items() if re.match(begins, data)), None)
    content: Any = None if kind else parse_json(data, file)
    if kind := kind or _other_kind(content):
        raise FileFormatError(f"{file}: {kind}")
    try:
        return from_tekken(content, cls) if _is_tekken(content) else from_hf_dict(content, cls)
    except UnsupportedTokenizer as error:
        raise FileFormatError(
            f"{file}: {error} A BPETokenizer cannot represent this tokenizer; open the file with "
            "tokenizers.Tokenizer.from_file."
        ) from None
    except ValueError as error:
        raise FileFormatError(
            f"{file}: {error} The file is damaged or was edited; save it again, or copy it again from its source."
        ) from None
