"""The recipes in docs/grading.md run as they are written there."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coach.common.paths import REPOSITORY
from coach.exercises import modules
from coach.grading.submissions import find_submissions
from support.classes import code_of

PAGE = (REPOSITORY / "docs" / "grading.md").read_text(encoding="utf-8")
CODE = code_of(halve="return 0")


def block_under(heading: str, language: str) -> str:
    section = PAGE.split(f"# {heading}\n")[1]
    return re.search(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[1]


def shape(value: object) -> object:
    """The types in a value of JSON, with the names of fields, and of each list its first item."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    return [shape(value[0])] if isinstance(value, list) else type(value)


@pytest.fixture
def run_recipe(course, tmp_path):
    """Run a recipe's script on a submission, and return its grade. `changes`: paths of the platform -> those here."""

    def run(heading: str, folder: Path, changes: dict[str, str], **variables: str) -> dict[str, object]:
        folder.mkdir(parents=True)
        (folder / "doubling.py").write_text(CODE, encoding="utf-8")
        changes |= {'"04"': '"91", "--trust"', '"g2c"': f'"{sys.executable}", "-m", "coach"'}
        script = block_under(heading, "text")
        for theirs, here in changes.items():
            script = script.replace(theirs, here)
        environment = {**course.environment, **variables, "TMPDIR": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        [grade] = tmp_path.rglob("grade.json")
        return json.loads(grade.read_text(encoding="utf-8"))

    return run


def test_a_grade_has_the_documented_fields_and_becomes_results_for_prairielearn(run_recipe, tmp_path):
    """https://github.com/PrairieLearn/PrairieLearn, docs/externalGrading.md, says what it reads."""
    grade = run_recipe(
        "PrairieLearn", tmp_path / "student", {"/grade/": f"{tmp_path}/", '"grades': f'"{tmp_path}/grades'}
    )
    documented = json.loads(block_under("Other platforms", "json"))
    halve = next(one for one in grade["exercises"] if one["name"] == "91 halve")
    assert shape({**grade, "exercises": [halve]}) == shape(documented)
    points = {one["name"]: (one["points"], one["possible"]) for one in grade["exercises"]}
    assert points["91 double"] == (30, 30) and points["91 halve"][0] < 30 and "halve(" in "".join(halve["messages"])
    assert grade["points"] == sum(one for one, _ in points.values()) and grade["possible"] == 100
    results = json.loads((tmp_path / "results/results.json").read_text(encoding="utf-8"))
    assert results["score"] == grade["points"] / 100
    assert {one["name"]: (one["points"], one["max_points"]) for one in results["tests"]} == points


def test_a_grade_becomes_a_result_for_classroom_50(run_recipe, tmp_path):
    """https://github.com/foundation50/classroom50, schemas/result-v1.schema.json, says what it reads."""
    given = {"CLASSROOM": "nlp", "ASSIGNMENT": "bpe", "ASSIGNMENT_TYPE": "individual", "OWNER": "ada"}
    links = {"COMMIT_URL": "https://a/1", "RELEASE_URL": "https://a/2", "REVIEW_URL": "https://a/3"}
    variables = {**given, **links, "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d"}
    grade = run_recipe("Classroom 50", tmp_path / "nlp-bpe-ada", {}, **variables)
    result = json.loads((tmp_path / "nlp-bpe-ada/result.json").read_text(encoding="utf-8"))
    names = [re.sub("_(url|tag)$", "", name.lower()) for name in variables]
    assert {name: result[name] for name in names} == dict(zip(names, variables.values()))
    assert result["schema"] == "classroom50/result/v1" and re.fullmatch(r"[\d-]{10}T[\d:]{8}Z", result["datetime"])
    whole = ("score", "max-score")
    assert [result[name] for name in whole] == [round(grade["points"]), round(grade["possible"])]
    assert {type(one[name]) for one in [result, *result["tests"]] for name in whole} == {int}
    tests = {one["test-name"]: (one["passed"], one["score"], one["max-score"]) for one in result["tests"]}
    assert tests["91 double"] == (True, 30, 30) and tests["91 halve"][0] is False


def push(folder: Path, date: str, text: str = "", branch: str = "main") -> None:
    """Commit a version of the exercise file, dated as given, to a student's repository."""
    dates = {"GIT_AUTHOR_DATE": f"{date} +0100", "GIT_COMMITTER_DATE": f"{date} +0100"}
    identity = ["-c", "user.name=Student", "-c", "user.email=student@example.org"]
    file = folder / modules()["04"].exercise_path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    for command in (["init", "-q"], ["checkout", "-q", "-B", branch], ["add", "--all"], ["commit", "-q", "-m", "Work"]):
        subprocess.run(["git", *identity, *command], cwd=folder, env={**os.environ, **dates}, check=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="clones need git, which this machine lacks")
def test_clones_are_collected_as_they_were_at_the_deadline_and_nobody_is_lost(tmp_path):
    untouched = modules()["04"].exercise_file.read_text(encoding="utf-8")
    before, late = "2026-11-27 23:58:30", "2026-11-28 00:00:30"
    written = {name: untouched.replace("TODO: _merge", f"{name}'s") for name in ("ada", "bob")}
    commits = {
        "ada": [("2026-11-20 10:00", untouched, "main"), (before, written["ada"], "main"), (late, "late = 1", "main")],
        "bob": [("2026-11-20 10:00", untouched, "main"), (before, written["bob"], "solution")],
        "cy": [(late, written["ada"], "main")],
        "dee": [("2026-11-20 10:00", untouched, "main"), (late, written["ada"], "main")],
        "empty": [],
    }
    for name, each in commits.items():
        (tmp_path / name).mkdir()
        subprocess.run(["git", "init", "-q"], cwd=tmp_path / name, check=True)
        for date, text, branch in each:
            push(tmp_path / name, date, text, branch)
        subprocess.run(["git", "checkout", "-q", "main"], cwd=tmp_path / name, check=bool(each))
    lines = [f"{name} {tmp_path / name}\n" for name in (*commits, "nowhere")]
    (tmp_path / "students.txt").write_text("".join(lines), encoding="utf-8")
    block = block_under("Collecting clones", "bash")
    done = subprocess.run(["bash", "-uc", block], cwd=tmp_path, capture_output=True, encoding="utf-8")
    none = {f"{name}: no commit before the deadline" for name in ("cy", "empty", "nowhere")}
    assert none == {line for line in done.stdout.splitlines() if "no commit" in line}, done.stderr
    assert re.search(r"^ada: .*Nov 27 23:58:30 2026 \+0100  Work$", done.stdout, re.MULTILINE)
    found = find_submissions([tmp_path / "clones"]).submissions
    assert {one.name: one.files.get("bpe", b"").decode() for one in found} == dict.fromkeys(
        (*commits, "nowhere"), ""
    ) | written
