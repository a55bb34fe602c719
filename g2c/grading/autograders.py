"""Autograders for Gradescope and GitHub Classroom, which grade with the course's own tests.

Gradescope takes a zip with `setup.sh` and `run_autograder`; GitHub Classroom runs a workflow in the student's
repository. Both call this file:

    python -m g2c.grading.autograders gradescope SOURCE                        find what each test is worth
    python -m g2c.grading.autograders gradescope SOURCE SUBMISSION RESULTS     grade one, write results.json
    python -m g2c.grading.autograders classroom SUBMISSION [--hidden FOLDER] MODULE...

The last prints `result=…` as a step's output, in the format that GitHub Classroom's reporter adds up, base64 of JSON:
https://github.com/classroom-resources/autograding-grading-reporter.
"""

import base64
import io
import json
import shlex
import stat
import sys
import tomllib
import zipfile
from collections.abc import Callable, Collection
from importlib.resources import files
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.files import write_file
from g2c.common.packages import COURSE_GROUP
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import chosen_modules
from g2c.grading.marks import HIDDEN, Grade
from g2c.grading.reports import SHOWN_FAILURES, first_lines, rounded
from g2c.grading.session import Session
from g2c.grading.submissions import one_submission

SETTINGS = "autograder.json"
SCHEME = "scheme.json"
FOR_GRADING = ("pyproject.toml", "constraints.txt", "g2c", "mistakes", "tests", "docs")
"""What grading needs of the course, with the wrong solutions and pages that reports name."""
NOT_FOR_GRADING = {"jupyterlab", "nbclient", "nbformat"}
WORKFLOW = Path(".github") / "workflows" / "classroom.yml"
MAX_MESSAGE = 2000


# --- what `g2c grade` writes ------------------------------------------------------------------------------------------


def write_gradescope(path: Path, module_ids: Collection[str], hidden: Path | None) -> Path:
    """Write the autograder zip: the two scripts, the course, the hidden tests, and the list of packages to install."""
    graded = chosen_modules(module_ids)
    settings = {"modules": [module.id for module in graded]}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("setup.sh", "run_autograder"):
            _add(archive, name, _template(name).encode(), executable=True)
        _add(archive, SETTINGS, json.dumps(settings, indent=2).encode())
        _add(archive, "requirements.txt", "\n".join(requirements()).encode())
        for name in FOR_GRADING:
            _add_visible(archive, f"course/{name}", REPOSITORY / name)
        if hidden:
            _add_visible(archive, "hidden", hidden)
    write_file(path, [stream.getvalue()])
    return path


def write_github_classroom(folder: Path, module_ids: Collection[str], hidden: Path | None = None) -> Path:
    """Write the workflow into a repository that students start from. Returns its path."""
    arguments = [module.id for module in chosen_modules(module_ids)]
    if hidden:
        if REPOSITORY not in hidden.resolve().parents:
            raise CourseError(
                f"{hidden} is not in the course's repository, which is all that the workflow has. Commit the hidden "
                "tests there, and keep the repository private."
            )
        arguments[:0] = ["--hidden", f"course/{hidden.resolve().relative_to(REPOSITORY).as_posix()}"]
    text = _template("classroom.yml").replace("@PACKAGES@", " ".join(requirements()))
    text = text.replace("@ARGUMENTS@", shlex.join(arguments))
    write_file(folder / WORKFLOW, [text.encode()])
    return folder / WORKFLOW


def _add_visible(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    """Add a file, or the files in a folder without caches and hidden ones."""
    for inner in [path, *sorted(path.rglob("*"))]:
        parts = inner.relative_to(path).parts
        if inner.is_file() and "__pycache__" not in parts and not any(part.startswith(".") for part in parts):
            _add(archive, "/".join((name, *parts)), inner.read_bytes())


def requirements() -> list[str]:
    """List the packages that grading needs. Their versions are in constraints.txt."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = [*project["dependencies"], *project["optional-dependencies"][COURSE_GROUP]]
    return [name for name in packages if name not in NOT_FOR_GRADING]


def _template(name: str) -> str:
    return (files("g2c.grading") / "templates" / name).read_text(encoding="utf-8")


def _add(archive: zipfile.ZipFile, name: str, content: bytes, *, executable: bool = False) -> None:
    member = zipfile.ZipInfo(name, date_time=(2024, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
    archive.writestr(member, content)


# --- what the platforms run -------------------------------------------------------------------------------------------


def gradescope(source: str, submission: str = "", target: str = "") -> int:
    """Grade one submission with the settings and hidden tests in `source`, which keeps what each test is worth."""
    if not submission:
        (Path(source) / SCHEME).unlink(missing_ok=True)
        with _session_of(Path(source)):
            return 0
    with _session_of(Path(source)) as session:
        found = results(_graded(session, submission))
    write_file(Path(target), [json.dumps(found, indent=2, ensure_ascii=False).encode("utf-8", errors="replace")])
    return 0


def _graded(session: Session, submission: str) -> Grade:
    """Grade one submission. An error means that there is no score: it is the machine's fault, not the student's."""
    grade = session.grade(one_submission(Path(submission)))
    if not grade.is_graded:
        raise CourseError(" ".join(grade.notes))
    return grade


def results(grade: Grade) -> dict[str, Any]:
    """Return Gradescope's results.json."""
    tests: list[dict[str, Any]] = []
    for mark in grade.groups:
        shown = [f"{node.split('::', 2)[-1]}\n{first_lines(record)}" for node, record in mark.failures[:SHOWN_FAILURES]]
        output = "\n\n".join(shown)
        tests.append(
            {
                "name": f"{mark.group.module_id} {mark.group.shown}",
                "score": rounded(mark.points),
                "max_score": rounded(mark.group.points),
                "status": "failed" if mark.failures else "passed",
                "visibility": "hidden" if mark.group.module_id == HIDDEN else "visible",
                "output": f"{mark.passed} of {len(mark.group.nodes)} tests passed. {mark.remark}\n{output}".strip(),
            }
        )
    if grade.deducted:
        tests.append({"name": "forgiven", "score": -rounded(grade.deducted), "max_score": 0.0, "status": "failed"})
        tests[-1] |= {"visibility": "visible", "output": "What was forgiven costs points."}
    for number, test in enumerate(tests, start=1):
        test |= {"number": str(number), "output_format": "text"}
    return {
        "score": rounded(grade.score),
        "output": "\n".join(grade.notes) or "All tests have run.",
        "output_format": "text",
        "visibility": "visible",
        "tests": tests,
    }


def _session_of(source: Path) -> Session:
    settings = json.loads((source / SETTINGS).read_text(encoding="utf-8"))
    return Session(
        settings["modules"],
        hidden=source / "hidden" if (source / "hidden").is_dir() else None,
        private=[source],
        jobs=1,
        scheme=source / SCHEME,
    )


def classroom(submission: str, *arguments: str) -> int:
    """Grade one submission, and print the points of each test group: for people, and as a step's output."""
    hidden, module_ids = (Path(arguments[1]), arguments[2:]) if arguments[0] == "--hidden" else (None, arguments)
    with Session(list(module_ids), hidden=hidden, jobs=1) as session:
        grade = _graded(session, submission)
    tests = []
    for test in results(grade)["tests"]:
        line = f"{test['name']}: {test['score']:g} of {test['max_score']:g} points"
        print(line, file=sys.stderr)
        status = "pass" if test["status"] == "passed" else "fail"
        message = test["output"][:MAX_MESSAGE] if test["visibility"] == "visible" else ""
        tests.append({"name": line, "status": status, "score": test["score"], "message": message})
    print("\n".join(grade.notes), file=sys.stderr)
    status = "pass" if grade.score == grade.possible else "fail"
    report = {"version": 1, "status": status, "max_score": rounded(grade.possible), "tests": tests}
    print(f"result={base64.b64encode(json.dumps(report).encode()).decode()}")
    return 0


if __name__ == "__main__":
    commands: dict[str, Callable[..., int]] = {"gradescope": gradescope, "classroom": classroom}
    try:
        sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
    except CourseError as error:
        sys.exit(f"g2c: {error}")
