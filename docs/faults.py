"""Write how often each fault was provoked into the table of faults in docs/files.md.

    ./check.sh --all && .venv/bin/python docs/faults.py .g2c/check.xml

The numbers are those of the report, in the format of JUnit. Each row of the table names its tests. A test case counts
once, or as often as it says with `record_property("times", N)`; for tests of hypothesis, tests/course/conftest.py does.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

PAGE = Path(__file__).with_name("files.md")
HEADING = "## Faults, and what is lost"


def counts(report: Path) -> Counter[str]:
    """Name of a test -> how many faults it provoked. Only tests that passed are in it."""
    times: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        if any(case.find(outcome) is not None for outcome in ("failure", "error", "skipped")):
            continue
        recorded = [int(entry.attrib["value"]) for entry in case.iter("property") if entry.attrib["name"] == "times"]
        times[case.attrib["name"].partition("[")[0]] += sum(recorded) if recorded else 1
    return times


def filled_in(page: str, times: Counter[str]) -> str:
    """The page with the numbers in the column "how often".

    Raises:
        ValueError: a row names no test, or one that did not provoke its fault.
    """
    before, heading, rest = page.partition(f"\n{HEADING}\n")
    lines = rest.splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("|---")) + 1
    for number, line in enumerate(lines[first:], start=first):
        if not line.startswith("|"):
            break
        cells = re.split(r"(?<!\\)\|", line)
        tests = re.findall(r"`(test_\w+)`", cells[5])
        if missing := [test for test in tests if not times[test]] or not tests:
            raise ValueError(f"The fault{cells[1]}was not provoked: tests that passed are missing ({missing}).")
        cells[3] = f" {sum(times[test] for test in tests):,} "
        lines[number] = "|".join(cells)
    return before + heading + "".join(lines)


if __name__ == "__main__":
    try:
        PAGE.write_text(filled_in(PAGE.read_text(encoding="utf-8"), counts(Path(sys.argv[1]))), encoding="utf-8")
    except ValueError as error:
        sys.exit(str(error))
