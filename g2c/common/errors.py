"""The errors about tokenizers, artifacts and corpora. The message says what is wrong, where, and what to do."""

from coach.common.errors import CourseError


class UnsupportedTokenizer(ValueError):
    """A tokenizer that a BPETokenizer, or another library, cannot represent."""


class CorpusError(CourseError):
    """A corpus is missing, empty, not UTF-8, or could not be fetched."""


class VocabularyNotReached(UserWarning):
    """Training ran out of pairs before the vocabulary reached the requested size. The tokenizer is usable."""
