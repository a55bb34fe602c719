"""The public names of modules 04 to 04g.

An exercise file is imported when one of its names is first used, so a syntax error in one file leaves the other modules
working. `load_exercise` decides whether a name comes from the student's file or from the answer key.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coach.common.answer_key import load_exercise
from g2c.tokenizer import above
from g2c.tokenizer.above import *
from g2c.tokenizer.above import UPPER_ROOMS
from g2c.tokenizer.base import BOUNDARY as BOUNDARY
from g2c.tokenizer.patterns import PATTERNS as PATTERNS
from g2c.tokenizer.special_tokens import COURSE_SPECIAL_TOKENS as COURSE_SPECIAL_TOKENS

if TYPE_CHECKING:
    # For type checkers and editors, which do not run `__getattr__`.
    from g2c.tokenizer.batching import *
    from g2c.tokenizer.bpe import *
    from g2c.tokenizer.char_word import *
    from g2c.tokenizer.incremental import *
    from g2c.tokenizer.pretrained import *
    from g2c.tokenizer.unigram import *
    from g2c.tokenizer.word_bpe import *
    from g2c.tokenizer.wordpiece import *

EXERCISES = {
    "BPETokenizer": ("bpe", "04"),
    "CharTokenizer": ("char_word", "04a"),
    "WordTokenizer": ("char_word", "04a"),
    "WordBPETokenizer": ("word_bpe", "04b"),
    "windows": ("batching", "04c"),
    "loss_mask": ("batching", "04c"),
    "document_windows": ("batching", "04c"),
    "byte_characters": ("pretrained", "04d"),
    "merges_from_ranks": ("pretrained", "04d"),
    "character_spans": ("pretrained", "04d"),
    "build_tables": ("incremental", "04e"),
    "apply_merge": ("incremental", "04e"),
    "train_incremental": ("incremental", "04e"),
    "WordPieceTokenizer": ("wordpiece", "04f"),
    "UnigramTokenizer": ("unigram", "04g"),
}
"""Public name -> the exercise file that defines it, and the ID of its module.

A test compares this with course.toml. Reading the file here would slow down the import.
"""

__all__ = ["BOUNDARY", "COURSE_SPECIAL_TOKENS", "PATTERNS", *EXERCISES, *UPPER_ROOMS, *above.__all__]


def __getattr__(name: str) -> Any:
    if name in EXERCISES:
        value = load_exercise(__name__, *EXERCISES[name], name)
        globals()[name] = value
        return value
    if name in UPPER_ROOMS:
        return getattr(import_module(UPPER_ROOMS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
