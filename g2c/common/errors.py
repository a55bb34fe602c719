"""The errors that the course raises itself. Each carries one sentence: what is wrong, where, and what to do."""


class CourseError(Exception):
    """Base of all of them. The `g2c` command prints its sentence and exits with 1, without a traceback."""


class FileFormatError(CourseError, ValueError):
    """A file is cut short, edited, or of another kind than its name says."""


class CorpusError(CourseError):
    """A corpus is missing, empty, not UTF-8, or could not be fetched."""


class VocabularyNotReached(UserWarning):
    """Training ran out of pairs before the vocabulary had the size asked for. The tokenizer is complete and usable."""


class MissingFileError(CourseError, FileNotFoundError):
    """A file that should be read is not there, or may not be read."""


class SavingError(CourseError, OSError):
    """A file could not be written, for instance because the disk is full. What was there before is still there."""
