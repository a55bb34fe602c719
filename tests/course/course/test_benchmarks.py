"""The benchmarks: they run, believe only right outputs, and say who is left out and why."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from g2c.tokenizer.patterns import PATTERNS, split_by_pattern

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"

RIVALS = """
import subprocess
import sys
import time

def right(task, out):
    out.write_text("right")

def busy(task, out):
    # A quarter of a second here, the same in a child process, and half a second of waiting.
    work = "import time\\nwhile time.process_time() < 0.25: pass"
    subprocess.run([sys.executable, "-c", work], check=True)
    end = time.process_time() + 0.25
    while time.process_time() < end:
        pass
    time.sleep(0.5)
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
    results = compete("right", "failing", "wrong", "busy", wrong="no_such_package", left_out={"busy": "why"})
    assert results["failing"].left_out == "it ended with exit code 1: the library does not like this text"
    assert results["wrong"].left_out == "no_such_package is not installed (benchmarks/requirements.txt)"
    assert results["busy"].left_out == "why"
    assert not any(result.is_wrong for result in results.values())


@pytest.mark.whole
def test_processor_time_is_that_of_the_process_and_its_children_without_waiting(compete):
    busy = compete("busy")["busy"]
    assert len(busy.processor_seconds) == 2 and not busy.left_out
    for seconds, processor_seconds in zip(busy.seconds, busy.processor_seconds):
        assert processor_seconds >= 0.5, "a quarter of a second in the process and one in its child were counted"
        assert processor_seconds <= seconds - 0.4, f"waiting was counted: {processor_seconds} of {seconds} s"


def test_who_takes_too_long_is_stopped(compete):
    assert compete("slow", limit=1)["slow"].left_out == "it takes longer than 1 s"


def test_without_the_first_there_is_nothing_to_compare_with(compete):
    assert "there is no output to compare with" in compete("failing", "right")["right"].left_out


@pytest.mark.parametrize("size", [100, 5000, 1 << 20])
def test_blocks_are_cut_where_no_piece_changes(contest, tmp_path, size):
    blocks = contest.blocks
    text = "Über 100 naïve cafés, isn't it?  \n\n don't  stop — " * 500
    corpus = tmp_path / "corpus.txt"
    corpus.write_bytes(text.encode())
    parts = [block.decode() for block in blocks(str(corpus), size)]
    assert "".join(parts) == text
    assert len(parts) > 1 or size > len(text)
    for pattern in PATTERNS.values():
        pieces = [piece for part in parts for piece in split_by_pattern(part, pattern)]
        assert pieces == list(split_by_pattern(text, pattern))


@pytest.mark.whole
def test_one_command_measures_and_writes_a_page(tmp_path):
    results = tmp_path / "results"
    command = [sys.executable, BENCHMARKS / "run.py", "--parts", "train,encode", "--sizes", "50kB", "--runs", "1"]
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


@pytest.mark.whole
def test_the_page_shows_medians_how_they_grow_and_what_was_asked(contest, tmp_path):
    import report

    def result(name, seconds, left_out=""):
        measured = {"seconds": seconds, "processor_seconds": [1.5 * value for value in seconds], "megabytes": 80.0}
        return {"name": name, "asked": f"Asked {name}.", **measured, "left_out": left_out}

    def race(size, seconds, left_out=""):
        results = [result("ours", seconds), result("theirs", [] if left_out else [9.0], left_out)]
        task = {"text": "Generated text", "pattern": "gpt2", "vocab_size": 4096, "workers": 2, "runs": len(seconds)}
        return {"size": size, **task, "results": results}

    report.save(tmp_path, "other", "Other work", [race(500_000, [3.0])])
    report.save(tmp_path, "train", "Training", [race(1_000_000, [1.0])])
    report.save(tmp_path, "train", "Training", [race(1_000_000, [5.0, 1.0, 2.0]), race(10_000_000, [20.0], "too slow")])
    report.write(tmp_path)
    page = (tmp_path / "results.md").read_text()
    assert "| processor seconds | 1 MB | 10 MB |\n| --- | --- | --- |\n| ours | 3.00 | 30.0 |\n" in page
    assert "| ours | 2.00 | 3.00 | 0.5 | 80 | 1.00 |\n| theirs | 9.00 | 13.5 | 0.111 | 80 | 4.50 |" in page
    assert "medians of 3 runs" in page and "one run" in page
    assert "- theirs: Asked theirs." in page and "- theirs: left out; too slow. (10 MB)" in page
    assert "## Other work" in page and "### 0.5 MB of text" in page
    assert {path.name for path in tmp_path.glob("*.png")} == {"train.png"}
    assert "(train.png)" in page
