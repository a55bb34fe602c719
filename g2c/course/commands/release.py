"""`g2c release`: write the repository that students clone."""

import argparse
import os
import shlex
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.course.exercises import modules
from g2c.course.release import environment_bytes, files_for_students, write_release


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="where to write it: a folder that does not exist yet")
    parser.add_argument(
        "--modules",
        metavar="LIST",
        type=module_list,
        default=list(modules()),
        help="module IDs, such as 04,04a; by default all",
    )
    parser.add_argument(
        "--no-solutions",
        action="store_true",
        help="leave out the answer key, solution notebooks, model answers and the code of the mistake bank; reports "
        "then recognize mistakes by stored calls",
    )
    parser.epilog = "docs/instructors.md says what a release contains."


def module_list(text: str) -> list[str]:
    """Read module IDs that are separated by commas; an option's argument ends at a space, so none may follow."""
    if text.rstrip().endswith(","):
        raise CourseError(f"--modules {text} ends with a comma. Write module IDs without spaces: --modules 04,04a.")
    return [name.strip() for name in text.split(",") if name.strip()]


def run(arguments: argparse.Namespace) -> int:
    folder = Path(os.path.abspath(arguments.folder))
    module_ids = arguments.modules
    files_for_students(module_ids, answers=not arguments.no_solutions)  # What is wrong is said before it takes long.
    if arguments.no_solutions:
        print("Testing every wrong solution in the mistake bank, which takes a minute or two …", flush=True)
    count = write_release(folder, module_ids, answers=not arguments.no_solutions)
    several = "s" if len(module_ids) > 1 else ""
    megabytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    print(f"Wrote {count} files ({megabytes:.1f} MB) to {folder}, with module{several} {', '.join(module_ids)}.")
    print(f"In a clone, the first run installs packages into .venv: {environment_bytes() / 1e6:.0f} MB.")
    print(f"To publish it:\n\n    cd {shlex.quote(str(folder))}")
    print(f"    git init && git add --all && git commit -m 'Module {module_ids[0]}'")
    return 0
