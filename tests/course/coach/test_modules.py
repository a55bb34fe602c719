"""Each module of the course is complete, and its parts agree: `pytest tests/course/coach/test_modules.py -k 04a`.

That the suites pass with the answer key, and fail on the stubs as they should, is tested in test_suite.py.
"""

import ast
import re

import pytest

from coach.common.paths import REPOSITORY
from coach.exercises import modules
from coach.missing import missing_in
from coach.notebooks.make import notebook_text, read_notebook
from coach.source import functions, parsed
from support.notebook_outputs import output_texts

pytestmark = pytest.mark.parametrize("module", modules().values(), ids=lambda module: module.id)

MACHINE_PATH = re.compile(r"(?<![\w.:/<~])/(?:home|Users|root|tmp|work|var|usr|opt|mnt|private)\b")
WRITE = "write it with: python -m coach.notebooks"


def test_nothing_is_missing(module):
    assert [*missing_in(module)] == []


def test_the_solution_was_run_from_top_to_bottom(module):
    solution = read_notebook(module.solution_file)
    assert module.solution_file.read_text(encoding="utf-8") == notebook_text(solution), f"{WRITE} {module.id}"
    code = [cell for cell in solution.cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code]
    assert counts == list(range(1, len(code) + 1)), f"{WRITE} --execute {module.id}"
    outputs = [output for cell in code for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    texts = [text for output in outputs for text in output_texts(output)]
    assert not [text for text in texts if MACHINE_PATH.search(text)], "paths of a machine"
    assert not [text for text in texts if "not as predicted" in text or "nothing predicted" in text]
    assert any("ANSWER KEY" in text for text in texts), f'the first cell prints code_in_use("{module.id}")'


def test_a_module_consists_of_what_contributing_lists(module):
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.split("\n## Adding a module\n")[1].split("\n## ")[0]
    added, changed, *_ = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
    names = {
        # Suites of older modules are called otherwise.
        **{"tests/test_FILE.py": module.suite, "FILE": module.file, "PACKAGE": module.package.removeprefix("g2c.")},
        **{"ID-NAME": module.notebook_file.stem, "ID": module.id},
    }
    for word, name in names.items():
        added = added.replace(word, name)
    patterns = [line.split()[0] for line in added.splitlines()]
    assert len(patterns) == 10 and [pattern for pattern in patterns if not [*REPOSITORY.glob(pattern)]] == []
    for path in (line.split()[0] for line in changed.splitlines() if "package" not in line):
        assert re.search(rf"\b{module.id}\b", (REPOSITORY / path).read_text(encoding="utf-8")), path
    row = f"| {module.id} [{module.title}]({module.handout}) |"
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert readme.count(f"\n{row}") == 1, f"the table of modules needs a row that begins with {row}"


def test_the_handout_names_the_file_the_modules_in_order_and_the_right_number_of_lines_to_write(module):
    text = (REPOSITORY / module.handout).read_text(encoding="utf-8")
    order = ", ".join(f"**{each}**" if each == module.id else each for each in modules())
    assert module.exercise_path in text and f"\n\nModules in order: {order}.\n" in text.partition("\n## ")[0]
    bodies = [ast.unparse(node.body) for node in functions(parsed(module.key_file)).values()]
    lines = sum(body.count("\n") + 1 for body in bodies)
    for words in re.findall(r"about (\w+) lines", text):
        assert abs(lines - {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}[words]) <= 5, lines
