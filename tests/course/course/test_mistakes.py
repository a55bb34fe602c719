"""The mistake bank: wrong solutions that students write, each of them caught and named by the suite.

Every file in tests/course/mistakes/MODULE/ holds one wrong body. Its docstring says what the student was thinking, then

    Mistake: the name that the first failure has to give it
    Pitfall: the section of the handout that it has to point to
    Caught by: the test group of the first failure

tests/course/right/ holds the opposite: right solutions unlike the answer key, which have to pass.
"""

import ast
import json
import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from filelock import FileLock

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from support.submissions import busy, run

HERE = Path(__file__).resolve().parents[1]
MISTAKES = sorted((HERE / "mistakes").glob("*/*.py"))
RIGHT = sorted((HERE / "right").glob("*/*.py"))
SECONDS_A_TEST = 10
LINES = 8


class Entry(NamedTuple):
    thinking: str
    mistake: str
    pitfall: str
    group: str


def entry(path: Path) -> Entry:
    """What the docstring of a wrong solution says."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    match = re.fullmatch(r"(.+)\n\nMistake: (.+)\nPitfall: (.+)\nCaught by: (\w+)", text, re.DOTALL)
    assert match, f"the docstring of {path} is not in the form that {Path(__file__).name} describes"
    return Entry(*match.groups())


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.fixture(scope="session")
def results(request, tmp_path_factory) -> dict[Path, list[dict]]:
    """What came of the wrong solutions whose tests were selected. Of several testing processes, one finds out."""
    request.config.pluginmanager.register(Listing())
    selected = [item.callspec.params["mistake"] for item in request.session.items if "mistake" in item.fixturenames]
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return run(selected, "--first")
    shared = tmp_path_factory.getbasetemp().parent / "mistakes.json"
    with FileLock(f"{shared}.lock"):
        if not shared.exists():
            found = {str(path): tests for path, tests in run(selected, "--first").items()}
            shared.write_text(json.dumps(found), encoding="utf-8")
    return {Path(path): tests for path, tests in json.loads(shared.read_text(encoding="utf-8")).items()}


class Listing:
    """Part of the run's summary: every wrong solution with the test that caught it."""

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
        caught = {value for report in reports for name, value in report.user_properties if name == "caught"}
        terminalreporter.section("the mistake bank: wrong solutions, each with the test that caught it")
        for line in sorted(caught):
            terminalreporter.write_line(line)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mistake", MISTAKES, ids=name_of)
def test_the_suite_catches(mistake, results, record_property):
    said = entry(mistake)
    assert isinstance(results[mistake], list), results[mistake]
    failures = [test for test in results[mistake] if test["outcome"] == "failed"]
    assert failures, f"{name_of(mistake)} passes the whole suite: nothing catches {said.mistake!r}"
    first = failures[0]
    group, test = first["test"].split("::")[1:]
    message = first["message"].split("\n\n")[0]
    record_property("caught", f"{name_of(mistake)}: {group}::{test} says {first.get('mistake')!r}")

    assert first.get("mistake") == said.mistake, message
    assert f"{said.mistake}" in message
    assert message.splitlines()[-1].endswith(f"{modules()[mistake.parent.name].handout}#pitfall-{said.pitfall}"), (
        message
    )
    assert group == said.group, message
    assert first["seconds"] < SECONDS_A_TEST * busy()
    assert len(message.splitlines()) <= LINES, message


@pytest.mark.parametrize("module_id", sorted({path.parent.name for path in MISTAKES}))
def test_the_bank_has_wrong_solutions_for_every_exercise(module_id):
    written = set()
    for path in MISTAKES:
        if path.parent.name == module_id:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            written |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    missing = {exercise.name for exercise in modules()[module_id].exercises} - written
    assert not missing


def test_the_bank_is_large_enough():
    assert len(MISTAKES) >= 60


@pytest.mark.parametrize("module_id", sorted({path.parent.name for path in MISTAKES}))
def test_every_pitfall_of_the_bank_is_a_section_of_the_handout(module_id):
    handout = (REPOSITORY / modules()[module_id].handout).read_text(encoding="utf-8")
    pitfalls = {entry(path).pitfall for path in MISTAKES if path.parent.name == module_id}
    assert {pitfall for pitfall in pitfalls if f'<a id="pitfall-{pitfall}"></a>' not in handout} == set()


@pytest.mark.timeout(120)
def test_right_solutions_of_another_kind_pass():
    for path, tests in run(RIGHT).items():
        failed = [f"{test['test']}\n{test['message']}" for test in tests if test["outcome"] != "passed"]
        assert tests and not failed, f"{name_of(path)}:\n" + "\n".join(failed[:1])
