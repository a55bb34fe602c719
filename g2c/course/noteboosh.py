"""The command behind noteboosh.sh: open and run the course's notebooks. Needs the standard library alone.

A notebook is copied before it is opened, so that `git pull` never conflicts with a student's work:

    notebooks/04-tokenizer.ipynb            --> notebooks/mine/04-tokenizer.ipynb
    notebooks/solutions/04-tokenizer.ipynb  --> notebooks/mine/04-tokenizer-solution.ipynb
    an earlier copy, when --fresh is given  --> notebooks/mine/archive/04-tokenizer-2026-01-31-150000.ipynb
    what --run shows                        --> notebooks/mine/executed/04-tokenizer.ipynb
"""

import argparse
import os
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

from g2c.common.answer_key import NO_ANSWERS, VARIABLE, has_key
from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY, artifacts_folder, display_path, require_checkout
from g2c.course import datasets, working_copies
from g2c.course.environment import EnvironmentFolder
from g2c.course.exercises import modules

NOTEBOOKS = REPOSITORY / "notebooks"
WORK = NOTEBOOKS / "mine"
EXECUTED = WORK / "executed"


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    # A script that is terminated also stops what it has started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        require_checkout("Opening a notebook of the course")
        original = find_notebook(options.module, solution=options.solution)
        python = EnvironmentFolder(say=print_line).ensure()
        copy = WORK / (f"{original.stem}-solution.ipynb" if options.solution else original.name)
        if options.fresh and copy.exists():
            print_line(f"Your earlier copy is kept: {display_path(archive(copy))}")
        # Running changes no notebook, so the solution runs from the original and not from a possibly older copy.
        run_original = options.run and options.solution
        if not run_original and not copy.exists():
            copy_whole(original, copy)
            working_copies.remember(original, copy)
            print_line(f"New working copy: {display_path(copy)}")
        if options.run:
            require_writable(EXECUTED, artifacts_folder())
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename} could not be written: {error.strerror}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return datasets.STOPPED
    if options.solution:
        os.environ[VARIABLE] = modules()[options.module].keys
    if not options.run:
        jupyter_options = [f"--port={options.port}"] if options.port is not None else []
        open_in_jupyter(python, copy, [*jupyter_options, *(["--no-browser"] if options.no_browser else [])])
    fetching = datasets.main(["--tiny"])
    if fetching == datasets.STOPPED:
        return fetching
    if fetching != 0:
        print_line("The notebook goes on with the corpus pydocs instead of TinyShakespeare.")
    run(python, original if run_original else copy, executed=EXECUTED / copy.name)


def find_notebook(module: str, *, solution: bool) -> Path:
    """The notebook of a module as the course hands it out.

    Raises:
        CourseError: the module has no such notebook. The message lists the modules that have one.
    """
    files = {known.id: known.solution_file if solution else known.notebook_file for known in modules().values()}
    notebooks = {module_id: file for module_id, file in files.items() if file.exists()}
    if solution and not has_key():
        raise CourseError(NO_ANSWERS)
    if module not in notebooks:
        kind = "solution notebook" if solution else "notebook"
        raise CourseError(
            f"There is no {kind} for module {module!r}; these modules have one: {', '.join(notebooks) or 'none'}."
        )
    return notebooks[module]


def copy_whole(original: Path, copy: Path) -> None:
    """Copy a notebook atomically. Links to files of the course lead to the same files from the copy's folder."""
    copy.parent.mkdir(exist_ok=True)
    new = copy.with_suffix(".new")
    deeper = len(copy.parent.parts) - len(original.parent.parts)
    new.write_bytes(original.read_bytes().replace(b"](../", b"](" + b"../" * (deeper + 1)))
    new.replace(copy)


def archive(copy: Path) -> Path:
    """Move a working copy into the archive, under a new name with date and time. Returns its new path."""
    folder = WORK / "archive"
    folder.mkdir(exist_ok=True)
    archived = folder / f"{copy.stem}-{time.strftime('%Y-%m-%d-%H%M%S')}.ipynb"
    while archived.exists():
        archived = archived.with_stem(f"{archived.stem}-again")
    return copy.rename(archived)


def require_writable(*folders: Path) -> None:
    """Create the folders that do not exist.

    Raises:
        CourseError, OSError: a folder cannot be created, or nothing can be created in it.
    """
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise CourseError(
                f"Nothing can be written to {folder}, where the results go. Run the notebook in a copy of the course "
                "that you may write to."
            )


def run(python: Path, notebook: Path, *, executed: Path) -> NoReturn:
    """Become the process that executes the notebook without a browser."""
    os.execv(python, [str(python), "-m", "g2c.course.run_notebook", str(notebook), str(executed)])


def open_in_jupyter(python: Path, notebook: Path, options: list[str]) -> NoReturn:
    """Become Jupyter Lab, with the repository as its folder, so that the exercise file can be opened there too."""
    print_line(f"Opening {display_path(notebook)} in Jupyter Lab. Ctrl-C here ends it.")
    if os.geteuid() == 0:
        options = ["--allow-root", *options]
    os.chdir(REPOSITORY)
    os.execv(
        python,
        [str(python), "-m", "jupyterlab", f"--ServerApp.root_dir={REPOSITORY}", display_path(notebook), *options],
    )


def print_line(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./noteboosh.sh",
        description="Open the notebook of a module in Jupyter Lab: your working copy in notebooks/mine, which is made "
        "if there is none. The environment .venv is made if it is missing or out of date; one that the course did not "
        "make is never changed.",
    )
    parser.add_argument("module", metavar="MODULE", help="the module's ID, such as 04")
    parser.add_argument("--fresh", action="store_true", help="archive your copy with date and time, start a new one")
    parser.add_argument("--solution", action="store_true", help="the solution notebook, with the answer key")
    parser.add_argument("--no-browser", action="store_true", help="start Jupyter Lab without opening a browser")
    parser.add_argument("--port", type=int, metavar="N", help="the port on which Jupyter Lab listens")
    parser.add_argument("--run", action="store_true", help="execute it without a browser, and show the progress")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
