"""The benchmarks: one command measures, and says who is left out and why."""

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

from g2c.common.paths import REPOSITORY
from g2c.corpus.corpora import pydocs_topics


@pytest.mark.whole
def test_one_command_measures_and_writes_a_page(tmp_path):
    results = tmp_path / "results"
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("".join(pydocs_topics()), encoding="utf-8")
    script = REPOSITORY / "benchmarks" / "run.py"
    command = [sys.executable, script, "--corpus", corpus, "--sizes", "20kB,50kB", "--runs", "1"]
    done = subprocess.run([*command, "--results", results], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = (results / "results.md").read_text()
    for part in json.loads((results / "measurements.json").read_text()).values():
        for result in part["races"][0]["results"]:
            name, reason = result["name"], result["left_out"]
            assert bool(result["seconds"]) != bool(reason), f"{name}: {result}"
            assert f"| {name} |" in page or f"- {name}: left out; {reason}." in page
            if find_spec(name) is None and not name.startswith(("train_", "g2c")):
                assert reason
    assert "| train_exact |" in page and "| train_fast |" in page and "| g2c encode |" in page
