"""docs/files.md promises only what tests do."""

import ast
import re
from pathlib import Path

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
