"""g2c, ground to chat: a course that builds a chat model from nothing. This package has its tokenizers.

It contains modules 04 to 04g, every way from text to token IDs that matters, and module 05, a first language model on
these IDs; with the fast engine, the file formats and the commands around them. The package coach, beside it, runs the
course.
"""

__version__ = "0.5.0"
"""The version of the course. pyproject.toml reads it from here, and CHANGELOG.md says what each version changed."""
