"""The public names of modules 04 to 04e.

Exercise files are imported when a name of theirs is first asked for: a syntax error in one of them leaves the other
modules working. Whether a name comes from the student's file or from the answer key, `load_exercise` decides.
"""

from typing import TYPE_CHECKING, Any

from g2c.common.answer_key import load_exercise
from g2c.tokenizer import forwarding
from g2c.tokenizer.base import BOUNDARY
from g2c.tokenizer.chat import encode_chat
from g2c.tokenizer.patterns import PATTERNS
from g2c.tokenizer.special_tokens import COURSE_SPECIAL_TOKENS

if TYPE_CHECKING:
    from g2c.tokenizer.batching import pad_batch
    from g2c.tokenizer.bpe import BPETokenizer
    from g2c.tokenizer.char_word import CharTokenizer, WordTokenizer
    from g2c.tokenizer.forwarding import (
        Artifact,
        BatchLoader,
        fingerprint,
        load,
        load_artifact,
        load_bert,
        load_cl100k,
        load_gpt2,
        load_token_ids,
        load_tokenizer_json,
        save,
        save_artifact,
        save_token_ids,
    )
    from g2c.tokenizer.incremental import apply_merge, build_tables, train_incremental
    from g2c.tokenizer.pretrained import byte_characters, character_spans, merges_from_ranks
    from g2c.tokenizer.word_bpe import WordBPETokenizer

EXERCISES = {
    "BPETokenizer": ("bpe", "04"),
    "CharTokenizer": ("char_word", "04a"),
    "WordTokenizer": ("char_word", "04a"),
    "WordBPETokenizer": ("word_bpe", "04b"),
    "pad_batch": ("batching", "04c"),
    "byte_characters": ("pretrained", "04d"),
    "merges_from_ranks": ("pretrained", "04d"),
    "character_spans": ("pretrained", "04d"),
    "build_tables": ("incremental", "04e"),
    "apply_merge": ("incremental", "04e"),
    "train_incremental": ("incremental", "04e"),
}
"""Public name -> the exercise file that defines it, and the ID of its module. `g2c dev check` compares it with
exercises.toml, which this package does not read: importing it should take no longer than it must."""

__all__ = ["BOUNDARY", "COURSE_SPECIAL_TOKENS", "PATTERNS", "encode_chat", *EXERCISES, *forwarding.PUBLIC_NAMES]


def __getattr__(name: str) -> Any:
    if name in EXERCISES:
        value = load_exercise(__name__, *EXERCISES[name], name)
        globals()[name] = value
        return value
    if name in forwarding.PUBLIC_NAMES:
        return forwarding.public_name(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
