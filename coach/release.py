"""`g2c release`: write the repository that students clone, from the files that are committed here.

It has all modules; the syllabus, and `modules` in the list of exercises, say which ones count. It leaves out the files
for instructors (`for_instructors`) and, for a release without answers, `WITH_ANSWERS`. It rewrites

    *.md                         without the part between <!-- instructors --> and <!-- end -->
    notebooks/*.ipynb            without model answers, for a release without answers
    notebooks/checks/*.py        without the wrong variants of answers, for a release without answers

It adds the files in `ONLY_IN_A_RELEASE`, and `LIST`. From that list, a later call knows the files of the release that
it replaces, and leaves all others alone.
"""

import argparse
import ast
import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from pathlib import Path

from coach.common.course_file import PROGRAM, course_file
from coach.common.errors import CourseError
from coach.common.files import check_not_current, replacing_folder, write_file
from coach.common.paths import REPOSITORY
from coach.exercises import Module, counted_modules, modules

ONLY_IN_A_RELEASE = {".github/workflows/tests.yml": ".ci/students-tests.yml", "AGENTS.md": ".ci/students-agents.md"}
"""Files that only a release has -> their places in the course, where nothing reads them: a workflow that runs the
suites on every push, and what assistants may do."""

LIST = ".release"
"""The file in a release that lists its other files, one in a line."""

WITH_ANSWERS = ("*/solutions/*", "mistakes/*/[!_]*.py")
"""Left out of a release without answers. A wrong solution of the bank differs from the key by a line or two."""


def for_instructors() -> list[str]:
    """Return the patterns of files that no release contains: they mark, prove, build and extend the course."""
    return [
        "coach/release.py",
        "coach/grading/*",
        "coach/page/*",
        *course_file().get("release", {}).get("for_instructors", ()),
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="where to write it: a new folder, or an earlier release to update")
    help_text = (
        "leave out the answer key, solution notebooks, model answers and the code of the mistake bank; reports name "
        "the same mistakes"
    )
    parser.add_argument("--no-solutions", action="store_true", help=help_text)
    parser.epilog = "docs/instructors.md says what a release contains."


def run(arguments: argparse.Namespace) -> int:
    folder = Path(os.path.abspath(arguments.folder))
    files = files_for_students(answers=not arguments.no_solutions)
    is_update = (folder / LIST).is_file()
    (update_release if is_update else write_release)(folder, files)
    megabytes = sum(map(len, files.values())) / 1e6
    counted = ", ".join(module.id for module in counted_modules())
    print(f"Wrote {len(files)} files ({megabytes:.1f} MB) to {folder}, with all modules. These count: {counted}.")
    print(f"To publish it:\n\n    cd {shlex.quote(str(folder))}")
    begin, message = ("", "Update the course") if is_update else ("git init && ", "The course")
    print(f"    {begin}git add --all && git commit -m '{message}'{' && git push' if is_update else ''}")
    return 0


def write_release(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a release into a new or empty folder. `files`: path -> content."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(f"{folder} already exists and is not empty. Name a new folder, an empty one or a release.")
    check_not_current(folder)
    with replacing_folder(folder) as whole:
        _write(whole, files)


def update_release(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a release over an earlier one, and remove files that only the earlier one has.

    Nothing is lost, because everything in the folder must be committed; other files in it do not change.
    """
    if not (folder / ".git").exists() or _git("status", "--porcelain", folder=folder):
        raise CourseError(f"Not everything in {folder} is committed. Commit it, then call `{PROGRAM} release` again.")
    before = (folder / LIST).read_text(encoding="utf-8").splitlines()
    committed = _git("ls-files", "-z", folder=folder).split("\0")
    if gone := sorted({*before}.intersection(committed).difference(files)):
        _git("--literal-pathspecs", "rm", "--quiet", "--", *gone, folder=folder)
    _write(folder, files)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        write_file(folder / path, [content])
        if path.endswith(".sh"):
            (folder / path).chmod(0o755)


def files_for_students(*, answers: bool) -> dict[str, bytes]:
    """Return path -> content of a release's files."""
    if _git("status", "--porcelain", "--untracked-files=no", "."):
        raise CourseError(
            "Some files have uncommitted changes, and a release contains only what is committed. Commit them first."
        )
    tracked = _git("ls-files", "-z").split("\0")[:-1]
    if not tracked:
        raise CourseError(f"A release is made from a clone with git, and git has no file of {REPOSITORY}. Clone it.")
    for module in modules().values():
        exercise_file_of(module)
    left_out = (*for_instructors(), *(() if answers else WITH_ANSWERS))
    paths = [path for path in tracked if not _matches(path, left_out)]
    files = {path: _for_students(path, (REPOSITORY / path).read_bytes(), answers) for path in paths}
    files |= {
        path: (REPOSITORY / own).read_bytes() for path, own in ONLY_IN_A_RELEASE.items() if (REPOSITORY / own).is_file()
    }
    files[LIST] = "".join(f"{path}\n" for path in sorted(files)).encode()
    return files


def exercise_file_of(module: Module) -> str:
    """Return an exercise file as it is handed out. Raises CourseError if there is an answer in it."""
    text = module.exercise_file.read_text(encoding="utf-8")
    for exercise in module.exercises:
        if f'NotImplementedError("TODO: {exercise.name}")' not in text:
            raise CourseError(f"{module.exercise_path} contains an answer: it lacks the TODO of {exercise.name}.")
    return text


def is_for_instructors(path: str) -> bool:
    """Tell whether no release contains the file, given as a path in the repository."""
    return _matches(path, for_instructors())


def _matches(path: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(path, pattern) for pattern in patterns)


def _git(*arguments: str, folder: Path = REPOSITORY) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        raise CourseError("A release is made from a clone with git, which is not installed here.") from None
    if done.returncode:
        raise CourseError(f"A release is made from a clone with git: {done.stderr.strip()}")
    return done.stdout


def _for_students(path: str, content: bytes, answers: bool) -> bytes:
    """Return the content of a file in the release."""
    if path.endswith(".md"):
        return without_instructors(content.decode()).encode()
    if fnmatch(path, "notebooks/*.ipynb") and not answers:
        return without_model_answers(content.decode()).encode()
    if fnmatch(path, "notebooks/checks/*.py") and not answers:
        return _without_variants(content.decode()).encode()
    return content


def without_instructors(text: str) -> str:
    """Return a page without the parts between <!-- instructors --> and <!-- end -->.

    >>> without_instructors("1\\n\\n<!-- instructors -->\\n2\\n<!-- end -->\\n\\n3\\n\\n\\n4\\n")
    '1\\n\\n3\\n\\n\\n4\\n'
    """
    part = r"(^\n)?^ *<!-- instructors -->\n.*?^ *<!-- end -->\n(?(1)\n?)"  # Of two empty lines around it, one stays.
    return re.sub(part, r"\1", text, flags=re.MULTILINE | re.DOTALL)


def without_model_answers(text: str) -> str:
    """Return the text of an exercise notebook without the model answers to questions."""
    notebook = json.loads(text)
    notebook["cells"] = [cell for cell in notebook["cells"] if not cell.get("id", "").endswith("-model")]
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _without_variants(text: str) -> str:
    """Return a file of checks without `wrong=[...]`, which begins a line and ends one."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and node.arg == "wrong":
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)  # type: ignore[operator]
    return "".join(lines)
