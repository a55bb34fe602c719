"""`lab(...)` in a notebook: a still picture always, and a frame with the running view where somebody looks."""

import urllib.request

import pytest

from g2c.lab import notebook
from g2c.lab.notebook import lab


@pytest.fixture(autouse=True)
def nobody_looks(monkeypatch):
    for variable in notebook._FRONT_ENDS:
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("view", notebook.VIEWS)
def test_where_nobody_looks_there_is_a_still_picture_that_is_always_the_same(view):
    shown = lab(view, "the cat <b> & the cat")
    assert shown._repr_html_() == lab(view, "the cat <b> & the cat")._repr_html_()
    assert "<iframe" not in shown._repr_html_() and "<script" not in shown._repr_html_()
    assert "&amp;" in shown._repr_html_() and "│" in repr(shown)


def test_the_still_picture_of_merge_shows_the_first_merges():
    assert "After merge 2\n│the│␣│the│␣│the│" in repr(lab("merge", "the the the"))


def test_another_view_is_refused():
    with pytest.raises(ValueError, match="type, merge, encode"):
        lab("marge")


def test_where_somebody_looks_the_view_runs_in_a_frame(monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "04-tokenizer.ipynb")
    shown = lab("merge", "</script><i>")
    assert "</script><i>" not in shown._repr_html_()
    address = shown.address
    assert lab("type").address == address, "one lab serves all cells of a notebook"
    with urllib.request.urlopen(address) as response:
        assert "<title>g2c lab</title>" in response.read().decode()
