"""tokenizer.json for WordPiece and Unigram, as Hugging Face `tokenizers` and transformers read and write it.

The format is that of the library's Rust structs: models/wordpiece/serialization.rs and models/unigram/serialization.rs.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import g2c.tokenizer
from g2c.common.errors import FileFormatError
from g2c.common.files import parse_json, read_file, write_file
from g2c.common.table_limits import MAX_TOKENIZER_JSON
from g2c.formats.hf_format import special_entry
from g2c.tokenizer.unigram import SPACE, UnigramTokenizer
from g2c.tokenizer.wordpiece import BERT_SPECIAL_TOKENS, PREFIX, WordPieceTokenizer

FIRST, LAST = "[CLS]", "[SEP]"
_METASPACE = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True}


def save_wordpiece(tokenizer: WordPieceTokenizer, path: str | os.PathLike[str]) -> Path:
    """Write a WordPiece tokenizer as tokenizer.json.

    A library that reads it gives the IDs of `tokenizer.encode`, and adds [CLS] and [SEP] when the vocabulary has them
    and `add_special_tokens` is true, its default. It recognizes special tokens that are written out in a text, which
    `encode` does not.

    Args:
        tokenizer: any WordPieceTokenizer.
        path: the file.

    Returns:
        the path.

    Raises:
        SavingError: the disk is full, the folder is read-only, ...
    """
    vocab = tokenizer.token_to_id
    special = [token for token in vocab if token in (*BERT_SPECIAL_TOKENS, tokenizer.unk_token)]
    ends = None
    if FIRST in vocab and LAST in vocab:
        ends = {"type": "BertProcessing", "sep": [LAST, vocab[LAST]], "cls": [FIRST, vocab[FIRST]]}
    return _save(
        path,
        {
            "added_tokens": [special_entry(vocab[token], token) for token in special],
            "normalizer": {
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": None,
                "lowercase": tokenizer.lowercase,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": ends,
            "decoder": {"type": "WordPiece", "prefix": PREFIX, "cleanup": False},
            "model": {
                "type": "WordPiece",
                "unk_token": tokenizer.unk_token,
                "continuing_subword_prefix": PREFIX,
                "max_input_chars_per_word": tokenizer.max_input_chars_per_word,
                "vocab": vocab,
            },
        },
    )


def load_wordpiece(path: str | os.PathLike[str], cls: type[WordPieceTokenizer] | None = None) -> WordPieceTokenizer:
    """Read a WordPiece tokenizer from tokenizer.json.

    Args:
        path: the file.
        cls: the class of the tokenizer; None for `g2c.tokenizer.WordPieceTokenizer`.

    Raises:
        MissingFileError: there is no such file.
        FileFormatError: the file is damaged, or describes another kind of tokenizer.
    """
    with _reading(path, "WordPiece") as (content, model):
        normalizer, vocab = content.get("normalizer"), model.get("vocab")
        if not isinstance(normalizer, Mapping) or normalizer.get("type") != "BertNormalizer":
            raise ValueError("the normalizer is not a BertNormalizer, so its texts are split differently.")
        if model.get("continuing_subword_prefix") != PREFIX:
            raise ValueError(f"continuing_subword_prefix is not {PREFIX!r}.")
        if not isinstance(vocab, Mapping) or sorted(map(str, vocab.values())) != sorted(map(str, range(len(vocab)))):
            raise ValueError("vocab does not give the tokens the IDs from 0 on, each once.")
        return (cls or g2c.tokenizer.WordPieceTokenizer)(
            sorted(vocab, key=lambda token: vocab[token]),
            unk_token=model.get("unk_token", ""),
            lowercase=normalizer.get("lowercase") is True,
            max_input_chars_per_word=model.get("max_input_chars_per_word", 100),
        )


def save_unigram(tokenizer: UnigramTokenizer, path: str | os.PathLike[str]) -> Path:
    """Write a Unigram tokenizer as tokenizer.json.

    A library that reads it gives the IDs of `tokenizer.encode`. It recognizes the unknown token when it is written out
    in a text, which `encode` does not.

    Args:
        tokenizer: any UnigramTokenizer.
        path: the file.

    Returns:
        the path.

    Raises:
        SavingError: the disk is full, the folder is read-only, ...
    """
    unk_id = tokenizer.token_to_id[tokenizer.unk_token]
    # The score of the unknown token is not used; 0 keeps it from being the lowest, which others are derived from.
    vocab = [[token, 0.0 if token == tokenizer.unk_token else score] for token, score in tokenizer.scores.items()]
    return _save(
        path,
        {
            "added_tokens": [special_entry(unk_id, tokenizer.unk_token)],
            "normalizer": None,
            "pre_tokenizer": _METASPACE,
            "post_processor": None,
            "decoder": _METASPACE,
            "model": {"type": "Unigram", "unk_id": unk_id, "vocab": vocab, "byte_fallback": False},
        },
    )


def load_unigram(path: str | os.PathLike[str], cls: type[UnigramTokenizer] | None = None) -> UnigramTokenizer:
    """Read a Unigram tokenizer from tokenizer.json.

    Args:
        path: the file.
        cls: the class of the tokenizer; None for `g2c.tokenizer.UnigramTokenizer`.

    Raises:
        MissingFileError: there is no such file.
        FileFormatError: the file is damaged, or describes a tokenizer that a UnigramTokenizer cannot represent.
    """
    with _reading(path, "Unigram") as (content, model):
        if content.get("normalizer") is not None or content.get("pre_tokenizer") != _METASPACE:
            raise ValueError(
                "its texts are split in another way than a UnigramTokenizer splits them, which is Metaspace with "
                "prepend_scheme always and no normalizer."
            )
        if model.get("byte_fallback"):
            raise ValueError("byte_fallback spells unknown characters in bytes; a UnigramTokenizer does not.")
        vocab, unk_id = model.get("vocab"), model.get("unk_id")
        if not isinstance(vocab, list) or not all(
            isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str) for entry in vocab
        ):
            raise ValueError("vocab is not a list of pairs of a token and its score.")
        scores = dict(vocab)
        if len(scores) < len(vocab):
            raise ValueError("a token appears twice in vocab.")
        if type(unk_id) is not int or not 0 <= unk_id < len(vocab):
            raise ValueError(f"unk_id is {unk_id!r}, which is not the ID of a token of vocab.")
        return (cls or g2c.tokenizer.UnigramTokenizer)(scores, unk_token=vocab[unk_id][0])


def _save(path: str | os.PathLike[str], content: Mapping[str, Any]) -> Path:
    whole = {"version": "1.0", "truncation": None, "padding": None, **content}
    write_file(Path(path), [json.dumps(whole, ensure_ascii=False, indent=2).encode("utf-8")])
    return Path(path)


@contextmanager
def _reading(path: str | os.PathLike[str], kind: str) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """The content of a tokenizer.json and its model, which must be of this type. A ValueError names the file."""
    path = Path(path)
    content = parse_json(read_file(path, limit=MAX_TOKENIZER_JSON), path)
    model = content.get("model") if isinstance(content, Mapping) else None
    if not isinstance(model, Mapping) or model.get("type") != kind:
        raise FileFormatError(f"{path} does not describe a {kind} tokenizer: its model is of another type.")
    try:
        yield content, model
    except (TypeError, ValueError) as error:
        raise FileFormatError(f"{path}: {error}") from None
