"""The mistake bank: wrong solutions that students write, each of them caught and named by the suite.

Every file in mistakes/MODULE/ holds one wrong body; docs/instructors.md describes its docstring. tests/course/right/
holds the opposite: right solutions unlike the answer key, which have to pass. tests/course/fresh_mistakes/ holds wrong
solutions by somebody who had not seen the bank: they show how much of what students write the bank explains.
"""

import ast
import json
import os
from pathlib import Path

import pytest
from filelock import FileLock

from g2c.course.diagnosis import bank
from g2c.course.exercises import modules
from support.submissions import busy, run

HERE = Path(__file__).resolve().parents[1]
MISTAKES = [entry.path for module_id in modules() for entry in bank.entries(module_id)]
RIGHT = sorted((HERE / "right").glob("*/*.py"))
FRESH = sorted((HERE / "fresh_mistakes").glob("*/*.py"))
SECONDS_A_TEST = 10
LINES = 9

FRESH_CAUGHT = 269
FRESH_NAMED = 250


SAMPLE = {next(iter(bank.entries(module_id))).path for module_id in modules()}
"""The first wrong solution of each module, which is always tested; the whole bank with `./check.sh --all`."""


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
@pytest.mark.parametrize(
    "mistake",
    [pytest.param(path, marks=[] if path in SAMPLE else pytest.mark.whole) for path in MISTAKES],
    ids=name_of,
)
def test_the_suite_catches(mistake, results, record_property):
    said = bank.read(mistake)
    assert isinstance(results[mistake], list), results[mistake]
    failures = [test for test in results[mistake] if test["outcome"] == "failed"]
    assert failures, f"{name_of(mistake)} passes the whole suite: nothing catches {said.mistake!r}"
    first = failures[0]
    group, test = first["test"].split("::")[1:]
    message = first["message"].split("\n\n")[0]
    record_property("caught", f"{name_of(mistake)}: {group}::{test} says {first.get('mistake')!r}")

    named = next((line for line in message.splitlines() if line.startswith("Mistake:")), "")
    assert said.mistake in named, message
    assert message.splitlines()[-1].endswith(f"{modules()[mistake.parent.name].pitfalls}#pitfall-{said.pitfall}"), (
        message
    )
    assert group == said.caught_by, message
    assert first["seconds"] < SECONDS_A_TEST * busy()
    assert len(message.splitlines()) <= LINES, message


@pytest.mark.parametrize("module_id", modules())
def test_the_bank_has_wrong_solutions_for_every_exercise(module_id):
    written = set().union(*(entry.names for entry in bank.entries(module_id)))
    assert {exercise.qualified_name for exercise in modules()[module_id].exercises} <= written


@pytest.mark.parametrize("module_id", modules())
def test_the_names_of_a_wrong_solution_are_those_that_python_sees(module_id):
    for entry in bank.entries(module_id):
        body = ast.parse(entry.path.read_text(encoding="utf-8")).body
        owners = [node for node in body if isinstance(node, ast.ClassDef)]
        methods = {f"{owner.name}.{node.name}" for owner in owners for node in owner.body if hasattr(node, "name")}
        functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        assert methods | functions <= entry.names, entry.path


def test_the_bank_is_large_enough():
    assert len(MISTAKES) >= 300


@pytest.mark.parametrize("module_id", modules())
def test_every_pitfall_of_the_bank_is_a_section_of_its_page(module_id):
    page = modules()[module_id].pitfalls_file.read_text(encoding="utf-8")
    pitfalls = {entry.pitfall for entry in bank.entries(module_id)}
    assert {pitfall for pitfall in pitfalls if f'<a id="pitfall-{pitfall}"></a>' not in page} == set()


@pytest.mark.whole
@pytest.mark.timeout(300)
def test_right_solutions_of_another_kind_pass():
    for path, tests in run(RIGHT).items():
        failed = [f"{test['test']}\n{test['message']}" for test in tests if test["outcome"] != "passed"]
        assert tests and not failed, f"{name_of(path)}:\n" + "\n".join(failed[:1])


@pytest.mark.whole
@pytest.mark.timeout(1800)
def test_most_wrong_solutions_by_somebody_else_are_named_rightly():
    """named.json says for each of these files which name of a mistake is right: the reports were read one by one."""
    right = json.loads((HERE / "fresh_mistakes" / "named.json").read_text(encoding="utf-8"))
    assert set(right) == {name_of(path) for path in FRESH}
    caught, named = 0, []
    for path, tests in run(FRESH, "--first").items():
        failures = [test for test in tests if test["outcome"] == "failed"]
        caught += bool(failures)
        if failures and failures[0].get("mistake") in right[name_of(path)]:
            named.append(name_of(path))
    assert caught >= FRESH_CAUGHT
    assert len(named) >= FRESH_NAMED, sorted(set(right) - set(named))
