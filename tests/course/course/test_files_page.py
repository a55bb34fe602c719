"""docs/files.md lists every file and every format."""

import re

from g2c.common.paths import REPOSITORY
from g2c.formats.artifact import ARTIFACT_FILES
from g2c.formats.export import FORMATS

PAGE = (REPOSITORY / "docs" / "files.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    return PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_every_file_and_every_format_is_listed():
    assert [row[0].strip("`") for row in rows(section("What an artifact contains"))] == list(ARTIFACT_FILES)
    assert [row[0].strip("`") for row in rows(section("Take it elsewhere: g2c export"))] == list(FORMATS)
