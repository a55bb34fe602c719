"""The recipes in docs/grading.md run as they are written there."""

import json
import re
import subprocess
import sys

from coach.common.paths import REPOSITORY

PAGE = (REPOSITORY / "docs" / "grading.md").read_text(encoding="utf-8")
CODE = "def double(number):\n    return 2 * number\n\n\ndef halve(number):\n    return 0\n"


def block_under(heading: str, language: str) -> str:
    section = PAGE.split(f"# {heading}\n")[1]
    return re.search(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[1]


def shape(value: object) -> object:
    """The types in a value of JSON, with the names of fields, and of each list its first item."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    return [shape(value[0])] if isinstance(value, list) else type(value)


def test_a_grade_has_the_documented_fields_and_becomes_results_for_prairielearn(course, tmp_path):
    """https://github.com/PrairieLearn/PrairieLearn, docs/externalGrading.md, says what it reads."""
    place = tmp_path / "grade"
    (place / "student").mkdir(parents=True)
    (place / "student" / "doubling.py").write_text(CODE, encoding="utf-8")
    script = block_under("PrairieLearn", "text").replace("/grade/", f"{place}/").replace('"04"', '"91", "--trust"')
    script = script.replace('"g2c"', f'"{sys.executable}", "-m", "coach"')
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=course.environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    grade = json.loads((tmp_path / "grades/students/student/grade.json").read_text(encoding="utf-8"))
    documented = json.loads(block_under("Other platforms", "json"))
    halve = next(one for one in grade["exercises"] if one["name"] == "91 halve")
    assert shape({**grade, "exercises": [halve]}) == shape(documented)
    points = {one["name"]: (one["points"], one["possible"]) for one in grade["exercises"]}
    assert points["91 double"] == (30, 30) and points["91 halve"][0] < 30 and "halve(" in "".join(halve["messages"])
    assert grade["points"] == sum(one for one, _ in points.values()) and grade["possible"] == 100
    results = json.loads((place / "results/results.json").read_text(encoding="utf-8"))
    assert results["score"] == grade["points"] / 100
    assert {one["name"]: (one["points"], one["max_points"]) for one in results["tests"]} == points
