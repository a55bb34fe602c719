"""The errors that the course defines. The message says what is wrong, where, and what to do."""


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
