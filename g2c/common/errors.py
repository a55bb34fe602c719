"""The errors that the course defines. The message says what is wrong, where, and what to do."""

import contextlib
import os
from collections.abc import Iterator


class CourseError(Exception):
    """The base class. The `g2c` command prints the message and exits with status 1, without a traceback."""


class FileFormatError(CourseError, ValueError):
    """A file is truncated, was edited, or is of another kind than its name says."""


class ArtifactNameError(CourseError, ValueError):
    """A name that no artifact can have."""


class CorpusError(CourseError):
    """A corpus is missing, empty, not UTF-8, or could not be fetched."""


class VocabularyNotReached(UserWarning):
    """Training ran out of pairs before the vocabulary reached the requested size. The tokenizer is usable."""


class MissingFileError(CourseError, FileNotFoundError):
    """A file does not exist, or may not be read."""


class SavingError(CourseError, OSError):
    """A file could not be written, for instance because the disk is full. The previous content is still there."""


@contextlib.contextmanager
def best_effort() -> Iterator[None]:
    """Drop an error in a part of a report that the report can do without. With `G2C_DEBUG=1`, as in tests, raise it."""
    try:
        yield
    except Exception:
        if os.environ.get("G2C_DEBUG") == "1":
            raise
