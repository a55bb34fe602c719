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

from support.clones import Clone, copy_small_course, make_template

BASH = shutil.which("bash")
HALF_DONE = "def double(number):\n    return number * 2\n\n\ndef halve(number):\n    return number // 2\n"
"""Right but for odd numbers, which `halve` has to refuse: 30 of 30 points for one, 15 of 30 for the other."""

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
    return copy_small_course(make_template(folder / "template"), folder / "course", ["91"])


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
    done = course.g2c("grade", "--gradescope", str(folder / "autograder.zip"), "--hidden", str(folder / "hidden"))
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
        } <= set(names)
        assert json.loads(archive.read("autograder.json")) == {"modules": ["91"], "hidden": False}
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
    text = (tmp_path / "repository" / ".github" / "workflows" / "classroom.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["name"] == "Autograding Tests" and list(workflow["jobs"]) == ["run-autograding-tests"]
    steps = workflow["jobs"]["run-autograding-tests"]["steps"]

    work = tmp_path / "work"
    (work / "submission" / "g2c" / "tokenizer").mkdir(parents=True)
    (work / "submission" / "g2c" / "tokenizer" / "doubling.py").write_text(HALF_DONE, encoding="utf-8")
    (work / "course").symlink_to(course.folder)
    checkouts = [step.get("with", {}) for step in steps if step.get("uses", "").startswith("actions/checkout")]
    assert [checkout["path"] for checkout in checkouts] == ["submission", "course"]

    outputs = {}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for step in steps:
        if "run" in step and "pip install" not in step["run"]:
            written = work / "output"
            written.write_text("", encoding="utf-8")
            run_bash(
                ["-e", "-c", step["run"]],
                cwd=work,
                env={"PATH": path, "HOME": str(work), "GITHUB_OUTPUT": str(written)},
            )
            if "id" in step:
                outputs[step["id"]] = dict(
                    line.split("=", 1) for line in written.read_text(encoding="utf-8").splitlines()
                )

    reporter = steps[-1]
    runners = reporter["with"]["runners"].split(",")
    assert runners == list(outputs)
    assert set(reporter["env"]) == {f"{name.upper()}_RESULTS" for name in runners}
    scores = {}
    for output in outputs.values():
        report = json.loads(base64.b64decode(output["result"]))
        assert report["status"] == ("pass" if report["tests"][0]["score"] == report["max_score"] else "fail")
        scores[report["tests"][0]["name"]] = report["tests"][0]["score"], report["max_score"]
    assert scores == {"91 double": (30, 30), "91 halve": (15, 30), "91 all together": (0, 40)}


def test_a_module_that_does_not_exist_is_an_error(course, tmp_path):
    for option in ("--gradescope", "--github-classroom"):
        done = course.g2c("grade", option, str(tmp_path / "x"), "--module", "99")
        assert done.returncode == 1
        assert done.stderr.startswith("g2c: There is no module '99'.")
    assert not (tmp_path / "x").exists()


def test_a_submission_that_cannot_be_graded_still_gets_results(tmp_path):
    from g2c.grading.gradescope import main

    (tmp_path / "source").mkdir()
    assert main(str(tmp_path / "source"), str(tmp_path), str(tmp_path / "results.json")) == 1
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["score"] == 0
