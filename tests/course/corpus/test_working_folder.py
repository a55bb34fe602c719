"""Unfinished work after kills at any step and changes between runs: the next run makes the right files, or refuses."""

import os
import subprocess
import sys

from g2c.common.paths import REPOSITORY
from support import faulty_runs


def test_after_any_faults_the_files_are_the_same_or_it_is_refused(tmp_path):
    """G2C_FAULTS=200 for more of them. The script asserts what has to be true after each run."""
    command = [sys.executable, faulty_runs.__file__, tmp_path, os.environ.get("G2C_FAULTS", "6")]
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"}
    result = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
