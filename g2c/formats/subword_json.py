"""tokenizer.json for WordPiece and Unigram, written and read by Hugging Face `tokenizers`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

import g2c.tokenizer
from g2c.common.errors import FileFormatError
from g2c.common.files import parse_json, read_file, write_file
from g2c.common.table_limits import MAX_TOKENIZER_JSON
from g2c.tokenizer.unigram import SPACE, UnigramTokenizer
from g2c.tokenizer.wordpiece import BERT_SPECIAL_TOKENS, PREFIX, WordPieceTokenizer

FIRST, LAST = "[CLS]", "[SEP]"
_METASPACE = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True}


def save_wordpiece(tokenizer: WordPieceTokenizer, path: str | os.PathLike[str]) -> Path:
    """Write a WordPiece tokenizer as tokenizer.json.

    A library that reads it gives the IDs of `tokenizer.encode`, and adds [CLS] and [SEP] when the vocabulary has them
    and `add_special_tokens` is true, its default. It recognizes special tokens that are written out in a text, which
    `encode` does not.

    Returns:
        the path of the file.

    Raises:
        SavingError: the disk is full, the folder is read-only, ...
    """
    vocab = tokenizer.token_to_id
    library = tokenizers.Tokenizer(
        models.WordPiece(
            vocab,
            unk_token=tokenizer.unk_token,
            continuing_subword_prefix=PREFIX,
            max_input_chars_per_word=tokenizer.max_input_chars_per_word,
        )
    )
    library.normalizer = normalizers.BertNormalizer(lowercase=tokenizer.lowercase)
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece(PREFIX, cleanup=False)
    if FIRST in vocab and LAST in vocab:
        library.post_processor = processors.BertProcessing((LAST, vocab[LAST]), (FIRST, vocab[FIRST]))
    library.add_special_tokens([token for token in vocab if token in (*BERT_SPECIAL_TOKENS, tokenizer.unk_token)])
    return _write(library, path)


def load_wordpiece(path: str | os.PathLike[str]) -> WordPieceTokenizer:
    """Read a WordPiece tokenizer from tokenizer.json, as a `g2c.tokenizer.WordPieceTokenizer`.

    Raises:
        MissingFileError: there is no such file.
        FileFormatError: the file is damaged, or describes another kind of tokenizer.
    """
    with _reading(path, "WordPiece") as content:
        model, normalizer = content["model"], content.get("normalizer") or {}
        if normalizer.get("type") != "BertNormalizer":
            raise ValueError("The normalizer is not a BertNormalizer, so its texts are split differently.")
        if model["continuing_subword_prefix"] != PREFIX:
            raise ValueError(f"continuing_subword_prefix is not {PREFIX!r}.")
        vocab = sorted(model["vocab"], key=model["vocab"].__getitem__)
        if [model["vocab"][token] for token in vocab] != list(range(len(vocab))):
            raise ValueError("vocab does not give the tokens the IDs from 0 on, each once.")
        return g2c.tokenizer.WordPieceTokenizer(
            vocab,
            unk_token=model["unk_token"],
            lowercase=normalizer["lowercase"],
            max_input_chars_per_word=model["max_input_chars_per_word"],
        )


def save_unigram(tokenizer: UnigramTokenizer, path: str | os.PathLike[str]) -> Path:
    """Write a Unigram tokenizer as tokenizer.json.

    A library that reads it gives the IDs of `tokenizer.encode`. It recognizes the unknown token when it is written out
    in a text, which `encode` does not.

    Returns:
        the path of the file.

    Raises:
        SavingError: the disk is full, the folder is read-only, ...
    """
    # The score of the unknown token is not used; 0 keeps it from being the lowest, which others are derived from.
    scores = {**tokenizer.scores, tokenizer.unk_token: 0.0}
    library = tokenizers.Tokenizer(models.Unigram(list(scores.items()), tokenizer.token_to_id[tokenizer.unk_token]))
    library.pre_tokenizer, library.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    library.add_special_tokens([tokenizer.unk_token])
    return _write(library, path)


def load_unigram(path: str | os.PathLike[str]) -> UnigramTokenizer:
    """Read a Unigram tokenizer from tokenizer.json, as a `g2c.tokenizer.UnigramTokenizer`.

    Raises:
        MissingFileError: there is no such file.
        FileFormatError: the file is damaged, or describes a tokenizer that a UnigramTokenizer cannot represent.
    """
    with _reading(path, "Unigram") as content:
        model = content["model"]
        if content.get("normalizer") is not None or content.get("pre_tokenizer") != _METASPACE:
            raise ValueError(
                "Its texts are split in another way than a UnigramTokenizer splits them, which is Metaspace with "
                "prepend_scheme always and no normalizer."
            )
        if model.get("byte_fallback"):
            raise ValueError("byte_fallback spells unknown characters in bytes; a UnigramTokenizer does not.")
        scores = dict(model["vocab"])
        if len(scores) < len(model["vocab"]):
            raise ValueError("A token appears twice in vocab.")
        if model.get("unk_id") is None:
            raise ValueError("unk_id names no unknown token.")
        return g2c.tokenizer.UnigramTokenizer(scores, unk_token=model["vocab"][model["unk_id"]][0])


def _write(library: tokenizers.Tokenizer, path: str | os.PathLike[str]) -> Path:
    write_file(Path(path), [library.to_str(pretty=True).encode()])
    return Path(path)


@contextmanager
def _reading(path: str | os.PathLike[str], kind: str) -> Iterator[dict[str, Any]]:
    """The content of a tokenizer.json that the library can read, with a model of this type. A ValueError in the block
    names the file."""
    data = read_file(Path(path), limit=MAX_TOKENIZER_JSON)
    content = parse_json(data, Path(path))
    try:
        tokenizers.Tokenizer.from_str(data.decode())
    except Exception as error:
        raise FileFormatError(f"{path} cannot be read by the library tokenizers: {error}.") from None
    if content["model"].get("type") != kind:
        raise FileFormatError(f"{path} does not describe a {kind} tokenizer: its model is of another type.")
    try:
        yield content
    except ValueError as error:
        raise FileFormatError(f"{path}: {error}") from None
