"""g2c, ground to chat: a course that builds a chat model from nothing. This package is module 04, Tokenization."""

__version__ = "0.5.0"
"""The version of the course. pyproject.toml reads it from here, and CHANGELOG.md says what each version changed."""
