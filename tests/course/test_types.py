"""Every function of the course is annotated, and mypy finds no contradiction. Its rules are in pyproject.toml."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from g2c.common.paths import REPOSITORY

LIBRARIES = ("mypy", "pyarrow", "tiktoken")
CACHE = REPOSITORY / ".g2c" / "mypy" / f"{sys.version_info.major}.{sys.version_info.minor}"
"""What mypy knows from an earlier run. With it a run takes seconds, without it half a minute."""

pytestmark = [] if CACHE.is_dir() else [pytest.mark.whole]


@pytest.mark.skipif(
    not all(map(find_spec, LIBRARIES)), reason="types are checked where all groups are installed, as ./check.sh does"
)
def test_mypy_has_nothing_to_say():
    checked = subprocess.run([sys.executable, "-m", "mypy"], cwd=REPOSITORY, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
