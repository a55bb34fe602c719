"""A release that is updated, and the ways in which students get what is new. git runs as it is."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from coach.common.paths import REPOSITORY
from support.clones import Clone

PAGE = REPOSITORY / "docs" / "instructors.md"
FILE = "small/toys/doubling.py"
MINE = "notebooks/mine/91.ipynb"
IDENTITY = ["-c", "user.name=Student", "-c", "user.email=student@example.org", "-c", "init.defaultBranch=main"]

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="releases need git, which this machine lacks")


def git(folder: Path, *arguments: str) -> str:
    command = ["git", *IDENTITY, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def commit(folder: Path) -> None:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "Something new")


def release(course: Clone, folder: Path) -> str:
    done = course.g2c("release", str(folder), "--no-solutions")
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands_under(heading: str, **words: str) -> str:
    """The commands in a section of the page for instructors, with these words in the place of others."""
    section = PAGE.read_text(encoding="utf-8").split(f"# {heading}\n")[1]
    block = re.search(r"^```bash\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[1]
    for word, meaning in words.items():
        block = block.replace(word, meaning)
    return block


def run(commands: str, folder: Path) -> None:
    set_identity = 'git() { command git -c user.name=Student -c user.email=student@example.org "$@"; }\n'
    done = subprocess.run(["bash", "-euc", set_identity + commands], cwd=folder, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def released(small_course, tmp_path) -> Path:
    """A release that is committed, with a file of the instructor, and two that a later one lacks."""
    small_course.path("docs/old").mkdir(parents=True)
    small_course.path("docs/old/page.md").write_text("Old.\n", encoding="utf-8")
    small_course.path("moved").write_text("A file, and later a folder.\n", encoding="utf-8")
    small_course.path("start.sh").write_text("exit\n", encoding="utf-8")
    commit(small_course.folder)
    folder = tmp_path / "released"
    assert "git init && git add" in release(small_course, folder)
    (folder / "syllabus.md").write_text("Week 1.\n", encoding="utf-8")
    (folder / "docs" / "old" / "own.md").write_text("Mine.\n", encoding="utf-8")
    commit(folder)
    return folder


def change(course: Clone) -> None:
    """Add, change and remove files, and change two docstrings: one of them is beside the student's answer."""
    shutil.rmtree(course.path("docs/old"))
    course.path("moved").unlink()
    course.path("moved").mkdir()
    course.path("moved/here.md").write_text("Moved.\n", encoding="utf-8")
    course.path("start.sh").write_text("exit 1\n", encoding="utf-8")
    path = course.path(FILE)
    path.write_text(path.read_text(encoding="utf-8").replace("Half", "A half").replace("Twice", "Two times"), "utf-8")
    commit(course.folder)


def test_an_update_replaces_the_files_of_a_release_and_no_other(small_course, released):
    change(small_course)
    assert "git add --all && git commit -m 'Update the course' && git push" in release(small_course, released)
    changed = git(released, "status", "--porcelain", "--no-renames", "--untracked-files=all").splitlines()
    names = {line[3:] for line in changed}
    assert names == {"docs/old/page.md", "moved", "moved/here.md", "start.sh", FILE, ".release"}
    assert (released / "start.sh").stat().st_mode & 0o111
    commit(released)
    fresh = released.with_name("fresh")
    release(small_course, fresh)
    commit(fresh)
    files = {*git(released, "ls-files", "--stage").splitlines()}
    own = files.difference(git(fresh, "ls-files", "--stage").splitlines())
    assert {line.split("\t")[1] for line in own} == {"syllabus.md", "docs/old/own.md"}
    release(small_course, released)
    assert not git(released, "status", "--porcelain"), "a second update of one commit changes nothing"


def test_an_update_loses_nothing_that_is_not_committed(small_course, released):
    change(small_course)
    path = released / "syllabus.md"
    path.write_text("Week 2.\n", encoding="utf-8")
    done = small_course.g2c("release", str(released))
    assert done.returncode == 1 and "Not everything in" in done.stderr
    assert git(released, "status", "--porcelain") == " M syllabus.md\n"
    other = released.with_name("other")
    other.mkdir()
    (other / "thesis.txt").write_text("Years.\n", encoding="utf-8")
    commit(other)
    done = small_course.g2c("release", str(other))
    assert done.returncode == 1 and "is not empty" in done.stderr
    assert (other / "thesis.txt").is_file()


@pytest.mark.parametrize("way", ["cloned it", "copied a template"])
def test_students_get_an_update_beside_their_answers_and_the_next_one_by_the_last_command(
    way, small_course, released, tmp_path
):
    student = tmp_path / "student"
    git(tmp_path, "clone", "--quiet", str(released), str(student))
    if way == "copied a template":  # It has the same files, and a history of its own.
        shutil.rmtree(student / ".git")
        commit(student)
    path = student / FILE
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('raise NotImplementedError("TODO: double")', "return 2 * number"), encoding="utf-8")
    (student / MINE).parent.mkdir()
    (student / MINE).write_text("{}\n", encoding="utf-8")

    change(small_course)
    release(small_course, released)
    commit(released)
    commands = commands_under(f"Students who {way}", ADDRESS=str(released))
    run(commands, student)
    text = path.read_text(encoding="utf-8")
    assert "A half" in text and "return 2 * number" in text and (student / MINE).is_file()
    assert (student / "moved" / "here.md").is_file() and not (student / "docs" / "old" / "page.md").exists()
    assert not git(student, "status", "--porcelain", "--untracked-files=no")

    small_course.path("moved/here.md").write_text("Moved again.\n", encoding="utf-8")
    commit(small_course.folder)
    release(small_course, released)
    commit(released)
    run(commands.splitlines()[-1], student)
    assert (student / "moved" / "here.md").read_text(encoding="utf-8") == "Moved again.\n"
