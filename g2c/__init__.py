"""g2c, ground to chat: a course that builds a chat model from nothing. This package is module 04, Tokenization."""

__version__ = "0.4.0"
