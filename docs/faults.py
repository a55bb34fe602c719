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
    """Name of a test -> how many faults it provoked. Tests that failed are not in it; one that was skipped has 0."""
    times: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            continue
        recorded = [int(entry.attrib["value"]) for entry in case.iter("property") if entry.attrib["name"] == "times"]
        provoked = 0 if case.find("skipped") is not None else sum(recorded) if recorded else 1
        times[case.attrib["name"].partition("[")[0]] += provoked
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
        total = sum(times[test] for test in tests)
        if not total or not times.keys() >= set(tests):
            raise ValueError(f"The fault{cells[1]}was not provoked: not all of its tests {tests} passed.")
        cells[3] = f" {total:,} "
        lines[number] = "|".join(cells)
    return before + heading + "".join(lines)


if __name__ == "__main__":
    try:
        PAGE.write_text(filled_in(PAGE.read_text(encoding="utf-8"), counts(Path(sys.argv[1]))), encoding="utf-8")
    except ValueError as error:
        sys.exit(str(error))
