"""The autograders for Gradescope and GitHub Classroom, made by the command and run as those two run them."""

import base64
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from g2c.grading import autograders
from g2c.grading.marks import Grade
from support.clones import Clone, copy_small_course, make_template

BASH = shutil.which("bash")
HALF_DONE = "def double(number):\n    return number * 2\n\n\ndef halve(number):\n    return number // 2\n"
"""Right but for odd numbers, which `halve` has to refuse: 30 of 30 points for one, 15 of 30 for the other."""

ADDS_THREE = '''
from g2c.course.diagnosis.bank import mistake

@mistake("three is added", why="Twice a number is that number times two.", pitfall="doubling")
def double_adds_three(number):
    """Three and three are six."""
    return number + 3
'''

HIDDEN = """
import pytest
from g2c.toys import double, halve

@pytest.mark.points(5)
class TestMore:
    def test_double(self):
        assert double(3) == 6

    def test_halve(self):
        with pytest.raises(ValueError):
            halve(3)
"""


OPTIONS = ("--module", "91")


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Clone:
    """A course with module 91 and a mistake of its bank."""
    folder = tmp_path_factory.mktemp("autograders")
    course = copy_small_course(make_template(folder / "template"), folder / "course", ["91"])
    for name in ("docs", "mistakes/91"):
        course.path(name).mkdir(parents=True, exist_ok=True)
    course.path("mistakes/91/double.py").write_text(ADDS_THREE, encoding="utf-8")
    return course


# --- Gradescope -------------------------------------------------------------------------------------------------------


def run_bash(arguments: list[str], **options) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([BASH, *arguments], capture_output=True, encoding="utf-8", timeout=200, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


RIGHT = HALF_DONE.replace(
    "return number // 2", "if number % 2:\n        raise ValueError(f'{number} is odd')\n    return number // 2"
)
WRONG = HALF_DONE.replace("number * 2", "number + 3").replace("number // 2", "number")
"""Right for double(3) alone: half of the points of `double`, and of the hidden tests."""


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_gradescope_gets_its_results_whatever_the_modes_of_files_are(course, tmp_path):
    """The zip was unpacked by somebody whose new files nobody else may read."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "test_more.py").write_text(HIDDEN, encoding="utf-8")
    done = course.g2c("grade", "--gradescope", f"{tmp_path}/a.zip", "--hidden", f"{tmp_path}/hidden", *OPTIONS)
    assert done.returncode == 0, done.stderr
    autograder = tmp_path / "autograder"
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        modes = {name: archive.getinfo(name).external_attr >> 16 & 0o111 for name in ("setup.sh", "run_autograder")}
        archive.extractall(autograder / "source")
    assert all(modes.values()), "Gradescope runs both scripts, so both must be executable"
    # It has the packages of this environment, as if they had just been installed into it.
    venv.create(autograder / "venv", symlinks=True)
    packages = next((autograder / "venv").glob("lib/python*/site-packages"))
    (packages / "packages.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(autograder), "G2C_AUTOGRADER": str(autograder)}
    run_bash(["source/setup.sh"], env=environment, cwd=autograder)
    for path in (autograder / "source", *(autograder / "source").rglob("*")):
        path.chmod(path.stat().st_mode & ~0o077)
    (autograder / "submission").mkdir()
    for code, score in {None: 0, "": 0, RIGHT: 105, WRONG: 17.5, HALF_DONE: 87.5}.items():
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


def test_the_zip_has_what_it_needs_and_nothing_of_this_machine(course, tmp_path):
    done = course.g2c("grade", "--gradescope", str(tmp_path / "autograder.zip"), "--module", "91")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        names = archive.namelist()
        text = b"".join(archive.read(name) for name in names)
    assert {"setup.sh", "run_autograder", "course/constraints.txt", "course/mistakes/91/double.py"} <= set(names)
    assert str(course.folder).encode() not in text


def test_a_submission_that_cannot_be_graded_has_no_score(tmp_path, monkeypatch, capsys):
    session = SimpleNamespace(grade=lambda submission: Grade("Ada", [], ["Not graded: the disk is full."]))
    monkeypatch.setattr(autograders, "Session", lambda *_, **options: nullcontext(session))
    monkeypatch.setattr(sys, "argv", ["autograders", "gradescope", str(tmp_path), "04"])
    with pytest.raises(SystemExit, match="the disk is full"):
        autograders.main()
    assert capsys.readouterr().out == ""


# --- GitHub Classroom -------------------------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_github_classroom_adds_up_the_points(course, tmp_path):
    (course.folder / "my tests").mkdir()
    (course.folder / "my tests" / "test_more.py").write_text(HIDDEN, encoding="utf-8")
    options = [*OPTIONS, "--hidden", f"{course.folder}/my tests"]
    done = course.g2c("grade", "--github-classroom", str(tmp_path / "repository"), *options)
    assert done.returncode == 0, done.stderr
    assert run_workflow(course, tmp_path, {"g2c/toys/doubling.py": HALF_DONE}) == {
        "hidden test_more.py: TestMore": (2.5, "fail"),
        "91 double: TestDouble": (30, "pass"),
        "91 halve: TestHalve": (15, "pass"),
        "91 halve: TestHalveOdd": (0, "fail"),
        "91 all together: TestBoth": (40, "pass"),
    }


def run_workflow(course: Clone, folder: Path, files: dict[str, str]) -> dict[str, tuple[float, str]]:
    """Run the steps of the workflow in FOLDER/repository on a submission. Returns the points that it reports."""
    text = (folder / "repository" / ".github" / "workflows" / "classroom.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["name"] == "Autograding Tests" and list(workflow["jobs"]) == ["run-autograding-tests"]
    steps = workflow["jobs"]["run-autograding-tests"]["steps"]

    work = folder / "work"
    for name, content in files.items():
        (work / "submission" / name).parent.mkdir(parents=True, exist_ok=True)
        (work / "submission" / name).write_text(content, encoding="utf-8")
    (work / "course").symlink_to(course.folder)
    checkouts = [step.get("with", {}) for step in steps if step.get("uses", "").startswith("actions/checkout")]
    assert [checkout["path"] for checkout in checkouts] == ["submission", "course"]

    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    [step] = [step for step in steps if "run" in step and "pip install" not in step["run"]]
    environment = {"PATH": path, "HOME": str(work), "GITHUB_OUTPUT": str(work / "output")}
    run_bash(["-e", "-c", step["run"]], cwd=work, env=environment)
    name, _, value = (work / "output").read_text(encoding="utf-8").strip().partition("=")
    # The reporter takes a step's result from the variable that is named like the runner.
    assert steps[-1]["with"]["runners"] == "grade"
    assert steps[-1]["env"] == {"GRADE_RESULTS": f"${{{{ steps.{step['id']}.outputs.{name} }}}}"}
    report = json.loads(base64.b64decode(value))
    assert [test["message"] for test in report["tests"] if test["name"].startswith("hidden")] == [""]
    assert report["max_score"] == 105 and report["status"] == "fail"
    return {test["name"].rpartition(":")[0]: (test["score"], test["status"]) for test in report["tests"]}


# --- what is refused --------------------------------------------------------------------------------------------------


def test_hidden_tests_that_the_workflow_would_not_have_are_refused(course, tmp_path):
    (tmp_path / "test_more.py").write_text(HIDDEN, encoding="utf-8")
    done = course.g2c("grade", "--github-classroom", str(tmp_path / "x"), "--hidden", str(tmp_path), *OPTIONS)
    assert done.returncode == 1 and "is not in the course's repository" in done.stderr
    assert not (tmp_path / "x").exists()
