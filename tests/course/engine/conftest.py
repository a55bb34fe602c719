"""Fixtures of the engine's tests."""

import pytest

from g2c.engine import fast


@pytest.fixture(autouse=True)
def short_texts_go_through_the_loops(monkeypatch):
    """`encode_fast` encodes short texts plainly; here they are to test the loops."""
    monkeypatch.setattr(fast, "SHORT_TEXT", -1)
