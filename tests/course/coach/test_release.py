"""`g2c release`: the repository that students clone, and that no answer is in it."""

import ast
import json
import re
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from coach.common.paths import REPOSITORY
from coach.diagnosis import bank
from coach.exercises import modules
from coach.notebooks.make import ANSWER
from support.clones import Clone, write_answers

pytestmark = pytest.mark.whole

NOT_COMMITTED = shutil.ignore_patterns(".git", ".venv*", "data", ".g2c", ".*_cache", "build", "mine", "__pycache__")
BLOCKS = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHORT = 30
"""What has fewer characters than this, such as `return count`, is nobody's answer."""


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Clone:
    """A clone of the course, with everything in it committed."""
    if shutil.which("git") is None:
        pytest.skip("a release is made with git, which this machine lacks")
    folder = tmp_path_factory.mktemp("course") / "course"
    shutil.copytree(REPOSITORY, folder, ignore=NOT_COMMITTED)
    clone = Clone(folder)
    clone.git_init()
    return clone


@pytest.fixture(scope="module")
def released(course) -> Clone:
    """What students get, without answers."""
    done = course.g2c("release", "../released", "--no-solutions")
    assert done.returncode == 0, done.stderr
    return Clone(course.folder.parent / "released")


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_releases_of_a_commit_are_equal_and_have_every_module(course):
    for name in ("one", "two"):
        done = course.g2c("release", f"../{name}")
        assert done.returncode == 0, done.stderr
    one, two = (files_in(course.folder.parent / name) for name in ("one", "two"))
    assert one == two
    parts = (module.exercise_path for module in modules().values()), (module.suite for module in modules().values())
    assert {*parts[0], *parts[1], *(module.handout for module in modules().values())} <= one.keys()
    assert {".github/workflows/tests.yml", "AGENTS.md", "constraints.txt"} <= one.keys()
    readme = one["README.md"].decode()
    assert "./noteboosh.sh --setup 04" in readme and "## The modules" in readme and "<!--" not in readme


def test_what_is_not_committed_is_not_released(course, tmp_path):
    path = course.path("README.md")
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\nA draft.\n", encoding="utf-8")
    done = course.g2c("release", str(tmp_path / "new"))
    path.write_text(text, encoding="utf-8")
    assert done.returncode == 1 and "Some files have uncommitted changes" in done.stderr
    assert not (tmp_path / "new").exists()
    own = course.path(".git").rename(tmp_path / "own")
    subprocess.run(["git", "init", "-q", course.folder.parent], check=True)
    done = course.g2c("release", str(tmp_path / "new"))
    own.rename(course.path(".git"))
    assert (done.returncode, f"git has no file of {course.folder}. Clone it." in done.stderr) == (1, True), done.stderr
    done = course.g2c("release", str(tmp_path / "new"), PATH=str(tmp_path))
    assert (done.returncode, "with git, which is not installed here." in done.stderr) == (1, True), done.stderr


# --- no answer --------------------------------------------------------------------------------------------------------


def code_in(source: str) -> str:
    """Python code as Python writes it, without indentation, comments and docstrings; "" for what is no code."""
    try:
        tree = ast.parse(textwrap.dedent(source))
    except SyntaxError:
        return ""
    lines = [line.strip() for line in ast.unparse(tree).splitlines()]
    return "\n".join(line for line in lines if not line.startswith(('"', "'")))


def answers() -> dict[str, str]:
    """Code that no file of a release without answers may have, with its name.

    It is the bodies of functions in the key and in the bank, and the answers of the notebooks.
    """
    found = {}
    for module in modules().values():
        wanted = {module.key_file: None}
        for entry in bank.entries(module.id):
            wanted.setdefault(entry.path, []).append(entry.function.__name__)
        for path, names in wanted.items():
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and (names is None or node.name in names):
                    found[code_in("\n".join(map(ast.unparse, node.body)))] = f"{module.id} {node.name}"
        for cell in json.loads(module.solution_file.read_text(encoding="utf-8"))["cells"]:
            for answer in ANSWER.finditer("".join(cell["source"])):
                found[code_in(answer["code"])] = f"{module.id} {answer['name']}"
    return {code: name for code, name in found.items() if len(code) >= SHORT}


def sources_in(path: Path) -> Iterator[str]:
    """The Python code in a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield text
    elif path.suffix == ".md":
        yield from BLOCKS.findall(text)
    elif path.suffix == ".ipynb":
        for cell in json.loads(text)["cells"]:
            yield from ["".join(cell["source"]), *BLOCKS.findall("".join(cell["source"]))]


def answers_in(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.suffix in (".py", ".md", ".ipynb")]
    code = {path: "\n".join(["", *map(code_in, sources_in(path)), ""]) for path in files}
    return [f"{path.name}: {name}" for body, name in answers().items() for path in files if f"\n{body}\n" in code[path]]


def missing_imports(folder: Path) -> list[str]:
    """The files that import a module of the course which is not in the folder, such as the answer key.

    They are read and not run, because the environment of these tests has the whole course.
    """
    imports = re.compile(r"^ *(?:from|import) ((?:coach|g2c)\.[\w.]+)", re.MULTILINE)
    found = [(path, name) for path in folder.rglob("*.py") for name in imports.findall(path.read_text("utf-8"))]
    places = [(path, name, folder / name.replace(".", "/")) for path, name in found]
    return [f"{path}: {name}" for path, name, at in places if not (at.is_dir() or at.with_suffix(".py").is_file())]


def test_no_file_has_an_answer(released):
    assert not answers_in(released.folder)
    assert not missing_imports(released.folder)
    notebooks = released.folder.glob("notebooks/*.ipynb")
    assert not [path for path in notebooks if "A model answer" in path.read_text("utf-8")]
    assert released.g2c("lab", "--export", "lab").returncode == 0


# --- the student's way ------------------------------------------------------------------------------------------------


def test_the_pages_lead_nowhere_that_is_missing(released):
    for page in released.folder.rglob("*.md"):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)|src(?:set)?=\"([^\":]+)\"", text):
            assert (page.parent / (target[0] or target[1])).exists(), f"{page.name} leads to {target}"


FROM_ONE = """\
        symbols = sorted(set(self.symbols(text)) - {self.unk_token})
        self.token_to_id = {} if self.unk_token is None else {self.unk_token: 0}
        self.token_to_id.update((symbol, token_id) for token_id, symbol in enumerate(symbols, start=1))
        self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}"""


def test_who_asks_for_an_answer_hears_who_has_it(released):
    hints = [released.g2c("hint", "build_vocab").stdout for _ in range(3)]
    assert "Hint 3 of 3" in hints[2] and "whoever teaches it has them" in hints[2]
    for command, variables in (["solution", "build_vocab"], {}), (["status"], {"G2C_SOLUTIONS": "all"}):
        done = released.g2c(*command, **variables)
        assert done.returncode == 1 and "whoever teaches it has them" in done.stderr, done.stderr
    help_text = released.g2c("--help").stdout
    assert not re.search(r"^ +(grade|release|page) ", help_text, re.MULTILINE)


def test_from_the_first_todo_to_the_notebook(released, open_terminal):
    file, todo = modules()["04a"].exercise_path, '        raise NotImplementedError("TODO: build_vocab")'
    list_of_exercises = released.path("course.toml")
    text = list_of_exercises.read_text(encoding="utf-8")
    list_of_exercises.write_text(
        re.sub(r"^modules = .*", 'modules = ["04a"]', text, flags=re.MULTILINE), encoding="utf-8"
    )
    terminal = open_terminal(released, "watch")
    terminal.wait_for(r"next: write build_vocab(.*\n)*.*r run again   q quit$")
    released.replace(file, todo, FROM_ONE)
    terminal.wait_for(r"Mistake: +the first ID is 1(.*\n)*.*You may have thought")
    released.replace(file, FROM_ONE, todo)
    write_answers(released, modules()["04a"].exercises)
    terminal.wait_for(r"All tests of module 04a pass")
    terminal.type("q")
    list_of_exercises.write_text(text, encoding="utf-8")

    notebook, executed = "notebooks/04a-characters-and-words.ipynb", "executed.ipynb"
    terminal = open_terminal(released, notebook, executed, module="coach.notebooks.run_notebook")
    terminal.wait_for(r"NotImplementedError: TODO: thrown_away")
