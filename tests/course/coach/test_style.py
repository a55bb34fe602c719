"""The code has one style, and its types agree: ruff and mypy find nothing. Their rules are in pyproject.toml."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from coach.common.paths import REPOSITORY


@pytest.mark.parametrize("command", ["ruff check --no-cache .", "ruff format --check --no-cache .", "mypy"])
def test_tools_find_nothing(command):
    if not all(map(find_spec, ("ruff", "mypy", "pyarrow", "tiktoken"))):
        pytest.skip("it needs ruff, mypy, pyarrow and tiktoken: pip install -e '.[check,interop,corpora]'")
    done = subprocess.run([sys.executable, "-m", *command.split()], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} found this:\n{done.stdout}{done.stderr}"
