"""Autograders for Gradescope and GitHub Classroom, which grade with the course's own tests.

Gradescope takes a zip with `setup.sh` and `run_autograder`; GitHub Classroom runs a workflow in the student's
repository. Both call this file:

    python -m g2c.grading.autograders gradescope SOURCE                        find what each test is worth
    python -m g2c.grading.autograders gradescope SOURCE SUBMISSION RESULTS     grade one, write results.json
    python -m g2c.grading.autograders classroom SUBMISSION MODULE...

The last prints `result=…` as a step's output, in the format that GitHub Classroom's reporter adds up, base64 of JSON:
https://github.com/classroom-resources/autograding-grading-reporter.
"""

import base64
import io
import json
import re
import stat
import subprocess
import sys
import tomllib
import traceback
import zipfile
from collections.abc import Callable, Collection, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.files import write_file
from g2c.common.packages import COURSE
from g2c.common.paths import REPOSITORY
from g2c.course.diagnosis.bank import BANK
from g2c.course.exercises import modules
from g2c.grading.marks import HIDDEN, Grade
from g2c.grading.reports import SHOWN_FAILURES, first_lines, rounded
from g2c.grading.session import Session, chosen_modules
from g2c.grading.submissions import one_submission

SETTINGS = "autograder.json"
SCHEME = "scheme.json"
NOT_FOR_GRADING = {"jupyterlab", "nbclient", "nbformat"}
WORKFLOW = Path(".github") / "workflows" / "classroom.yml"
PLACEHOLDER = "OWNER/COURSE"
MAX_MESSAGE = 2000


# --- what `g2c grade` writes ------------------------------------------------------------------------------------------


def write_gradescope(path: Path, module_ids: Collection[str], hidden: Path | None) -> Path:
    """Write the autograder zip: the two scripts, the course, the hidden tests, and the list of packages to install.

    Args:
        path: the zip.
        module_ids: the modules to grade.
        hidden: the folder of hidden tests; None for none.

    Raises:
        CourseError: a module does not exist.
        SavingError: the zip cannot be written.
    """
    graded = chosen_modules(module_ids)
    settings = {"modules": [module.id for module in graded], "hidden": hidden is not None}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("setup.sh", "run_autograder"):
            _add(archive, name, _template(name).encode(), executable=True)
        _add(archive, SETTINGS, json.dumps(settings, indent=2).encode())
        _add(archive, "requirements.txt", "\n".join(requirements()).encode())
        for file in (REPOSITORY / "constraints.txt", *_files_for_tests()):
            _add(archive, f"course/{file.relative_to(REPOSITORY).as_posix()}", file.read_bytes())
        for file in _visible_files(hidden) if hidden else ():
            _add(archive, f"hidden/{file.relative_to(hidden or file).as_posix()}", file.read_bytes())
    write_file(path, [stream.getvalue()])
    return path


def write_github_classroom(folder: Path, module_ids: Collection[str]) -> Path:
    """Write the workflow into a repository that students start from. Returns its path.

    Args:
        folder: the repository.
        module_ids: the modules to grade.
    """
    text = _template("classroom.yml")
    for mark, content in {
        "@REPOSITORY@": _origin() or PLACEHOLDER,
        "@MODULES@": " ".join(module.id for module in chosen_modules(module_ids)),
        "@PACKAGES@": " ".join(requirements()),
    }.items():
        text = text.replace(mark, content)
    write_file(folder / WORKFLOW, [text.encode()])
    return folder / WORKFLOW


def _files_for_tests() -> Iterator[Path]:
    """What the tests need of the course: the package, the suites, the mistakes, and the pages that reports name."""
    yield REPOSITORY / "pyproject.toml"
    yield from _visible_files(REPOSITORY / "g2c")
    # Without the wrong solutions, no report would name a mistake.
    yield from _visible_files(BANK)
    for module in modules().values():
        paths = (module.suite_file, REPOSITORY / module.handout, REPOSITORY / module.pitfalls, module.checks_file)
        yield from (path for path in dict.fromkeys(paths) if path.is_file())


def _visible_files(folder: Path) -> Iterator[Path]:
    """The files in a folder, without caches and hidden ones."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and "__pycache__" not in parts and not any(part.startswith(".") for part in parts):
            yield path


def requirements() -> list[str]:
    """The packages that grading needs. Their versions are in constraints.txt."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = [*project["dependencies"], *project["optional-dependencies"][COURSE]]
    return [name for name in packages if name not in NOT_FOR_GRADING]


def _template(name: str) -> str:
    return (files("g2c.grading") / "templates" / name).read_text(encoding="utf-8")


def _add(archive: zipfile.ZipFile, name: str, content: bytes, *, executable: bool = False) -> None:
    member = zipfile.ZipInfo(name, date_time=(2024, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
    archive.writestr(member, content)


def _origin() -> str | None:
    """OWNER/NAME of the course's repository; None unless the git remote `origin` is on GitHub."""
    try:
        done = subprocess.run(
            ["git", "-C", str(REPOSITORY), "remote", "get-url", "origin"], capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(\.git)?$", done.stdout.strip())
    return match[1] if match else None


# --- what the platforms run -------------------------------------------------------------------------------------------


def gradescope(source: str, submission: str = "", target: str = "") -> int:
    """Grade one submission with the settings and hidden tests in `source`, which keeps what each test is worth."""
    if not submission:
        (Path(source) / SCHEME).unlink(missing_ok=True)
        with _session_of(Path(source)):
            return 0
    try:
        with _session_of(Path(source)) as session:
            found, code = results(session.grade(one_submission(Path(submission)))), 0
    except Exception:
        # The student gets one sentence; the traceback is in the instructor's log.
        traceback.print_exc()
        sentence = "This submission could not be graded. Tell your instructor."
        found, code = {"score": 0, "output": sentence, "tests": []}, 1
    write_file(Path(target), [json.dumps(found, indent=2, ensure_ascii=False).encode("utf-8", errors="replace")])
    return code


def results(grade: Grade) -> dict[str, Any]:
    """Gradescope's results.json."""
    tests = []
    for number, mark in enumerate(grade.groups, start=1):
        output = "\n\n".join(
            f"{node.split('::', 2)[-1]}\n{first_lines(text)}"
            for failures in (mark.failures, mark.elsewhere)
            for node, text in failures[:SHOWN_FAILURES]
        )
        tests.append(
            {
                "name": f"{mark.group.module_id} {mark.group.shown}",
                "number": str(number),
                "score": rounded(mark.points),
                "max_score": rounded(mark.group.points),
                "status": "failed" if mark.failures or mark.withheld else "passed",
                "visibility": "hidden" if mark.group.module_id == HIDDEN else "visible",
                "output": f"{mark.passed} of {mark.counted} tests passed. {mark.remark}\n{output}".strip(),
                "output_format": "text",
            }
        )
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
        hidden=source / "hidden" if settings["hidden"] else None,
        private=[source],
        jobs=1,
        scheme=source / SCHEME,
    )


def classroom(submission: str, *module_ids: str) -> int:
    """Grade one submission, and print the points of each exercise: for people, and as a step's output."""
    with Session(list(module_ids), jobs=1) as session:
        grade = session.grade(one_submission(Path(submission)))
    tests = []
    for (module_id, title), (got, possible) in grade.by_title().items():
        groups = [mark for mark in grade.groups if (mark.group.module_id, mark.group.title) == (module_id, title)]
        messages = [f"{node}\n{message}" for mark in groups for node, message in mark.failures[:1]]
        line = f"{module_id} {title}: {rounded(got):g} of {rounded(possible):g} points"
        print(line, file=sys.stderr)
        tests.append(
            {
                "name": line,
                "status": "pass" if got == possible else "fail",
                "score": rounded(got),
                "message": "\n\n".join(messages)[:MAX_MESSAGE],
            }
        )
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
