"""Autograders for Gradescope and GitHub Classroom, which grade with the course's own tests.

Gradescope takes a zip with `setup.sh` and `run_autograder`; GitHub Classroom runs a workflow in the student's
repository.
"""

import io
import json
import re
import stat
import subprocess
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.files import write_file
from g2c.common.packages import COURSE
from g2c.common.paths import REPOSITORY
from g2c.course.answer_list import answers_of, checks_file
from g2c.course.diagnosis.bank import BANK
from g2c.course.exercises import modules
from g2c.grading.marks import NOTEBOOK

SETTINGS = "autograder.json"
NOT_FOR_GRADING = {"jupyterlab", "nbclient", "nbformat"}
WORKFLOW = Path(".github") / "workflows" / "classroom.yml"
PLACEHOLDER = "OWNER/COURSE"


def write_gradescope(path: Path, module_ids: Iterable[str], hidden: Path | None, notebook_points: int = 0) -> Path:
    """Write the autograder zip: the two scripts, the course, the hidden tests, and the list of packages to install.

    Args:
        path: the zip.
        module_ids: the modules to grade.
        hidden: the folder of hidden tests; None for none.
        notebook_points: what the answers of each notebook are worth, of the points of its module.

    Raises:
        CourseError: a module or the folder of hidden tests does not exist.
        SavingError: the zip cannot be written.
    """
    graded = _known(module_ids)
    settings = {"modules": graded, "hidden": hidden is not None, "notebook_points": notebook_points}
    if hidden is not None and not hidden.is_dir():
        raise CourseError(f"{hidden} is not a folder; --hidden takes a folder of tests.")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("setup.sh", "run_autograder"):
            _add(archive, name, template(name).encode(), executable=True)
        _add(archive, SETTINGS, json.dumps(settings, indent=2).encode())
        _add(archive, "requirements.txt", "\n".join(requirements()).encode())
        for name in ("pyproject.toml", "constraints.txt"):
            _add(archive, f"course/{name}", (REPOSITORY / name).read_bytes())
        for file in (*_course_files(), *(_notebook_files(graded) if notebook_points else ())):
            _add(archive, f"course/{file.relative_to(REPOSITORY).as_posix()}", file.read_bytes())
        if hidden is not None:
            for file in _visible_files(hidden):
                _add(archive, f"hidden/{file.relative_to(hidden).as_posix()}", file.read_bytes())
    write_file(path, [stream.getvalue()])
    return path


def write_github_classroom(
    folder: Path, module_ids: Iterable[str], repository: str | None = None, notebook_points: int = 0
) -> Path:
    """Write the workflow into a repository that students start from. Returns its path.

    Args:
        folder: the repository.
        module_ids: the modules to grade.
        repository: "OWNER/NAME" of the course on GitHub, where the tests come from; None: the git remote `origin`.
        notebook_points: what the answers of each notebook are worth, of the points of its module.
    """
    path = folder / WORKFLOW
    text = workflow(_known(module_ids), repository or _origin() or PLACEHOLDER, notebook_points)
    write_file(path, [text.encode()])
    return path


def workflow(module_ids: list[str], repository: str, notebook_points: int) -> str:
    """The workflow: one step that grades, then one for each exercise and notebook that reports its points."""
    steps, variables, names = [], [], []
    for module_id in module_ids:
        module = modules()[module_id]
        for title in [
            *(exercise.name for exercise in module.exercises),
            *(["all together"] if module.together else []),
            *([NOTEBOOK] if notebook_points and answers_of(module) else []),
        ]:
            name = re.sub(r"\W+", "-", f"m{module_id}-{title}").replace("_", "-").lower().replace("--", "-")
            names.append(name)
            steps.append(
                f"      - name: {module_id} {title}\n"
                f"        id: {name}\n"
                "        if: always()\n"
                "        run: PYTHONPATH=course python -m g2c.grading.classroom points"
                f" results.json {module_id} '{title}'"
                ' >> "$GITHUB_OUTPUT"\n'
            )
            variables.append(f"          {name.upper()}_RESULTS: ${{{{ steps.{name}.outputs.result }}}}\n")
    text = template("classroom.yml")
    for mark, content in {
        "@REPOSITORY@": repository,
        "@OPTIONS@": f"--notebook-points {notebook_points} " if notebook_points else "",
        "@MODULES@": " ".join(module_ids),
        "      # @STEPS@\n": "\n".join(steps),
        "          # @VARIABLES@\n": "".join(variables),
        "@RUNNERS@": ",".join(names),
        "@PACKAGES@": " ".join(requirements()),
    }.items():
        text = text.replace(mark, content)
    return text


def requirements() -> list[str]:
    """The packages that grading needs, in the versions that the course is tested with.

    >>> [line for line in requirements() if line.startswith("pytest==")] != []
    True
    """
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = {}
    for line in (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").splitlines():
        name, equals, _ = line.partition("==")
        if equals:
            pins[name.strip().lower()] = line.split("#")[0].split(";")[0].strip()
    packages = [*project["dependencies"], *project["optional-dependencies"][COURSE]]
    wanted = (name for name in packages if name not in NOT_FOR_GRADING)
    return [pins.get(name.lower(), name) for name in wanted]


def template(name: str) -> str:
    return (files("g2c.grading") / "templates" / name).read_text(encoding="utf-8")


def _known(module_ids: Iterable[str]) -> list[str]:
    wanted = list(module_ids)
    for module_id in wanted:
        if module_id not in modules():
            raise CourseError(f"There is no module {module_id!r}. The modules are: {', '.join(modules())}.")
    return [module_id for module_id in modules() if module_id in wanted]


def _course_files() -> Iterator[Path]:
    yield from _visible_files(REPOSITORY / "g2c")
    # Without the wrong solutions, no report would name a mistake.
    yield from _visible_files(BANK)
    for module in modules().values():
        pages = dict.fromkeys((module.handout_file, module.pitfalls_file))
        yield from (path for path in (module.suite_file, *pages) if path.is_file())


def _notebook_files(module_ids: Iterable[str]) -> Iterator[Path]:
    """The notebooks as they are handed out, the answer key's, and the checks of their answers."""
    for module in (modules()[module_id] for module_id in module_ids):
        paths = module.notebook_file, module.solution_file, checks_file(module)
        yield from (path for path in paths if path.is_file())


def _visible_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and "__pycache__" not in parts and not any(part.startswith(".") for part in parts):
            yield path


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
