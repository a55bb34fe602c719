"""What `g2c status` says of corpora and artifacts."""

import json

import pytest

from g2c import commands


@pytest.fixture
def shown(monkeypatch, tmp_path, capsys):
    """A function that returns what `g2c status` prints, with the corpora and the artifacts of `tmp_path`."""
    monkeypatch.setenv("G2C_DATA", str(tmp_path))
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))

    def show() -> str:
        assert commands.main(["status"]) == 0
        return capsys.readouterr().out

    return show


def test_status_lists_corpora_and_artifacts_sound_and_damaged_ones(shown, tmp_path):
    manifest = {"corpus": {"name": "plays"}, "tokenizer": {"vocab_size": 300}, "ids": {"count": 1234}, "train": {}}
    for name, text in ("My Broken", "{"), ("Mine", json.dumps(manifest)):
        (tmp_path / "artifacts" / name).mkdir(parents=True)
        (tmp_path / "artifacts" / name / "manifest.json").write_text(text, encoding="utf-8")
    (tmp_path / "tinyshakespeare.txt").write_text("To be, or not to be", encoding="utf-8")
    text = shown()
    assert "✓ tinyshakespeare      0.0 MB" in text and "tinystories" not in text
    assert "✗ My Broken " in text and "g2c verify 'My Broken'" in text
    assert "✓ Mine                 300 tokens, 1,234 IDs, trained on plays" in text


def test_without_corpora_and_artifacts_status_says_how_to_fetch_some(shown):
    text = shown()
    assert "none fetched yet: ./datasets.sh --list shows what there is" in text and "none saved yet" in text
