"""Tokens as printable text: safe on one line, and different for different tokens."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.common.text import token_text


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (b" the ", "␣the␣"),
        (b"\n\x1b[31m", "\\n\\x1b[31m"),
        ("é中👋".encode(), "é中👋"),
        (b"\\n", "\\\\n"),
        ("␣".encode(), "\\u2423"),
        ("\u200b\u202e\u00a0\U000e0001".encode(), "\\u200b\\u202e\\u00a0\\U000e0001"),
        ("\u0301".encode(), "◌\u0301"),
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
    ],
)
def test_token_text(token, shown):
    assert token_text(token) == shown


@given(st.binary(max_size=12))
def test_token_text_is_always_safe_to_print(token):
    shown = token_text(token)
    assert token_text(token, longest=4) == (shown if len(shown) <= 4 else f"{shown[:3]}…")
    assert shown.isprintable() and " " not in shown
    assert not shown or not unicodedata.category(shown[0]).startswith("M")


@given(st.binary(max_size=6), st.binary(max_size=6))
def test_different_tokens_are_shown_differently(one, other):
    assert (token_text(one) == token_text(other)) == (one == other)
