"""The benchmarks: they run, believe only right outputs, and say who is left out and why."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from g2c.corpus.corpora import pydocs_topics

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"

RIVALS = """
import time

def right(task, out):
    out.write_text("right")

def wrong(task, out):
    out.write_text("wrong")

def changing(task, out):
    out.write_text(str(time.time()))

def failing(task, out):
    raise SystemExit("the library does not like this text")

def slow(task, out):
    time.sleep(60)
"""


@pytest.fixture
def contest(monkeypatch, tmp_path):
    """The module benchmarks/contest.py; and a module `rivals` with contenders of every kind."""
    (tmp_path / "rivals.py").write_text(RIVALS)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(BENCHMARKS), str(tmp_path)]))
    import contest

    yield contest
    for name in ("contest", "rivals", "report"):
        sys.modules.pop(name, None)


@pytest.fixture
def compete(contest, tmp_path):
    """Let contenders, given by the names of their functions in `rivals`, do two runs of nothing: name -> result."""
    import rivals

    def run(*names, limit=30, left_out=(), **packages):
        contenders = [
            contest.Contender(name, getattr(rivals, name), (packages.get(name, "json"),), "Writes.") for name in names
        ]
        results = contest.compete(
            contenders,
            contest.Task("corpus.txt", "gpt2", 300, 1),
            runs=2,
            limit=limit,
            folder=tmp_path,
            left_out=dict(left_out),
            notify=print,
        )
        return {result.name: result for result in results}

    return run


def test_a_time_stands_for_a_right_output_only(compete):
    results = compete("right", "wrong", "changing")
    assert len(results["right"].seconds) == 2 and not results["right"].left_out
    assert results["right"].megabytes > 1
    assert results["wrong"].left_out == "its output is not that of right" and results["wrong"].is_wrong
    assert results["changing"].left_out == "its output differs from run to run" and results["changing"].is_wrong


def test_who_fails_or_is_not_installed_is_left_out_with_the_reason(compete):
    results = compete("right", "failing", "wrong", "slow", wrong="no_such_package", left_out={"slow": "why"})
    assert results["failing"].left_out == "it ended with exit code 1: the library does not like this text"
    assert results["wrong"].left_out == "no_such_package is not installed (benchmarks/requirements.txt)"
    assert results["slow"].left_out == "why"
    assert not any(result.is_wrong for result in results.values())


def test_who_takes_too_long_is_stopped(compete):
    assert compete("slow", limit=1)["slow"].left_out == "it takes longer than 1 s"


@pytest.mark.whole
def test_one_command_measures_and_writes_a_page(tmp_path):
    results = tmp_path / "results"
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("".join(pydocs_topics()), encoding="utf-8")
    command = [sys.executable, BENCHMARKS / "run.py", "--corpus", corpus, "--sizes", "20kB,50kB", "--runs", "1"]
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
