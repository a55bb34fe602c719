"""The public names of module 05: a language model on the token IDs of module 04."""

from typing import TYPE_CHECKING, Any

from coach.common.answer_key import load_exercise

if TYPE_CHECKING:
    from g2c.language_model.ngram import NGramModel as NGramModel

EXERCISES = {"NGramModel": ("ngram", "05")}
"""Public name -> the exercise file that defines it, and the ID of its module."""

__all__ = ["NGramModel"]


def __getattr__(name: str) -> Any:
    if name in EXERCISES:
        value = load_exercise(__name__, *EXERCISES[name], name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
