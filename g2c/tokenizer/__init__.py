"""The public names of module 04, and the one place that picks between the student's code and the answer key.

Exercise files are imported when a name of theirs is first asked for: a syntax error in one of them leaves the other
modules working.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from g2c.course.answer_key import EXERCISE_FILES, modules_with_key
from g2c.course.exercises import modules
from g2c.tokenizer.base import BOUNDARY
from g2c.tokenizer.patterns import PATTERNS
from g2c.tokenizer.special_tokens import COURSE_SPECIAL_TOKENS

if TYPE_CHECKING:
    from g2c.tokenizer.batch_loader import BatchLoader
    from g2c.tokenizer.bpe import BPETokenizer
    from g2c.tokenizer.char_word import CharTokenizer, WordTokenizer
    from g2c.tokenizer.chat import encode_chat
    from g2c.tokenizer.persistence import (
        Artifact,
        fingerprint,
        load,
        load_artifact,
        load_token_ids,
        save,
        save_artifact,
        save_token_ids,
    )
    from g2c.tokenizer.pretrained import load_bert, load_cl100k, load_gpt2, load_tokenizer_json
    from g2c.tokenizer.word_bpe import WordBPETokenizer

_EXERCISES = {name: module.id for module in modules().values() for name in module.public_names}

_GIVEN = {
    "Artifact": "persistence",
    "fingerprint": "persistence",
    "load": "persistence",
    "load_artifact": "persistence",
    "load_token_ids": "persistence",
    "save": "persistence",
    "save_artifact": "persistence",
    "save_token_ids": "persistence",
    "BatchLoader": "batch_loader",
    "encode_chat": "chat",
    "load_bert": "pretrained",
    "load_cl100k": "pretrained",
    "load_gpt2": "pretrained",
    "load_tokenizer_json": "pretrained",
}
"""Public name -> the module that it comes from. Imported when it is asked for."""

__all__ = ["BOUNDARY", "COURSE_SPECIAL_TOKENS", "PATTERNS", *_EXERCISES, *_GIVEN]


def __getattr__(name: str):
    if name in _GIVEN:
        return getattr(import_module(f"g2c.tokenizer.{_GIVEN[name]}"), name)
    if name not in _EXERCISES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module_id = _EXERCISES[name]
    package = "g2c.solutions" if module_id in modules_with_key() else "g2c.tokenizer"
    value = getattr(import_module(f"{package}.{EXERCISE_FILES[module_id]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
