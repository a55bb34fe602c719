"""docs/files.md promises only what tests do."""

import ast
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from g2c.common.paths import REPOSITORY
from g2c.formats.artifact import ARTIFACT_FILES
from g2c.formats.export import FORMATS
from g2c.formats.export_tokenizer import TOKENIZER_FORMATS

PAGE = (REPOSITORY / "docs" / "files.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    return PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def faults_script():
    spec = spec_from_file_location("faults", REPOSITORY / "docs" / "faults.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REPORT = """<testsuites><testsuite>
<testcase name="test_kill[encode]"><properties><property name="times" value="1200"/></properties></testcase>
<testcase name="test_kill[train]"/>
<testcase name="test_without_rights"><skipped/></testcase>
<testcase name="test_disk"><failure/></testcase>
</testsuite></testsuites>"""
TABLE = """# Page

## Faults, and what is lost

| fault | how | how often | lost | test |
|---|---|---|---|---|
| killed | SIGKILL | ? | nothing | `test_kill` |
"""


def test_the_table_of_faults_has_the_numbers_of_the_report(tmp_path):
    (tmp_path / "check.xml").write_text(REPORT)
    script = faults_script()
    times = script.counts(tmp_path / "check.xml")
    assert script.filled_in(TABLE, times) == TABLE.replace("?", "1,201")
    script.filled_in(TABLE.replace("`test_kill`", "`test_kill`, `test_without_rights`"), times)
    for test in ("`test_disk`", "`test_kill`, `test_nowhere`", "`test_without_rights`", "none"):
        with pytest.raises(ValueError, match="The fault full disk was not provoked"):
            script.filled_in(f"{TABLE}| full disk | a limit | 1 | nothing | {test} |\n", times)


def test_how_often_was_written_by_the_script():
    faults = rows(section("Faults, and what is lost"))
    assert [row[0] for row in faults if not re.fullmatch(r"[\d,]+", row[2])] == []


def test_every_fault_names_tests_that_exist():
    tests = {
        node.name
        for path in Path(__file__).resolve().parents[1].glob("*/test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    faults = rows(section("Faults, and what is lost"))
    assert len(faults) > 15
    for fault, *_, named in faults:
        names = re.findall(r"`(test_\w+)`", named)
        assert names, f"no test is named for {fault!r}"
        assert set(names) <= tests, f"{fault!r}: there is no {set(names) - tests}"


def test_every_file_and_every_format_is_listed():
    assert [row[0].strip("`") for row in rows(section("What an artifact contains"))] == list(ARTIFACT_FILES)
    assert [row[0].strip("`") for row in rows(section("Take it elsewhere: g2c export"))] == [
        *FORMATS,
        *TOKENIZER_FORMATS,
    ]
