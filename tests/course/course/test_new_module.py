"""A module about something else moves in: module 05, embeddings, is added to a copy of the course.

tests/course/module_05/ holds the new files at the places that they have in the repository, and in edits/ the lines that
existing files get. CONTRIBUTING.md lists both kinds of files, and nothing outside that list is touched.
"""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.course.notebooks import run
from support.clones import Clone, copy_whole_course, keep_modules

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
    run_python(course, "docs/mistakes.py")
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


def suite_with(course: Clone, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    plugins = ("-p", "pytest_timeout", "-p", "no:cacheprovider")
    variables["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return run_python(course, "-m", "pytest", SUITE, *plugins, *options, **variables)


@pytest.fixture(scope="module")
def before(course_template, tmp_path_factory) -> dict[str, bytes]:
    course = whole_course(course_template, tmp_path_factory.mktemp("before") / "course")
    return contents(course.folder)


def whole_course(template: Path, folder: Path) -> Clone:
    course = copy_whole_course(template, folder)
    rooms = course.path("tests/course/test_rooms.py")
    rooms.parent.mkdir(parents=True)
    rooms.write_bytes((REPOSITORY / "tests" / "course" / "test_rooms.py").read_bytes())
    return course


@pytest.fixture(scope="module")
def course(course_template, tmp_path_factory) -> Clone:
    """A copy of the course with module 05, which tests do not change."""
    course = whole_course(course_template, tmp_path_factory.mktemp("with_05") / "course")
    add_module(course)
    return course


@pytest.fixture
def only_05(course, tmp_path) -> Clone:
    """A copy of that with module 05 alone in the list, which the test may change."""
    run_python(course, "-c", "import shutil, sys; shutil.copytree('.', sys.argv[1])", str(tmp_path / "course"))
    clone = Clone(tmp_path / "course")
    keep_modules(clone, ["05"])
    return clone


def test_contributing_lists_every_file_that_is_added_or_changed(course, before):
    after = contents(course.folder)
    added, changed = steps_of_the_page()
    new = {re.sub(r"^(mistakes/05)/\w+\.py$", r"\1/*.py", name) for name in after.keys() - before.keys()}
    assert new == set(added)
    assert {name for name in before if after.get(name) != before[name]} == set(changed)


@pytest.mark.whole
def test_the_entry_alone_makes_the_check_name_everything_else(course_template, tmp_path):
    course = copy_whole_course(course_template, tmp_path / "course")
    listed = course.path("g2c/course/exercises.toml")
    entry = (MODULE / "edits" / "exercises.toml").read_text(encoding="utf-8")
    listed.write_text(listed.read_text(encoding="utf-8") + entry, encoding="utf-8")
    done = course.g2c("dev", "check", "05")
    assert done.returncode == 1, done.stderr
    for sentence in [
        f"{EXERCISE} does not exist.",
        "g2c/embedding/__init__.py cannot be imported",
        "g2c/solutions/vectors.py does not exist.",
        f"{SUITE} does not exist.",
        "docs/05-embedding.md does not exist.",
        "mistakes/05/ has 0 wrong solutions; a module needs at least 5.",
        "mistakes/05/ has no wrong solution for lookup.",
        "There is no notebook 05-embedding.ipynb in notebooks.",
        "README.md has no row in its table of modules for 05",
    ]:
        assert f"05: {sentence}" in done.stdout


def test_the_check_finds_nothing_missing(course):
    done = course.g2c("dev", "check", "05")
    assert (done.returncode, done.stdout) == (0, "Nothing is missing in module 05.\n"), done.stdout + done.stderr


def test_on_the_stubs_the_suite_fails_as_the_handout_says(course):
    done = suite_with(course)
    assert done.returncode == 1, done.stderr
    assert "10 failed, 3 passed" in done.stdout
    assert "not written yet: one_hot, lookup" in done.stdout
    assert "next: write one_hot, in g2c/embedding/vectors.py, line" in done.stdout
    assert "your own, in g2c/tokenizer and g2c/embedding" in done.stdout


def test_with_the_key_the_suite_passes(course):
    done = suite_with(course, G2C_SOLUTIONS="05")
    assert done.returncode == 0, done.stdout
    assert "13 passed" in done.stdout
    assert "the ANSWER KEY of module 05" in done.stdout


def test_hints_and_the_solution(course):
    done = course.g2c("hint", "one_hot")
    assert "one_hot  g2c/embedding/vectors.py, line " in done.stdout
    assert "How many rows has the result for three IDs" in done.stdout
    done = course.g2c("solution", "lookup", "--yes")
    assert "return table[read_ids(ids, len(table))]" in done.stdout


@pytest.mark.whole
def test_progress_from_the_first_todo_to_the_end(only_05):
    assert "Next: write one_hot  g2c/embedding/vectors.py, line " in only_05.g2c().stdout
    only_05.replace(EXERCISE, TODO.format("one_hot"), ONE_HOT)
    text = only_05.g2c().stdout
    assert "1 of 2 exercises" in text and "Next: write lookup" in text
    only_05.replace(EXERCISE, TODO.format("lookup"), LOOKUP)
    assert "Every exercise passes." in only_05.g2c().stdout
    status = only_05.g2c("status").stdout
    assert re.findall(r"✓ (\w+) +passes", status) == ["one_hot", "lookup"]


@pytest.mark.whole
def test_watch_shows_the_next_failing_test(only_05):
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "g2c", "watch"],
        cwd=only_05.folder,
        env=only_05.environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as watch:
        try:
            shown = read_until(watch, "Ctrl-C ends")
            assert "Next: write one_hot" in shown
            only_05.replace(EXERCISE, TODO.format("one_hot"), ONE_HOT)
            assert "Next: write lookup" in read_until(watch, "Ctrl-C ends")
        finally:
            watch.terminate()


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """What a process prints, up to and with the line that has `text` in it."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if text in line:
            break
    return "".join(lines)


@pytest.mark.sample(1)
@pytest.mark.parametrize("path", sorted(MODULE.glob("mistakes/05/*.py")), ids=lambda path: path.stem)
def test_the_report_names_the_mistake(path, course):
    """The wrong solution runs as `g2c` runs a student's, without being named to the diagnosis."""
    thought, fields = path.read_text(encoding="utf-8").split('"""')[1].split("\n\n", 1)
    expected = dict(line.split(": ", 1) for line in fields.splitlines())
    submissions = REPOSITORY / "tests" / "course" / "support" / "run_submissions.py"
    done = run_python(course, str(submissions), "--first", f"mistakes/05/{path.name}")
    assert done.returncode == 0, done.stderr
    assert f'"mistake": "{expected["Mistake"]}"' in done.stdout
    assert f"You may have thought: {thought}" in done.stdout
    assert f"{HANDOUT}#pitfall-{expected['Pitfall']}" in done.stdout


@pytest.mark.whole
def test_a_class_is_graded(course, tmp_path):
    stub = course.path(EXERCISE).read_text(encoding="utf-8")
    half = stub.replace(TODO.format("one_hot"), ONE_HOT)
    whole = half.replace(TODO.format("lookup"), LOOKUP)
    for name, code in {"ada": whole, "bob": half, "eve": stub}.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "vectors.py").write_text(code, encoding="utf-8")
    done = run_python(course, "-m", "g2c", "grade", str(tmp_path / "class"), "--output", str(tmp_path / "grades"))
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "grades" / "grades.csv").read_text(encoding="utf-8").splitlines()))
    assert [list(row.values())[0] for row in rows] == ["ada", "bob", "eve"]
    points = {name: points for points, name in re.findall(r"([\d.]+) of 100  (\w+)", done.stdout)}
    assert points == {"ada": "100", "bob": "40", "eve": "0"}


@pytest.mark.whole
def test_the_notebooks_run(course):
    solution = nbformat.read(course.path("notebooks/solutions/05-embedding.ipynb"), as_version=4)
    run(solution, folder=course.folder, environment={**course.environment, "G2C_SOLUTIONS": "05"})
    exercise = nbformat.read(course.path("notebooks/05-embedding.ipynb"), as_version=4)
    run(exercise, folder=course.folder, environment=course.environment, keep_going=True)
    errors = [output for cell in exercise.cells for output in cell.get("outputs", []) if output.output_type == "error"]
    assert {error.evalue for error in errors} == {"TODO: one_hot", "TODO: lookup", "TODO: product"}


def test_the_script_finds_the_notebooks(course):
    code = """
from g2c.course.noteboosh import find_notebook
print(*(find_notebook("05", solution=solution).name for solution in (False, True)))
"""
    assert course.python(code) == "05-embedding.ipynb 05-embedding.ipynb\n"


def test_the_examples_of_handout_and_docstrings_run(course):
    runner = REPOSITORY / "tests" / "course" / "support" / "run_examples.py"
    done = run_python(course, str(runner), "docs/05-embedding.md", "g2c.embedding.vectors")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [report["problems"] for report in reports] == [[], []], done.stderr
    assert all(report["examples"] > 2 for report in reports)
