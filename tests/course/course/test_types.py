"""Every function of the course is annotated, and mypy finds no contradiction. Its rules are in pyproject.toml."""

import subprocess
import sys

import pytest

from g2c.common.paths import REPOSITORY

pytest.importorskip("mypy", reason="types are checked by mypy: pip install -e '.[check]'")


def test_mypy_has_nothing_to_say():
    checked = subprocess.run([sys.executable, "-m", "mypy"], cwd=REPOSITORY, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
