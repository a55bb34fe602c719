"""Makes and runs the autograder for Gradescope, which grades with the course's own tests.

Gradescope takes a zip with `setup.sh` and `run_autograder`, which runs this file:

    python -m coach.grading.autograder SUBMISSION [--hidden FOLDER] MODULE...

It prints the content of results.json.
"""

import argparse
import json
import shlex
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Collection, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.files import write_file
from coach.common.packages import COURSE_GROUP
from coach.common.paths import REPOSITORY
from coach.exercises import chosen_modules, course_packages
from coach.grading.folders import copy_visible
from coach.grading.marks import HIDDEN, Grade
from coach.grading.reports import SHOWN_FAILURES, rounded, told
from coach.grading.session import Session
from coach.grading.submissions import one_submission

FOR_GRADING = ("pyproject.toml", "constraints.txt", "course.toml", "coach", "mistakes", "tests", "docs")
"""What grading needs beside the packages with exercises, with the wrong solutions and the pages that reports name."""
NOT_FOR_GRADING = {"jupyterlab", "nbclient", "nbformat"}


# --- what `g2c grade` writes ------------------------------------------------------------------------------------------


def write_gradescope(path: Path, module_ids: Collection[str], hidden: Path | None) -> Path:
    """Write the autograder zip: the two scripts, the course, and the hidden tests."""
    arguments = [module.id for module in chosen_modules(module_ids)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "autograder")
        for name in (name for name in (*FOR_GRADING, *course_packages()) if (REPOSITORY / name).exists()):
            copy_visible(REPOSITORY / name, folder / "course" / name)
        if hidden:
            copy_visible(hidden, folder / "hidden")
            arguments[:0] = ["--hidden", "../hidden"]
        for name in ("setup.sh", "run_autograder"):
            (folder / name).write_text(_template(name, arguments), encoding="utf-8")
            (folder / name).chmod(0o755)
        archive = shutil.make_archive(str(folder), "zip", folder)
        write_file(path, [Path(archive).read_bytes()])
    return path


def _template(name: str, arguments: Sequence[str]) -> str:
    """Fill in a template. The versions of the packages are in constraints.txt."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = [*project.get("dependencies", []), *project["optional-dependencies"][COURSE_GROUP]]
    needed = " ".join(name for name in packages if name not in NOT_FOR_GRADING)
    text = (files("coach.grading") / "templates" / name).read_text(encoding="utf-8")
    return text.replace("@PACKAGES@", needed).replace("@ARGUMENTS@", shlex.join(arguments))


# --- what Gradescope runs ---------------------------------------------------------------------------------------------


def results(grade: Grade) -> dict[str, Any]:
    """Return Gradescope's results.json."""
    tests: list[dict[str, Any]] = []
    for mark in grade.groups:
        passed = f"{mark.passed} of {len(mark.group.nodes)} tests passed. {mark.remark}\n"
        failed = "\n\n".join(map("\n".join, told(mark)[:SHOWN_FAILURES]))
        tests.append(
            {
                "name": f"{mark.group.module_id} {mark.group.shown}",
                "score": rounded(mark.points),
                "max_score": rounded(mark.group.points),
                "status": "failed" if mark.failures else "passed",
                "visibility": "hidden" if mark.group.module_id == HIDDEN else "visible",
                "output": (passed + failed).strip(),
            }
        )
    if grade.deducted:
        forgiven = {"name": "forgiven", "score": -rounded(grade.deducted), "max_score": 0.0, "status": "failed"}
        tests.append(forgiven | {"visibility": "visible", "output": "What was forgiven costs points."})
    return {"score": rounded(grade.score), "output": "\n".join([grade.wall, *grade.notes]), "tests": tests}


def main() -> None:
    """Grade one submission, and print the result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("submission", type=Path)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--hidden", type=Path)
    asked = parser.parse_args()
    try:
        # Whatever the code could reach in Gradescope's container, the output says it.
        with Session(asked.modules, hidden=asked.hidden, jobs=1, trust=True) as session:
            grade = session.grade(one_submission(asked.submission))
    except CourseError as error:
        sys.exit(f"{PROGRAM}: {error}")
    if not grade.is_graded:  # The machine's fault, so there must be no score.
        sys.exit(f"{PROGRAM}: {' '.join(grade.notes)}")
    print(json.dumps(results(grade), indent=2))


if __name__ == "__main__":
    main()
