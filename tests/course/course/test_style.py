"""The code has one style: ruff finds nothing to say about it. Its rules are in pyproject.toml."""

import subprocess
import sys

import pytest

from g2c.common.paths import REPOSITORY

pytest.importorskip("ruff", reason="the style is checked by ruff: pip install -e '.[check]'")


@pytest.mark.parametrize(
    "command, remedy",
    [(["check"], "ruff check --fix mends some of it"), (["format", "--check"], "ruff format mends it")],
    ids=["rules", "layout"],
)
def test_ruff_has_nothing_to_say(command, remedy):
    finished = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--no-cache", "."], cwd=REPOSITORY, capture_output=True, text=True
    )
    found = finished.stdout + finished.stderr
    assert finished.returncode == 0, f"ruff {' '.join(command)} found this; {remedy}.\n{found}"
