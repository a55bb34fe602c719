"""The autograder for Gradescope, made by the command and run as Gradescope runs it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from coach.grading import autograder
from coach.grading.marks import Grade
from support.classes import A_CONTAINER, code_of

BASH = shutil.which("bash")
HALF_DONE = code_of(halve="return number // 2")
"""Right but for odd numbers, which `halve` has to refuse: 30 of 30 points for one, 15 of 30 for the other."""
HIDDEN = """
import pytest
from small.toys import double, halve

@pytest.mark.points(5)
class TestMore:
    def test_double(self):
        assert double(3) == 6

    def test_halve(self):
        with pytest.raises(ValueError):
            halve(3)
"""


def run_bash(arguments: list[str], **options) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([BASH, *arguments], capture_output=True, encoding="utf-8", timeout=200, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_gradescope_gets_its_results_whatever_the_modes_of_files_are(course, tmp_path):
    """The zip was unpacked by somebody whose new files nobody else may read."""
    course.path("mistakes/91").mkdir(parents=True)
    course.path("mistakes/91/double.py").touch()
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "test_more.py").write_text(HIDDEN, encoding="utf-8")
    hidden = ("--hidden", f"{tmp_path}/hidden")
    done = course.g2c("grade", "--gradescope", f"{tmp_path}/a.zip", *hidden, "--module", "91")
    assert done.returncode == 0, done.stderr
    autograder = tmp_path / "autograder"
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        modes = {name: archive.getinfo(name).external_attr >> 16 & 0o111 for name in ("setup.sh", "run_autograder")}
        needed = {"setup.sh", "run_autograder", "course/constraints.txt", "course/mistakes/91/double.py"}
        assert needed <= {*archive.namelist()}
        assert str(course.folder).encode() not in b"".join(map(archive.read, archive.namelist()))
        archive.extractall(autograder / "source")
    assert all(modes.values()), "Gradescope runs both scripts, so both must be executable"
    # It has the packages of this environment, as if they had just been installed into it.
    venv.create(autograder / "venv", symlinks=True)
    packages = next((autograder / "venv").glob("lib/python*/site-packages"))
    (packages / "packages.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(autograder), "G2C_AUTOGRADER": str(autograder)}
    environment |= A_CONTAINER
    run_bash(["source/setup.sh"], env=environment, cwd=autograder)
    for path in (autograder / "source", *(autograder / "source").rglob("*")):
        path.chmod(path.stat().st_mode & ~0o077)
    (autograder / "submission").mkdir()
    for code, score in {None: 0, "": 0, code_of(): 105, HALF_DONE: 87.5}.items():
        if code is not None:
            (autograder / "submission" / "doubling.py").write_text(code, encoding="utf-8")
        run_bash(["-c", "umask 077; exec bash source/run_autograder"], env=environment, cwd=autograder)
        results = json.loads((autograder / "results" / "results.json").read_text(encoding="utf-8"))
        assert results["score"] == score, results
    tests = {test["name"]: test for test in results["tests"]}
    assert set(results) == {"score", "output", "tests"}
    for test in tests.values():
        assert set(test) == {"name", "score", "max_score", "status", "visibility", "output"}
        assert test["status"] == ("passed" if test["score"] == test["max_score"] else "failed")
    assert {name: test["score"] for name, test in tests.items()} == {
        "91 double: TestDouble": 30,
        "91 halve: TestHalve": 15,
        "91 halve: TestHalveOdd": 0,
        "91 all together: TestBoth": 40,
        "hidden test_more.py: TestMore": 2.5,
    }
    assert "5 is odd" in tests["91 halve: TestHalveOdd"]["output"]
    assert tests["hidden test_more.py: TestMore"]["visibility"] == "hidden"


def test_a_submission_that_cannot_be_graded_has_no_score(tmp_path, monkeypatch, capsys):
    session = SimpleNamespace(grade=lambda submission: Grade("Ada", [], ["Not graded: the disk is full."]))
    monkeypatch.setattr(autograder, "Session", lambda *_, **options: nullcontext(session))
    monkeypatch.setattr(sys, "argv", ["autograder", str(tmp_path), "04"])
    with pytest.raises(SystemExit, match="the disk is full"):
        autograder.main()
    assert capsys.readouterr().out == ""
