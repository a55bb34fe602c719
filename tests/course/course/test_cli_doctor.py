"""`g2c doctor`: each thing that can be wrong is found and comes with its remedy."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from g2c.course.commands import doctor
from g2c.course.environment import EnvironmentFolder
from support.clones import Clone

SUITE = "tests/test_doubling.py"


@pytest.fixture
def course(small_course) -> Clone:
    """A small course under git, as a student has cloned it."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed, and edited files are found with it")
    small_course.git_init()
    return small_course


def examine(clone: Clone, **variables: str) -> tuple[int, list[tuple[str, str, str]]]:
    """Exit code and findings of `g2c doctor`: (mark, text, remedy). Notes and problems have a remedy."""
    done = clone.g2c("doctor", **variables)
    assert done.stderr == ""
    found = re.findall(r"^([✓!✗]) (.*)\n((?:    .*\n)?)", done.stdout, flags=re.MULTILINE)
    findings = [(mark, text, remedy.strip()) for mark, text, remedy in found]
    assert all(remedy for mark, _, remedy in findings if mark != "✓")
    return done.returncode, findings


def problems(findings) -> list[tuple[str, str]]:
    return [(text, remedy) for mark, text, remedy in findings if mark == "✗"]


def notes(findings) -> list[tuple[str, str]]:
    return [(text, remedy) for mark, text, remedy in findings if mark == "!"]


def run(clone: Clone, command: str) -> None:
    subprocess.run(command, shell=True, cwd=clone.folder, check=True, capture_output=True)


def test_a_course_as_it_was_cloned_has_no_problems(course):
    code, findings = examine(course)
    assert code == 0
    assert problems(findings) == []
    texts = [text for mark, text, _ in findings if mark == "✓"]
    assert f"tests {SUITE}, as handed out" in texts
    assert "exercise file g2c/toys/doubling.py" in texts
    assert "your own code is in use, not the answer key" in texts


def test_work_on_the_exercise_is_no_finding(course):
    course.replace("g2c/toys/doubling.py", '    raise NotImplementedError("TODO: double")', "    return number")
    code, findings = examine(course)
    assert code == 0
    assert not any("were edited" in text for text, _ in notes(findings))


@pytest.mark.parametrize("change", [Path.unlink, lambda suite: suite.write_text("")], ids=["removed", "edited"])
def test_changed_tests_are_found_and_the_remedy_restores_them(course, change):
    before = course.path(SUITE).read_text(encoding="utf-8")
    change(course.path(SUITE))
    code, findings = examine(course)
    assert code == 1
    [(text, remedy)] = problems(findings)
    assert text == f"The tests in {SUITE} are missing, or differ from the course's."
    run(course, remedy)
    assert course.path(SUITE).read_text(encoding="utf-8") == before
    assert examine(course)[0] == 0


def test_tests_that_were_edited_and_committed_are_found_in_a_clone(course, tmp_path):
    run(course, f"git clone -q . {tmp_path / 'student'}")
    student = Clone(tmp_path / "student")
    student.path(SUITE).write_text("def test_nothing(): pass\n", encoding="utf-8")
    run(student, "git -c user.name=S -c user.email=s@example.org commit -q -a -m 'Make the tests pass'")
    code, findings = examine(student)
    assert code == 1
    run(student, problems(findings)[0][1])
    assert student.path(SUITE).read_bytes() == course.path(SUITE).read_bytes()


def test_edited_given_files_are_a_note(course):
    path = course.path("g2c/common/paths.py")
    path.write_text(path.read_text() + "\n# mine\n", encoding="utf-8")
    code, findings = examine(course)
    assert code == 0
    [(text, remedy)] = [note for note in notes(findings) if "were edited" in note[0]]
    assert text == "Given files were edited: g2c/common/paths.py."
    assert remedy == "git restore --source=HEAD g2c/common/paths.py"


def test_a_copy_without_git_says_that_it_cannot_tell(small_course):
    code, findings = examine(small_course)
    assert code == 0
    assert any("edited tests cannot be detected" in text for text, _ in notes(findings))


def test_without_git_it_says_that_it_cannot_tell(monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    [finding] = doctor.check_edited_files()
    assert finding == (doctor.NOTE, "git is not installed, so edited tests cannot be detected.", "Install git.")


@pytest.mark.parametrize(
    "module_id, message", [("91", "The answer key is on for module 91 (G2C_SOLUTIONS=91)"), ("93", "G2C_SOLUTIONS")]
)
def test_an_answer_key_left_on_is_a_problem(small_course, module_id, message):
    code, findings = examine(small_course, G2C_SOLUTIONS=module_id)
    assert code == 1
    [(text, remedy)] = problems(findings)
    assert message in text and remedy == "unset G2C_SOLUTIONS"


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("def double(", "def twice(", "has no function double; it must keep this name."),
        ("def double(", "def double(:", "line 1 is not valid Python"),
    ],
)
def test_an_exercise_file_that_cannot_be_tested_is_a_problem(old, new, message, small_course):
    small_course.replace("g2c/toys/doubling.py", old, new)
    code, findings = examine(small_course)
    assert code == 1
    assert message in problems(findings)[0][0]


def test_a_damaged_corpus_is_a_problem_and_a_missing_one_a_note(small_course, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    _, findings = examine(small_course, G2C_DATA=str(data))
    missing = "The corpus tinyshakespeare is not here; module 04 ends with it."
    assert (missing, "./datasets.sh --tiny") in notes(findings)
    (data / "tinyshakespeare.txt").write_text("To be, or not to be", encoding="utf-8")
    code, findings = examine(small_course, G2C_DATA=str(data))
    assert code == 1
    [(text, remedy)] = problems(findings)
    assert text.startswith("corpus tinyshakespeare: ") and remedy == "./datasets.sh --tiny"


def test_a_damaged_artifact_is_a_problem(clone, tmp_path):
    artifacts = tmp_path / "artifacts"
    clone.python(
        "from pathlib import Path; from g2c.tokenizer import BPETokenizer;"
        "from g2c.formats.artifact import save_artifact;"
        f"save_artifact(BPETokenizer(), Path({str(artifacts)!r}) / 'StoryTokenizer', [72, 105])"
    )
    code, findings = examine(clone, G2C_ARTIFACTS=str(artifacts))
    assert code == 0
    assert ("✓", "artifact StoryTokenizer, 256 tokens, 2 IDs", "") in findings
    (artifacts / "StoryTokenizer" / "ids.uint32").write_bytes(b"\1\0\0\0\2\0\0\0")
    code, findings = examine(clone, G2C_ARTIFACTS=str(artifacts))
    assert code == 1
    [(text, remedy)] = problems(findings)
    assert "ids.uint32" in text
    assert remedy == "g2c train StoryTokenizer"


def test_a_working_copy_of_an_older_notebook_is_a_note(small_course):
    original = small_course.path("notebooks/91-doubling.ipynb")
    copy = small_course.path("notebooks/mine/91-doubling.ipynb")
    copy.parent.mkdir(parents=True)
    original.write_text("first", encoding="utf-8")
    shutil.copy(original, copy)
    small_course.python(
        "from pathlib import Path; from g2c.course.working_copies import remember;"
        f"remember(Path({str(original)!r}), Path({str(copy)!r}))"
    )
    copy.write_text("first, with a student's work", encoding="utf-8")
    assert not any("mine/" in text for text, _ in notes(examine(small_course)[1]))
    original.write_text("second", encoding="utf-8")
    code, findings = examine(small_course)
    assert code == 0
    [(text, remedy)] = [note for note in notes(findings) if "mine/" in note[0]]
    assert text == "notebooks/91-doubling.ipynb has changed since your copy notebooks/mine/91-doubling.ipynb was made."
    assert remedy.startswith("./noteboosh.sh --fresh 91")
    copy.unlink()
    assert not any("mine/" in text for text, _ in notes(examine(small_course)[1]))


def test_standing_in_another_clone_is_a_problem(small_course, tmp_path):
    (tmp_path / "other" / "g2c" / "course").mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "g2c", "doctor"],
        cwd=tmp_path / "other",
        env=small_course.environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 1
    assert f"You are in the clone {tmp_path / 'other'}, but this g2c belongs to {small_course.folder}" in done.stdout


def test_a_clone_that_pythonpath_hides_is_named_with_the_remedy(monkeypatch, tmp_path):
    (tmp_path / "g2c" / "course").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(doctor.REPOSITORY))
    [finding] = doctor.check_clone()
    assert finding.remedy.startswith("unset PYTHONPATH; ")


@pytest.mark.parametrize("problem, level", [(None, doctor.FINE), ("what the course needs has changed", doctor.PROBLEM)])
def test_the_environment_is_judged_when_it_is_in_use(problem, level, monkeypatch, tmp_path):
    monkeypatch.setattr(EnvironmentFolder, "problem", lambda self: problem)
    monkeypatch.setattr(sys, "prefix", str(EnvironmentFolder().folder))
    [finding] = doctor.check_environment()
    assert finding.level is level
    assert (problem or "environment") in finding.text
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    [finding] = doctor.check_environment()
    assert finding.level is doctor.NOTE


def test_packages_of_other_versions_are_found(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "REPOSITORY", tmp_path)
    (tmp_path / "constraints.txt").write_text("# exact\npytest==1.0\nNumPy==1.1\nabsent==3\n")
    [differing] = doctor.check_versions()
    assert differing.level is doctor.NOTE
    for package in (r"pytest \S+ \(tested with 1\.0\)", r"numpy \S+ \(tested with 1\.1\)"):
        assert re.search(package, differing.text)
