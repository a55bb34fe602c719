"""Writing and reading the files that describe a tokenizer: tokenizer.json, and those for transformers beside it."""

import json
import os
import re
from pathlib import Path
from typing import Any

import tokenizers

from coach.common.errors import CourseError, FileFormatError
from coach.common.files import read_file, write_file
from g2c.common.errors import UnsupportedTokenizer
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.formats.chat import chat_template, has_chat_tokens
from g2c.formats.hf_format import from_library, render
from g2c.formats.kept import MIN_SIZE, kept_table
from g2c.formats.table import Table, Tokenizer
from g2c.tokenizer.base import BPEBase

TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "tokenizer_config.json"
MANIFEST_FILE = "manifest.json"


def save(tokenizer: BPEBase, path: str | os.PathLike[str]) -> Path:
    """Write the tokenizer as tokenizer.json, the format of Hugging Face `tokenizers`, and return the file's path.

    A path that ends in .json is the file. Any other is a folder for tokenizer.json and tokenizer_config.json, which
    transformers' `AutoTokenizer` needs beside it. Raises ValueError if the tokenizer's state is not valid, CourseError
    if the folder contains an artifact, whose other files would no longer match, and SavingError if writing fails.
    """
    table, path = Table.checked(tokenizer), Path(path)
    single_file = path.suffix == ".json"
    file = path if single_file else path / TOKENIZER_FILE
    if file.name == TOKENIZER_FILE and file.with_name(MANIFEST_FILE).exists():
        raise CourseError(
            f"{file.parent} contains an artifact. Use save_artifact, which replaces all its files together."
        )
    files = render_files(table)
    if not single_file:
        write_file(path / CONFIG_FILE, [files[CONFIG_FILE]])
    write_file(file, [files[TOKENIZER_FILE]])
    return file


def load(cls: type[Tokenizer], path: str | os.PathLike[str]) -> Tokenizer:
    """Read a tokenizer from tokenizer.json, or from the folder that contains it.

    Every text gets the same IDs as from `tokenizers`. Raises MissingFileError if there is no such file, and
    FileFormatError if it is damaged, or if a BPETokenizer cannot represent it; see docs/files-reference.md.
    """
    path = Path(path)
    file = path / TOKENIZER_FILE if path.is_dir() else path
    return table_of_file(read_file(file), file).tokenizer(cls)


def table_of_file(data: bytes, file: Path) -> Table:
    """Do what `parse_tokenizer` does, or return the table that was kept when it last did."""

    def make() -> Table:
        table = parse_tokenizer(data, file)
        # Smaller files are not kept, and rendering them again takes as long as this comparison.
        if len(data) >= MIN_SIZE and render(table).encode() == data:
            vars(table)["file"] = data
        return table

    return kept_table(file.stem, [data], make)


def render_files(table: Table) -> dict[str, bytes]:
    """Return file name -> content for a table that was checked."""
    return {TOKENIZER_FILE: table.file or render(table).encode(), CONFIG_FILE: render_config(table)}


def render_config(table: Table) -> bytes:
    """Return the content of tokenizer_config.json, with a chat template if the table has the course's special tokens.
    A chat stops at its EOS token, <|end|>."""
    chat = has_chat_tokens(table.special_to_id)
    config: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    others = [token for token in table.special_to_id if token not in table.shown]
    for role, token in (("eos_token", "<|end|>" if chat else DOCUMENT_SEPARATOR), ("pad_token", "<|pad|>")):
        if token in others:
            config[role] = token
            others.remove(token)
    config["additional_special_tokens"] = others
    if chat:
        config["chat_template"] = chat_template()
    return json_bytes(config)


def json_bytes(value: dict[str, Any]) -> bytes:
    """Return the content of a JSON file: indented, in UTF-8, with a newline at the end."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def parse_tokenizer(data: bytes, file: Path) -> Table:
    """Make the table that the content of a tokenizer.json describes. Messages of errors name `file`."""
    if b'"merges"' in data and re.search(rb'"continuing_subword_prefix"\s*:\s*"[^"]', data):
        # The library cuts it off with as many bytes as it has, and ends the process if that is inside a character.
        raise FileFormatError(
            f"{file}: model.continuing_subword_prefix is not empty; only a tokenizer without it is supported."
        )
    try:
        library = tokenizers.Tokenizer.from_str(data.decode())
        expected = {entry["content"]: entry.get("id") for entry in json.loads(data).get("added_tokens") or ()}
    except BaseException as error:
        # At a damaged normalizer, Rust panics, with a BaseException.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise FileFormatError(
            f"{file} cannot be read as a tokenizer.json: {error}. It is truncated, was edited, or is of another kind, "
            "such as a vocab.json, merges.txt, .tiktoken, tekken.json or SentencePiece model. Copy it again from its "
            "source, or give the tokenizer.json."
        ) from None
    try:
        for token, token_id in expected.items():
            if (given := library.token_to_id(token)) != token_id:
                raise UnsupportedTokenizer(
                    f"The added token {token!r} should have the ID {token_id}, but the library gives it {given}: its "
                    "ID in model.vocab, or else the next free one."
                )
        return from_library(library)
    except ValueError as error:
        raise FileFormatError(
            f"{file}: {error} A BPETokenizer cannot represent this tokenizer; open the file with "
            "tokenizers.Tokenizer.from_file."
        ) from None
