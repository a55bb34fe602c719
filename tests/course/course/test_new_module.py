"""A module about something else moves in: module 05, embeddings, is added to a copy of the course.

tests/course/module_05/ holds the new files at the places that they have in the repository, and in edits/ the lines that
existing files get. CONTRIBUTING.md lists both kinds of files, and nothing outside that list is touched.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from support.clones import Clone, copy_whole_course

MODULE = REPOSITORY / "tests" / "course" / "module_05"
PLACEHOLDERS = {"PACKAGE": "embedding", "FILE": "vectors", "ID": "05", "NAME": "embedding"}
EXERCISE, SUITE, HANDOUT = "g2c/embedding/vectors.py", "tests/test_vectors.py", "docs/05-embedding.md"
TODO = '    raise NotImplementedError("TODO: {}")'
ONE_HOT = """\
    rows = np.zeros((len(ids), size), dtype=np.float32)
    rows[range(len(ids)), read_ids(ids, size)] = 1
    return rows"""
LOOKUP = "    return table[read_ids(ids, len(table))]"

pytestmark = pytest.mark.timeout(180)


def steps_of_the_page() -> tuple[list[str], list[str]]:
    """The files that CONTRIBUTING.md says a new module adds, and those that it says change."""
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.split("\n## Adding a module\n")[1].split("\n## ")[0]
    added, changed, *_ = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
    for name, value in PLACEHOLDERS.items():
        added = re.sub(rf"\b{name}\b|(?<=_){name}\b", value, added)
    return [line.split()[0] for line in added.splitlines()], [line.split()[0] for line in changed.splitlines()]


def contents(folder: Path) -> dict[str, bytes]:
    """Path -> content of every file of a course, without what Python and the course write while they run."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    written = (".g2c/", ".pytest_cache/", ".hypothesis/")
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: path.read_bytes() for name, path in names.items() if not name.startswith(written)}


def add_module(course: Clone) -> None:
    """Follow the section `Adding a module` of CONTRIBUTING.md."""
    for path in MODULE.rglob("*"):
        name = path.relative_to(MODULE)
        if path.is_file() and path.suffix != ".pyc" and name.parts[0] != "edits":
            copy = course.folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    listed = course.path("g2c/course/exercises.toml")
    entry = (MODULE / "edits" / "exercises.toml").read_text(encoding="utf-8")
    listed.write_text(listed.read_text(encoding="utf-8") + entry, encoding="utf-8")
    readme = course.path("README.md").read_text(encoding="utf-8")
    row = (MODULE / "edits" / "README.md").read_text(encoding="utf-8")
    last_row = re.findall(rf"^\| {[*modules()][-1]} .*\n", readme, re.MULTILINE)[0]
    course.path("README.md").write_text(readme.replace(last_row, last_row + row), encoding="utf-8")
    course.replace("tests/course/test_rooms.py", '    {"tokenizer"},', '    {"tokenizer", "embedding"},')


def run_python(course: Clone, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=course.folder,
        env={**course.environment, **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=170,
    )


@pytest.fixture(scope="module")
def before(course_template, tmp_path_factory) -> Clone:
    course = copy_whole_course(course_template, tmp_path_factory.mktemp("with_05") / "course")
    rooms = course.path("tests/course/test_rooms.py")
    rooms.parent.mkdir(parents=True)
    rooms.write_bytes((REPOSITORY / "tests" / "course" / "test_rooms.py").read_bytes())
    return course


@pytest.fixture(scope="module")
def contents_before(before) -> dict[str, bytes]:
    return contents(before.folder)


@pytest.fixture(scope="module")
def course(before, contents_before) -> Clone:
    """A copy of the course with module 05."""
    add_module(before)
    return before


def test_contributing_lists_every_file_that_is_added_or_changed(contents_before, course):
    after = contents(course.folder)
    added, changed = steps_of_the_page()
    new = {re.sub(r"^(mistakes/05)/\w+\.py$", r"\1/*.py", name) for name in after.keys() - contents_before.keys()}
    assert new == set(added)
    assert {name for name, content in contents_before.items() if after.get(name) != content} == set(changed)


def test_the_check_finds_nothing_missing(course):
    done = course.g2c("dev", "check", "05")
    assert (done.returncode, done.stdout) == (0, "Nothing is missing in module 05.\n"), done.stdout + done.stderr


def test_the_suite_fails_on_the_stubs_as_the_handout_says_names_a_mistake_and_passes_with_the_key(course):
    plugins = ("-p", "pytest_timeout", "-p", "no:cacheprovider")

    def suite(**variables: str) -> str:
        variables["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        return run_python(course, "-m", "pytest", SUITE, *plugins, **variables).stdout

    shown = suite()
    assert "10 failed, 3 passed" in shown
    assert "not written yet: one_hot, lookup" in shown
    assert "next: write one_hot, in g2c/embedding/vectors.py, line" in shown
    assert "your own, in g2c/tokenizer and g2c/embedding" in shown

    course.replace(EXERCISE, TODO.format("one_hot"), ONE_HOT.replace("dtype=np.float32", "dtype=int"))
    shown = " ".join(suite().split())
    course.replace(EXERCISE, "dtype=int", "dtype=np.float32")
    course.replace(EXERCISE, ONE_HOT, TODO.format("one_hot"))
    assert "Mistake: integers where floats belong" in shown
    assert f"{HANDOUT}#pitfall-types" in shown

    shown = suite(G2C_SOLUTIONS="05")
    assert "13 passed" in shown and "the ANSWER KEY of module 05" in shown


@pytest.mark.whole
def test_a_class_is_graded(course, tmp_path):
    stub = course.path(EXERCISE).read_text(encoding="utf-8")
    half = stub.replace(TODO.format("one_hot"), ONE_HOT)
    whole = half.replace(TODO.format("lookup"), LOOKUP)
    for name, code in {"ada": whole, "bob": half, "eve": stub}.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "vectors.py").write_text(code, encoding="utf-8")
    folders = (str(tmp_path / "class"), "--output", str(tmp_path / "grades"))
    # Isolation is tested elsewhere, and not every machine has it.
    done = run_python(course, "-m", "g2c", "grade", "--unsafe", *folders)
    assert done.returncode == 0, done.stderr
    points = {name: points for points, name in re.findall(r"([\d.]+) of 100  (\w+)", done.stdout)}
    assert points == {"ada": "100", "bob": "40", "eve": "0"}


def test_the_examples_of_handout_and_docstrings_run(course):
    runner = REPOSITORY / "tests" / "course" / "support" / "run_examples.py"
    done = run_python(course, str(runner), "docs/05-embedding.md", "g2c.embedding.vectors")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [report["problems"] for report in reports] == [[], []], done.stderr
    assert all(report["examples"] > 2 for report in reports)
