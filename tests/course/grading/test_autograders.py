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
from pathlib import Path

import pytest
import yaml

from g2c.grading.autograders import gradescope as gradescope_command
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


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Clone:
    folder = tmp_path_factory.mktemp("autograders")
    course = copy_small_course(make_template(folder / "template"), folder / "course", ["91"])
    (course.folder / "mistakes" / "91").mkdir(parents=True, exist_ok=True)
    (course.folder / "mistakes" / "91" / "double.py").write_text(ADDS_THREE, encoding="utf-8")
    return course


def run_bash(arguments: list[str], **options) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([BASH, *arguments], capture_output=True, encoding="utf-8", timeout=200, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def environment_with_packages(folder: Path) -> None:
    """An environment that has the packages of this one, as if they had just been installed into it."""
    venv.create(folder, symlinks=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "packages.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")


@pytest.fixture(scope="module")
def gradescope(course, tmp_path_factory) -> Path:
    """A folder like /autograder, after setup.sh."""
    folder = tmp_path_factory.mktemp("gradescope")
    (folder / "hidden").mkdir()
    (folder / "hidden" / "test_more.py").write_text(HIDDEN, encoding="utf-8")
    return set_up_gradescope(course, folder, "--hidden", str(folder / "hidden"))


def set_up_gradescope(course: Clone, folder: Path, *options: str) -> Path:
    done = course.g2c("grade", "--gradescope", str(folder / "autograder.zip"), *options)
    assert done.returncode == 0, done.stderr
    autograder = folder / "autograder"
    with zipfile.ZipFile(folder / "autograder.zip") as archive:
        modes = {name: archive.getinfo(name).external_attr >> 16 & 0o111 for name in ("setup.sh", "run_autograder")}
        archive.extractall(autograder / "source")
    assert all(modes.values()), "Gradescope runs both scripts, so both must be executable"
    environment_with_packages(autograder / "venv")
    run_bash([str(autograder / "source" / "setup.sh")], env=_environment(autograder), cwd=folder)
    return autograder


def _environment(autograder: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(autograder), "G2C_AUTOGRADER": str(autograder)}


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_gradescope_gets_its_results(gradescope):
    submission = gradescope / "submission"
    submission.mkdir()
    (submission / "doubling.py").write_text(HALF_DONE, encoding="utf-8")
    run_bash([str(gradescope / "source" / "run_autograder")], env=_environment(gradescope), cwd=gradescope)

    results = json.loads((gradescope / "results" / "results.json").read_text(encoding="utf-8"))
    tests = {test["name"]: test for test in results["tests"]}
    assert set(results) >= {"score", "output", "visibility", "tests"}
    for test in tests.values():
        assert set(test) == {"name", "number", "score", "max_score", "status", "visibility", "output", "output_format"}
        assert test["status"] == ("passed" if test["score"] == test["max_score"] else "failed")
    assert tests["91 double: TestDouble"]["score"] == 30
    assert tests["91 halve: TestHalve"]["score"] == 15
    assert tests["91 halve: TestHalveOdd"]["score"] == 0
    assert "5 is odd" in tests["91 halve: TestHalveOdd"]["output"]
    assert tests["hidden test_more.py: TestMore"]["score"] == 2.5
    assert tests["hidden test_more.py: TestMore"]["visibility"] == "hidden"
    assert results["score"] == pytest.approx(sum(test["score"] for test in tests.values()), abs=0.05)


def test_the_zip_holds_what_it_needs_and_nothing_of_this_machine(course, tmp_path):
    done = course.g2c("grade", "--gradescope", str(tmp_path / "autograder.zip"), "--module", "91")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        names = archive.namelist()
        assert {
            "setup.sh",
            "run_autograder",
            "autograder.json",
            "requirements.txt",
            "course/tests/test_doubling.py",
            "course/mistakes/91/double.py",
        } <= set(names)
        assert json.loads(archive.read("autograder.json")) == {"modules": ["91"], "hidden": False, "notebook_points": 0}
        assert not [name for name in names if name.endswith(".ipynb")]
        text = b"".join(archive.read(name) for name in names)
    assert str(course.folder).encode() not in text


RIGHT = HALF_DONE.replace(
    "return number // 2", "if number % 2:\n        raise ValueError(f'{number} is odd')\n    return number // 2"
)
WRONG = HALF_DONE.replace("number * 2", "number + 3").replace("number // 2", "number")
"""Right for double(3) alone: 15 of 30 points, and 2.5 of 5 of the hidden tests."""


@pytest.mark.whole
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("code", "score"), [(RIGHT, 105), (WRONG, 17.5), ("", 0), (None, 0)], ids=["right", "wrong", "empty", "no file"]
)
def test_the_steps_of_the_page_give_right_points_whatever_the_modes_are(gradescope, tmp_path, code, score):
    """The zip was unpacked by somebody whose new files nobody else may read."""
    autograder = tmp_path / "autograder"
    shutil.copytree(gradescope, autograder, symlinks=True, ignore=shutil.ignore_patterns("submission", "results"))
    (autograder / "submission").mkdir()
    if code is not None:
        (autograder / "submission" / "doubling.py").write_text(code, encoding="utf-8")
    for path in (autograder / "source", *(autograder / "source").rglob("*")):
        path.chmod(path.stat().st_mode & ~0o077)
    run_bash(["-c", "umask 077; exec bash source/run_autograder"], env=_environment(autograder), cwd=autograder)
    results = json.loads((autograder / "results" / "results.json").read_text(encoding="utf-8"))
    assert results["score"] == score, results


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_github_classroom_adds_up_the_points(course, tmp_path):
    done = course.g2c("grade", "--github-classroom", str(tmp_path / "repository"), "--module", "91")
    assert done.returncode == 0, done.stderr
    files = {"g2c/tokenizer/doubling.py": HALF_DONE}
    assert run_workflow(course, tmp_path, files) == {
        "91 double": (30, "pass"),
        "91 halve": (15, "fail"),
        "91 all together": (0, "fail"),
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
    assert report["max_score"] == 100 and report["status"] == "fail"
    return {test["name"].partition(":")[0]: (test["score"], test["status"]) for test in report["tests"]}


# --- notebooks --------------------------------------------------------------------------------------------------------

ANSWERS = {"triple": "return 3 * number", "quadruple": "return double(double(number))"}
CHECKS = """
from g2c.course.notebook_answers import answer
from g2c.course.teaching import call, check

@answer(hints=["Multiply.", "3 * number"], wrong=["return number"])
def triple(function):
    check(call(function, 7), 21, idea="Three times seven.")

@answer(hints=["Double.", "Twice."], wrong=["return number"])
def quadruple(function):
    check(call(function, 7), 28, idea="Four times seven.")
"""


def a_notebook(answers: dict[str, str]) -> str:
    code = "from g2c.toys import double\n" + "".join(
        f"def {name}(number):\n    {body}\n" for name, body in answers.items()
    )
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": code}]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture(scope="module")
def with_notebook(tmp_path_factory) -> Clone:
    """A course whose module 91 has a notebook with two answers."""
    folder = tmp_path_factory.mktemp("notebooks")
    course = copy_small_course(make_template(folder / "template"), folder / "course", ["91"])
    unanswered = a_notebook(dict.fromkeys(ANSWERS, "raise NotImplementedError"))
    for name, text in {
        "91-doubling.ipynb": unanswered,
        "solutions/91-doubling.ipynb": a_notebook(ANSWERS),
        "checks/91-doubling.py": CHECKS,
    }.items():
        path = course.path(f"notebooks/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return course


HALF_ANSWERED = a_notebook(ANSWERS | {"triple": "return number"})
NOTEBOOK_POINTS = 20
SCORES = {
    "91 double": (24, "pass"),
    "91 halve": (12, "fail"),
    "91 all together": (0, "fail"),
    "91 notebook": (10, "fail"),
}
"""What HALF_DONE and HALF_ANSWERED get: the exercises' points are scaled to 80."""


@pytest.fixture(scope="module")
def gradescope_with_notebook(with_notebook, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("gradescope")
    return set_up_gradescope(with_notebook, folder, "--notebook-points", str(NOTEBOOK_POINTS))


@pytest.mark.whole
@pytest.mark.timeout(400)
@pytest.mark.parametrize(("notebook", "points"), [(HALF_ANSWERED, 10), (None, 0)], ids=["half right", "no notebook"])
def test_gradescope_gives_points_for_the_notebook(gradescope_with_notebook, notebook, points):
    autograder = gradescope_with_notebook
    shutil.rmtree(autograder / "submission", ignore_errors=True)
    (autograder / "submission").mkdir()
    (autograder / "submission" / "doubling.py").write_text(HALF_DONE, encoding="utf-8")
    if notebook:
        (autograder / "submission" / "91-doubling.ipynb").write_text(notebook, encoding="utf-8")
    run_bash([str(autograder / "source" / "run_autograder")], env=_environment(autograder), cwd=autograder)
    results = json.loads((autograder / "results" / "results.json").read_text(encoding="utf-8"))
    tests = {test["name"]: (test["score"], test["max_score"]) for test in results["tests"]}
    assert tests["91 notebook"] == (points, NOTEBOOK_POINTS)
    assert tests["91 double: TestDouble"] == (24, 24)
    assert results["score"] == 36 + points
    assert ("91-doubling.ipynb was not handed in." in results["output"]) == (notebook is None)


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_github_classroom_gives_points_for_the_notebook(with_notebook, tmp_path):
    options = ("--module", "91", "--notebook-points", str(NOTEBOOK_POINTS))
    done = with_notebook.g2c("grade", "--github-classroom", str(tmp_path / "repository"), *options)
    assert done.returncode == 0, done.stderr
    files = {
        "g2c/toys/doubling.py": HALF_DONE,
        "notebooks/91-doubling.ipynb": with_notebook.path("notebooks/91-doubling.ipynb").read_text(encoding="utf-8"),
        "notebooks/mine/91-doubling.ipynb": HALF_ANSWERED,
    }
    assert run_workflow(with_notebook, tmp_path, files) == SCORES


@pytest.mark.whole
def test_the_autograders_hold_what_notebooks_need_only_when_they_count(with_notebook, tmp_path):
    options = ("--module", "91", "--notebook-points", str(NOTEBOOK_POINTS))
    done = with_notebook.g2c("grade", "--gradescope", str(tmp_path / "autograder.zip"), *options)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        found = {name for name in archive.namelist() if name.startswith("course/notebooks/")}
        assert json.loads(archive.read("autograder.json"))["notebook_points"] == NOTEBOOK_POINTS
    names = ("91-doubling.ipynb", "solutions/91-doubling.ipynb", "checks/91-doubling.py")
    assert found == {f"course/notebooks/{name}" for name in names}


def test_notebook_points_beyond_those_of_the_module_are_refused(with_notebook, tmp_path):
    done = with_notebook.g2c("grade", "--gradescope", str(tmp_path / "x"), "--notebook-points", "100")
    assert done.returncode == 1 and "--notebook-points must be from 0 to 99, but is 100." in done.stderr
    assert not (tmp_path / "x").exists()


def test_a_module_that_does_not_exist_is_an_error(course, tmp_path):
    for option in ("--gradescope", "--github-classroom"):
        done = course.g2c("grade", option, str(tmp_path / "x"), "--module", "99")
        assert done.returncode == 1
        assert done.stderr.startswith("g2c: There is no module '99'.")
    assert not (tmp_path / "x").exists()


def test_a_submission_that_cannot_be_graded_still_gets_results(tmp_path):
    (tmp_path / "source").mkdir()
    assert gradescope_command(str(tmp_path / "source"), str(tmp_path), str(tmp_path / "results.json")) == 1
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["score"] == 0
