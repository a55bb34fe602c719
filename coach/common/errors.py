"""The errors that commands print as sentences. The message says what is wrong, where, and what to do."""

import contextlib
import difflib
import os
from collections.abc import Collection, Iterator


class CourseError(Exception):
    """The base class. The `g2c` command prints the message and exits with status 1, without a traceback."""


class FileFormatError(CourseError, ValueError):
    """A file is truncated, was edited, or is not of the kind that its name says."""


class MissingFileError(CourseError, FileNotFoundError):
    """A file does not exist, or may not be read."""


class SavingError(CourseError, OSError):
    """A file could not be written, for instance because the disk is full. The previous content is still there."""


@contextlib.contextmanager
def best_effort() -> Iterator[None]:
    """Ignore errors in a part that a report can do without. With `G2C_DEBUG=1`, as in tests, raise them."""
    try:
        yield
    except Exception:
        if os.environ.get("G2C_DEBUG") == "1":
            raise


def nearest(name: str, names: Collection[str]) -> str:
    """Return the one of `names` that `name` was probably meant to be; "" if none is near.

    >>> nearest("encod", ["encode", "decode"]), nearest("nope", ["encode"])
    ('encode', '')
    """
    lower = {each.lower(): each for each in names}
    return next((lower[each] for each in difflib.get_close_matches(name.lower(), lower, 1)), "")


def did_you_mean(name: str, names: Collection[str]) -> str:
    """Return a question with the nearest name, to put after a sentence; "" if none is near."""
    found = nearest(name, names)
    return f" Did you mean {found}?" if found else ""
