"""A module about something else moves in: module 05, embeddings, is added to a copy of the course.

tests/course/module_05/ holds the new files at the places that they have in the repository, and in edits/ the lines that
existing files get. CONTRIBUTING.md lists both kinds of files, and nothing outside that list is touched.
"""

import re
import shutil

import pytest

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from support.clones import QUICKLY, Clone, copy_whole_course

MODULE = REPOSITORY / "tests" / "course" / "module_05"
PLACEHOLDERS = {"PACKAGE": "embedding", "FILE": "vectors", "ID": "05", "NAME": "embedding"}
EXERCISE = "g2c/embedding/vectors.py"
TODO, LOOKUP = '    raise NotImplementedError("TODO: lookup")', "    return table[np.asarray(ids)]"


def steps_of_the_page() -> tuple[set[str], set[str]]:
    """The files that CONTRIBUTING.md says a new module adds, and those that it says change."""
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.split("\n## Adding a module\n")[1].split("\n## ")[0]
    added, changed, *_ = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
    for name, value in PLACEHOLDERS.items():
        added = re.sub(rf"\b{name}\b|(?<=_){name}\b", value, added)
    return {line.split()[0] for line in added.splitlines()}, {line.split()[0] for line in changed.splitlines()}


@pytest.fixture(scope="module")
def course(course_template, tmp_path_factory) -> Clone:
    """A copy of the course with module 05, made by the section `Adding a module` of CONTRIBUTING.md."""
    course = copy_whole_course(course_template, tmp_path_factory.mktemp("with_05") / "course")
    ignored = shutil.ignore_patterns("edits", "__pycache__")
    shutil.copytree(MODULE, course.folder, ignore=ignored, dirs_exist_ok=True)
    entry = (MODULE / "edits" / "exercises.toml").read_text(encoding="utf-8")
    with course.path("g2c/course/exercises.toml").open("a", encoding="utf-8") as listed:
        listed.write(entry)
    readme = course.path("README.md").read_text(encoding="utf-8")
    [last_row] = re.findall(rf"^\| {[*modules()][-1]} .*\n", readme, re.MULTILINE)
    course.replace("README.md", last_row, last_row + (MODULE / "edits" / "README.md").read_text(encoding="utf-8"))
    done = course.run("-m", "g2c.course.notebooks", "--execute", "05")
    assert done.returncode == 0, done.stderr
    return course


def test_contributing_lists_every_file_that_is_added_or_changed(course):
    added, changed = steps_of_the_page()
    paths = {
        path.relative_to(MODULE).as_posix()
        for path in MODULE.rglob("*")
        if path.suffix in (".py", ".md", ".ipynb", ".toml")
    }
    new = {path for path in paths if not path.startswith("edits/")} | {"notebooks/05-embedding.ipynb"}
    assert {re.sub(r"^(mistakes/05)/\w+\.py$", r"\1/*.py", path) for path in new} == added
    # A new package gets its floor in test_rooms.py, which no copy of the course has.
    assert changed == {"g2c/course/exercises.toml", "README.md", "tests/course/test_rooms.py"}


def test_the_module_lacks_nothing(course):
    for name in ("conftest.py", "support", "course/test_modules.py"):
        copy = course.path(f"tests/course/{name}")
        copy.parent.mkdir(parents=True, exist_ok=True)
        source = REPOSITORY / "tests" / "course" / name
        shutil.copytree(source, copy) if source.is_dir() else shutil.copy(source, copy)
    shown = course.run("-m", "pytest", *QUICKLY, "tests/course/course/test_modules.py", "-k", "05").stdout
    assert "6 passed" in shown, shown


def test_the_suite_fails_on_the_stub_as_the_handout_says_names_a_mistake_and_passes_with_the_key(course):
    def suite(**variables: str) -> str:
        return course.run("-m", "pytest", *QUICKLY, "tests/test_vectors.py", **variables).stdout

    shown = suite()
    assert "3 failed, 1 passed" in shown
    assert "next: write lookup, in g2c/embedding/vectors.py, line" in shown
    assert "your own, in g2c/tokenizer and g2c/embedding" in shown

    course.replace(EXERCISE, TODO, LOOKUP)
    shown = " ".join(suite().split())
    course.replace(EXERCISE, LOOKUP, TODO)
    assert "Mistake: a negative ID takes a row from the end" in shown
    assert "05-embedding.md#pitfall-negative" in shown

    shown = suite(G2C_SOLUTIONS="05")
    assert "4 passed" in shown and "the ANSWER KEY of module 05" in shown
