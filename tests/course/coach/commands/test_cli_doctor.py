"""`g2c doctor`: each thing that can be wrong is found and comes with its remedy."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from coach.commands import doctor
from coach.setup.environment import EnvironmentFolder
from support.clones import QUICKLY, Clone

SUITE, EXERCISE = "tests/test_tokenizer.py", "g2c/tokenizer/bpe.py"


@pytest.fixture
def course(clone) -> Clone:
    """Module 04 in a git repository of the student's."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed, and edited files are found with it")
    Clone(clone.folder.parent).git_init()
    return clone


def examine(clone: Clone, **variables: str) -> dict[str, list[tuple[str, str]]]:
    """Mark -> the findings of `g2c doctor` with it: (text, remedy). Notes and problems have a remedy."""
    done = clone.g2c("doctor", **variables)
    assert done.stderr == ""
    findings: dict[str, list[tuple[str, str]]] = {"✓": [], "!": [], "✗": []}
    for mark, text, remedy in re.findall(r"^([✓!✗]) (.*)\n((?:    .*\n)?)", done.stdout, flags=re.MULTILINE):
        findings[mark].append((text, remedy.strip()))
        assert remedy or mark == "✓"
    assert done.returncode == (1 if findings["✗"] else 0)
    return findings


def test_a_course_in_which_a_student_works_has_no_problems(course):
    course.replace(EXERCISE, '        raise NotImplementedError("TODO: _merge")', "        return ids")
    findings = examine(course)
    fine = {"tests and given files are unchanged", "your own code is in use, not the answer key"}
    assert fine <= {text for text, _ in findings["✓"]}
    assert findings["✗"] == []
    in_use = f"g2c runs in {sys.prefix}, not in the course's environment .venv."
    # Whether this machine separates students' code from the marks is nothing to a student.
    others = [found for found in findings["!"] if "students' code" not in found[0]]
    assert others == [(in_use, f"{doctor.MAKE_ENVIRONMENT}; source .venv/bin/activate")]


def test_everything_that_is_wrong_is_found_and_comes_with_its_remedy(course):
    suite = course.path(SUITE).read_text(encoding="utf-8")
    course.path(SUITE).write_text("", encoding="utf-8")
    with course.path("coach/common/paths.py").open("a", encoding="utf-8") as given:
        given.write("\n# mine\n")
    course.path(".g2c").write_text("", encoding="utf-8")
    findings = examine(course, G2C_SOLUTIONS="04")
    expected = [
        ("The answer key is in use for module 04 (G2C_SOLUTIONS=04)", "unset G2C_SOLUTIONS"),
        ("Tests or other given files were edited", f"git restore --source=HEAD coach/common/paths.py {SUITE}"),
        (f"{course.path('.g2c')} cannot be written, so g2c forgets", "sudo rm -r"),
    ]
    for found, begins in zip(findings["✗"], expected, strict=True):
        assert all(map(str.startswith, found, begins)), found

    course.path(SUITE).unlink()
    findings = examine(course, G2C_SOLUTIONS="93")
    assert [text for text, _ in findings["✗"]][0].startswith("G2C_SOLUTIONS")
    subprocess.run(findings["✗"][1][1], shell=True, cwd=course.folder, check=True, capture_output=True)
    assert course.path(SUITE).read_text(encoding="utf-8") == suite


def test_where_git_does_not_tell_what_was_edited_a_note_says_so(course, monkeypatch):
    shutil.copytree(course.folder, copy := course.folder.with_name("not committed"))
    monkeypatch.setattr(doctor, "REPOSITORY", copy)
    for path in ("", os.environ["PATH"]):
        monkeypatch.setenv("PATH", path)
        [finding] = doctor.check_edited_files()
        assert finding.level is doctor.NOTE and "edited tests cannot be detected" in finding.text


@pytest.mark.whole
def test_g2c_and_pytest_warn_in_another_clone_than_their_own(clone, tmp_path):
    (tmp_path / "copy" / "coach" / "common").mkdir(parents=True)
    warning = f"You are in the clone {tmp_path}/copy, but this course belongs to {clone.folder} and tests the files"
    suite = [f"{clone.folder}/tests/test_char_word.py", "-x", *QUICKLY, "-c", f"{clone.folder}/pyproject.toml"]
    for module, arguments in (("g2c", []), ("g2c", ["doctor"]), ("pytest", suite)):
        command = [sys.executable, "-P", "-m", module, *arguments]
        environment = {**clone.environment, "COLUMNS": "500"}
        done = subprocess.run(command, cwd=tmp_path / "copy", env=environment, capture_output=True, encoding="utf-8")
        assert done.stdout.count(warning) == 1, done.stdout + done.stderr


@pytest.mark.whole
def test_files_that_hide_libraries_stop_nothing_and_are_named(course, tmp_path):
    for package in ("coach", "g2c"):
        (tmp_path / package).symlink_to(course.path(package))  # The packages are found, and nothing beside them.
    hiding = ["tokenizers.py", "random.py", "notebooks/mine/code.py", "numpy/__init__.py"]
    for path in map(course.path, [*hiding, "notebooks/mine/helpers.py"]):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("raise RuntimeError('hidden')", encoding="utf-8")
    code = "from g2c.commands import main; main(['doctor']); main([])"
    done = course.run("-P", "-c", code, COLUMNS="500", PYTHONPATH=str(tmp_path))
    for path in [course.path(name.removesuffix("/__init__.py")) for name in hiding]:
        assert f"{path} hides the library {path.stem} from" in done.stdout
        assert f"mv {path} {path.with_stem('my_' + path.stem)}\n" in done.stdout
    assert done.stdout.count(" hides ") == 4 and "_get_pair_counts" in done.stdout, done.stdout + done.stderr


def test_the_environment_is_judged_when_it_is_in_use(monkeypatch):
    monkeypatch.setattr(EnvironmentFolder, "problem", lambda self: "what the course needs has changed")
    monkeypatch.setattr(sys, "prefix", str(EnvironmentFolder().folder))
    [finding] = doctor.check_environment()
    assert finding.level is doctor.PROBLEM and "what the course needs has changed" in finding.text
    monkeypatch.setattr(EnvironmentFolder, "problem", lambda self: None)
    assert list(doctor.check_environment()) == []
