"""Writing and reading tokenizer.json for WordPiece and Unigram, through Hugging Face `tokenizers`."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

import g2c.tokenizer
from g2c.common.errors import FileFormatError
from g2c.common.files import read_file, write_file
from g2c.common.table_limits import MAX_TOKENIZER_JSON, MAX_TOKENS
from g2c.tokenizer.unigram import UnigramTokenizer
from g2c.tokenizer.wordpiece import BERT_SPECIAL_TOKENS, PREFIX, WordPieceTokenizer

FIRST, LAST = "[CLS]", "[SEP]"

_Tokenizer = TypeVar("_Tokenizer", WordPieceTokenizer, UnigramTokenizer)


def save_wordpiece(tokenizer: WordPieceTokenizer, path: str | os.PathLike[str]) -> Path:
    """Write a WordPiece tokenizer as tokenizer.json, and return the path.

    Libraries that read it give the IDs of `tokenizer.encode`, except that they recognize special tokens in a text. They
    add [CLS] and [SEP], if the vocabulary has them, unless `add_special_tokens` is False.
    """
    return _write(_wordpiece(tokenizer), path)


def _wordpiece(tokenizer: WordPieceTokenizer) -> tokenizers.Tokenizer:
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
    return library


def load_wordpiece(path: str | os.PathLike[str]) -> WordPieceTokenizer:
    """Read a WordPiece tokenizer from tokenizer.json. Raises MissingFileError or FileFormatError."""

    def build(content: dict[str, Any]) -> WordPieceTokenizer:
        model, normalizer = content["model"], content["normalizer"] or {}
        return g2c.tokenizer.WordPieceTokenizer(
            sorted(model["vocab"], key=model["vocab"].__getitem__),
            unk_token=model["unk_token"],
            lowercase=normalizer.get("lowercase", True),
            max_input_chars_per_word=model["max_input_chars_per_word"],
        )

    return _load(path, "WordPiece", build, _wordpiece)


def save_unigram(tokenizer: UnigramTokenizer, path: str | os.PathLike[str]) -> Path:
    """Write a Unigram tokenizer as tokenizer.json, and return the path.

    Libraries that read it give the IDs of `tokenizer.encode`, except that they recognize the unknown token in a text.
    """
    return _write(_unigram(tokenizer), path)


def _unigram(tokenizer: UnigramTokenizer) -> tokenizers.Tokenizer:
    # The unknown token's score is not used. It is 0, because the library derives others from the lowest score.
    scores = {**tokenizer.scores, tokenizer.unk_token: 0.0}
    library = tokenizers.Tokenizer(models.Unigram(list(scores.items()), tokenizer.token_to_id[tokenizer.unk_token]))
    library.pre_tokenizer, library.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    library.add_special_tokens([tokenizer.unk_token])
    return library


def load_unigram(path: str | os.PathLike[str]) -> UnigramTokenizer:
    """Read a Unigram tokenizer from tokenizer.json. Raises MissingFileError or FileFormatError."""

    def build(content: dict[str, Any]) -> UnigramTokenizer:
        scores, unk_id = content["model"]["vocab"], content["model"]["unk_id"]
        if unk_id is None:
            raise ValueError("unk_id names no unknown token.")
        return g2c.tokenizer.UnigramTokenizer(dict(scores), unk_token=scores[unk_id][0])

    return _load(path, "Unigram", build, _unigram)


def _write(library: tokenizers.Tokenizer, path: str | os.PathLike[str]) -> Path:
    write_file(Path(path), [library.to_str(pretty=True).encode()])
    return Path(path)


def _load(
    path: str | os.PathLike[str],
    kind: str,
    build: Callable[[dict[str, Any]], _Tokenizer],
    library_of: Callable[[_Tokenizer], tokenizers.Tokenizer],
) -> _Tokenizer:
    """Read a tokenizer from a tokenizer.json, and check that the library would encode texts in the same way with both.

    `build` gets the file's content as the library completes it; `library_of` makes the content that would be saved.
    """
    data = read_file(Path(path), limit=MAX_TOKENIZER_JSON)
    try:
        library = tokenizers.Tokenizer.from_str(data.decode())
    except Exception as error:
        raise FileFormatError(f"{path} cannot be read by the tokenizers library: {error}.") from None
    # The library would list all IDs between the tokens'.
    highest = max(library.get_vocab().values(), default=0)
    if highest >= MAX_TOKENS:
        raise FileFormatError(f"{path} has a token with the ID {highest:,}, but IDs must be below {MAX_TOKENS:,}.")
    content: dict[str, Any] = json.loads(library.to_str())
    if content["model"]["type"] != kind:
        raise FileFormatError(f"{path} does not describe a {kind} tokenizer: its model is of another type.")
    try:
        tokenizer = build(content)
    except ValueError as error:
        raise FileFormatError(f"{path}: {error}") from None
    ours = json.loads(library_of(tokenizer).to_str())
    expected = ours | ours["model"] | {"vocab": tokenizer.token_to_id}
    found = content | content["model"] | {"vocab": library.get_vocab()}
    for name in ("normalizer", "pre_tokenizer", *content["model"]):
        if found[name] != expected[name]:
            raise FileFormatError(
                f"{path}: a {kind}Tokenizer has another {name}, so a text could get other IDs. Open the file with "
                "tokenizers.Tokenizer.from_file."
            )
    return tokenizer
