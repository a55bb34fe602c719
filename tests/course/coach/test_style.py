"""The code has one style, and its types agree: ruff and mypy find nothing. Their rules are in pyproject.toml."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from coach.common.paths import REPOSITORY

CACHE = REPOSITORY / ".g2c" / "mypy" / f"{sys.version_info.major}.{sys.version_info.minor}"
"""What mypy knows from an earlier run. With it a run takes seconds, without it half a minute."""


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("ruff check --no-cache .", ["ruff"]),
        ("ruff format --check --no-cache .", ["ruff"]),
        pytest.param("mypy", ["mypy", "pyarrow", "tiktoken"], marks=[] if CACHE.is_dir() else [pytest.mark.whole]),
    ],
)
def test_tools_find_nothing(command, needed):
    if not all(map(find_spec, needed)):
        pytest.skip(f"it needs {', '.join(needed)}: pip install -e '.[check,interop,corpora]'")
    done = subprocess.run([sys.executable, "-m", *command.split()], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} found this:\n{done.stdout}{done.stderr}"
