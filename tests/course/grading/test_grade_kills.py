"""SIGKILL at random moments of `g2c grade`, again and again on what is left: the report of the class is the same.

    G2C_KILLS=200 pytest --solutions tests/course/grading/test_grade_kills.py -s

The same for encoding, training, exporting and fetching is in tests/course/corpus/test_kills.py.
"""

import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from support.clones import copy_small_course, make_template

KILLS = int(os.environ.get("G2C_KILLS", "4"))
SUBMISSIONS = {
    "ada": "def double(number):\n    return 2 * number\n\n\ndef halve(number):\n    return number / 2\n",
    "bo": "def double(number):\n    return number\n",
    "cem": "def double(number:\n",
}


def reports_in(folder: Path) -> dict[str, str]:
    """The class report, that of each student, and what is kept for the next run, all without the times measured."""
    texts = {path: path.read_bytes().decode("latin-1") for path in sorted(folder.rglob("*")) if path.is_file()}
    return {str(path.relative_to(folder)): without_times(path.name, text) for path, text in texts.items()}


def without_times(name: str, text: str) -> str:
    if name == "grades.csv":
        rows = list(csv.DictReader(text.splitlines()))
        return json.dumps([{column: cell for column, cell in row.items() if column != "seconds"} for row in rows])
    return re.sub(r'"seconds": [\d.e-]+|\b\d+ s\b', "TIME", text)


def processes_that_name(folder: Path) -> list[str]:
    commands = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
    return [command for command in commands if str(folder) in command]


@pytest.mark.whole
@pytest.mark.timeout(120 + 20 * KILLS)
def test_after_kills_at_random_moments_the_report_of_the_class_is_the_same(tmp_path, record_property):
    course = copy_small_course(make_template(tmp_path / "template"), tmp_path / "course", ["91"])
    temporary, chance = tmp_path / "temporary", random.Random("grade")
    temporary.mkdir()
    for name, code in SUBMISSIONS.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "doubling.py").write_text(code, encoding="utf-8")

    def grade(output: str, kill_after: float | None = None) -> int:
        """Returns the exit code, or minus the number of the signal."""
        process = subprocess.Popen(
            [sys.executable, "-B", "-m", "g2c", "grade", str(tmp_path / "class"), "--output", output, "--jobs", "2"],
            cwd=tmp_path,
            env={**course.environment, "TMPDIR": str(temporary)},
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        if kill_after is not None:
            try:
                process.wait(kill_after)
            except subprocess.TimeoutExpired:
                # Sometimes the process alone: those that it started have to notice.
                (os.kill if chance.random() < 0.5 else os.killpg)(process.pid, signal.SIGKILL)
        return process.wait()

    begun = time.monotonic()
    assert grade("expected") == 0
    seconds = time.monotonic() - begun
    expected = reports_in(tmp_path / "expected")
    assert {"grades.csv", "class.html"} <= expected.keys()
    kills = classes = 0
    while kills < KILLS:
        classes += 1
        output = f"class-{classes}"
        # Each class is killed once or several times before a run may end.
        for _ in range(chance.randint(1, 3)):
            kills += grade(output, chance.random() * seconds) == -signal.SIGKILL
        assert grade(output) == 0
        found = reports_in(tmp_path / output)
        assert found.keys() == expected.keys(), f"after {kills} kills, there are other reports"
        wrong = [name for name in found if found[name] != expected[name]]
        assert not wrong, f"after {kills} kills, {wrong} differ from those of a class that was graded at once"
    deadline = time.monotonic() + 30
    while (left := processes_that_name(temporary)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left, f"processes of killed runs go on: {left}"
    record_property("times", kills)
    print(f"\ngrade: {kills} kills of {classes} classes; grading one takes {seconds:.2f} s")
