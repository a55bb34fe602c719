"""`g2c release`: the repository that students clone, and that no answer is in it."""

import ast
import json
import re
import shutil
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from g2c.common.paths import REPOSITORY
from g2c.course.diagnosis import bank
from g2c.course.exercises import modules
from g2c.course.notebooks.make import ANSWER
from support.clones import Clone, write_answers
from support.labs import RunningLab

pytestmark = pytest.mark.whole

NOT_COMMITTED = shutil.ignore_patterns(".git", ".venv*", "data", ".g2c", ".*_cache", "build", "mine", "__pycache__")
BLOCKS = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHORT = 12
"""What has fewer nodes in its syntax tree than this, such as `return count`, is nobody's answer."""


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
    """What students of module 04a get, without answers."""
    done = course.g2c("release", "../released", "--modules", "04a", "--no-solutions")
    assert done.returncode == 0, done.stderr
    assert re.search(r"In a clone, the first run installs packages into \.venv: \d+ MB\.", done.stdout)
    return Clone(course.folder.parent / "released")


def test_stored_calls_show_nearly_every_mistake(released):
    stored = json.loads((released.folder / "mistakes" / "04a" / "outcomes.json").read_text(encoding="utf-8"))
    outcomes = [item for _, outcomes in stored["calls"].values() for item in outcomes.items()]
    shown = {name for outcome, names in outcomes if outcome for name in names}
    assert len(shown) >= 0.95 * len(stored["mistakes"]) > 50


# --- no answer --------------------------------------------------------------------------------------------------------


def _code_of(statement: ast.stmt) -> str:
    """A statement, with its variables numbered: the same code with other names is the same."""
    names: dict[str, str] = {}
    return re.sub(
        r"\b(id|arg)='(\w+)'", lambda found: names.setdefault(found[2], f"v{len(names)}"), ast.dump(statement)
    )


def _without_docstring(statements: list[ast.stmt]) -> list[ast.stmt]:
    first = statements[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return statements[1:] if is_docstring else statements


def answers() -> dict[tuple[str, ...], str]:
    """Code that no file of a release without answers may have, with its name.

    It is the bodies of functions in the key and in the bank, and the answers of the notebooks.
    """
    found = {}
    for module in modules().values():
        key = ast.parse(module.key_file.read_text(encoding="utf-8"))
        for function in ast.walk(key):
            if isinstance(function, ast.FunctionDef):
                found[f"{module.id} {function.name}"] = _without_docstring(function.body)
        for entry in bank.entries(module.id):
            [function] = [
                node
                for node in ast.walk(ast.parse(entry.path.read_text(encoding="utf-8")))
                if isinstance(node, ast.FunctionDef) and node.name == entry.function.__name__
            ]
            found[f"{module.id} {entry.name}"] = _without_docstring(function.body)
        for cell in json.loads(module.solution_file.read_text(encoding="utf-8"))["cells"]:
            for answer in ANSWER.finditer("".join(cell["source"])):
                body = ast.parse("def answer():\n" + textwrap.indent(answer["code"], "    ")).body[0].body
                found[f"{module.id} {answer['name']}"] = body
    return {
        tuple(map(_code_of, body)): name
        for name, body in found.items()
        if sum(1 for statement in body for _ in ast.walk(statement)) >= SHORT
    }


def sources_in(path: Path) -> Iterator[str]:
    """The Python code in a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield text
    elif path.suffix == ".md":
        yield from BLOCKS.findall(text)
    elif path.suffix == ".ipynb":
        for cell in json.loads(text)["cells"]:
            yield "".join(cell["source"])
            yield from BLOCKS.findall("".join(cell["source"]))


def blocks_in(source: str) -> Iterator[list[ast.stmt]]:
    """Every list of statements in Python code."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield block


def answers_in(folder: Path) -> list[str]:
    wanted = answers()
    lengths = set(map(len, wanted))
    found = []
    for path in folder.rglob("*"):
        for source in sources_in(path) if path.suffix in (".py", ".md", ".ipynb") else ():
            for block in blocks_in(source):
                code = tuple(map(_code_of, block))
                for begin in range(len(code)):
                    names = (wanted.get(code[begin : begin + length]) for length in lengths)
                    found += [f"{path.relative_to(folder)}: {name}" for name in names if name]
    return found


def missing_imports(folder: Path) -> list[str]:
    """The files that import a module of the course which is not in the folder, such as the answer key.

    They are read and not run, because the environment of these tests has the whole course.
    """
    found = []
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                place = folder / name.replace(".", "/")
                if name.startswith("g2c.") and not (place.is_dir() or place.with_suffix(".py").is_file()):
                    found.append(f"{path.relative_to(folder)}: {name}")
    return found


def test_no_file_has_an_answer(course, tmp_path):
    """In no module. What a release stores of the bank is not code and takes minutes, so it is not written here."""
    course.python(
        "import sys; from pathlib import Path; from g2c.course.exercises import modules\n"
        "from g2c.course.release import files_for_students\n"
        "for path, content in files_for_students(modules(), answers=False).items():\n"
        "    path = Path(sys.argv[1], path)\n"
        "    path.parent.mkdir(parents=True, exist_ok=True)\n"
        "    path.write_bytes(content)\n",
        str(tmp_path),
    )
    assert not answers_in(tmp_path)
    with RunningLab(Clone(tmp_path)) as lab:
        assert lab.ask("tokenizers")["tokenizers"]
    assert not missing_imports(tmp_path)
    assert not [path for path in tmp_path.glob("notebooks/*.ipynb") if "A model answer" in path.read_text("utf-8")]


def test_a_release_of_one_module_says_nothing_of_others(released):
    others = re.compile(rf"(?<!\d/)\b({'|'.join(set(modules()) - {'04', '04a'})})\b")
    pages = [path for path in released.folder.rglob("*") if path.suffix in (".md", ".ipynb")]
    named = {path.name: others.findall(path.read_text(encoding="utf-8")) for path in pages}
    assert len(pages) > 8 and {name for name, found in named.items() if found} == set()
    readme = (released.folder / "README.md").read_text(encoding="utf-8")
    assert "./noteboosh.sh --setup 04a" in readme and "## The modules" not in readme and "## Commands" in readme
    assert "g2c/tokenizer/char_word.py" in readme and not re.search(
        r"bpe|Shakespeare's|<!--|@[A-Z]+@|g2c train", readme
    )
    files = {each.exercise_path for each in modules().values() if (released.folder / each.exercise_path).exists()}
    assert files == {"g2c/tokenizer/bpe.py", "g2c/tokenizer/char_word.py"} and not missing_imports(released.folder)
    assert not any((released.folder / name).exists() for name in ("docs/04g-unigram.md", "docs/lab.md"))


def test_a_release_runs_its_public_suites_on_every_push(released):
    workflow = yaml.safe_load((released.folder / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    install, test = [step["run"] for step in workflow["jobs"]["tests"]["steps"] if "run" in step]
    assert (released.folder / "constraints.txt").is_file() and test == "python -m pytest"
    project = tomllib.loads((released.folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "pytest" in project["optional-dependencies"]["course"] and '".[course]"' in install


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
    hints = [released.g2c("hint", "build_vocab", "--more").stdout for _ in range(3)]
    assert "Hint 3 of 3" in hints[2] and "whoever teaches it has them" in hints[2]
    for command, variables in (["solution", "build_vocab"], {}), (["status"], {"G2C_SOLUTIONS": "all"}):
        done = released.g2c(*command, **variables)
        assert done.returncode == 1 and "whoever teaches it has them" in done.stderr, done.stderr
    help_text = released.g2c("--help").stdout
    assert not re.search(r"^ +(grade|release|dev|generate) ", help_text, re.MULTILINE)


def test_from_the_first_todo_to_the_notebook(released, open_terminal):
    file, todo = modules()["04a"].exercise_path, '        raise NotImplementedError("TODO: build_vocab")'
    terminal = open_terminal(released, "watch")
    terminal.wait_for(r"Next: write CharTokenizer\.build_vocab(.*\n)*.*r run again   q quit$")
    released.replace(file, todo, FROM_ONE)
    terminal.wait_for(r"Mistake: +the first ID is 1(.*\n)*.*You may have thought")
    released.replace(file, FROM_ONE, todo)
    write_answers(released, modules()["04a"].exercises)
    terminal.wait_for(r"All tests of module 04a pass")
    terminal.type("q")

    notebook, executed = "notebooks/04a-characters-and-words.ipynb", "executed.ipynb"
    terminal = open_terminal(released, notebook, executed, module="g2c.course.notebooks.run_notebook")
    terminal.wait_for(r"NotImplementedError: TODO: thrown_away")
