"""Opens and runs the course's notebooks, for noteboosh.sh. Needs only the standard library.

A notebook is copied before it is opened, so that `git pull` never conflicts with a student's work:

    notebooks/04-tokenizer.ipynb            --> notebooks/mine/04-tokenizer.ipynb
    notebooks/solutions/04-tokenizer.ipynb  --> notebooks/mine/04-tokenizer-solution.ipynb
    an earlier copy, with --fresh           --> notebooks/mine/archive/04-tokenizer-2026-01-31-150000-271828.ipynb
    an executed notebook, with --run        --> notebooks/mine/executed/04-tokenizer.ipynb
"""

import argparse
import os
import sys
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from coach.common.answer_key import NO_ANSWERS, VARIABLE
from coach.common.course_file import PROGRAM, hook
from coach.common.errors import CourseError
from coach.common.files import write_file
from coach.common.paths import REPOSITORY, display_path
from coach.exercises import chosen_modules, has_answers, modules
from coach.notebooks import answer_list
from coach.plain import print_line, reports_errors
from coach.setup.environment import EnvironmentFolder

MEANINGS = {
    "--fresh": "archive your copy under the date and time, and start a new one",
    "--setup": "create the environment and your copy, fetch the corpus, and open nothing",
    "--solution": "use the solution notebook, with the answer key",
    "--run": "execute the notebook without a browser",
}


def _parsed(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the options, and those for Jupyter Lab."""
    parser = argparse.ArgumentParser(
        prog="./noteboosh.sh",
        description="Open the notebook of a module in Jupyter Lab: your working copy in notebooks/mine, which is "
        "created if there is none. The environment .venv is created if it is missing, and updated if it is out of "
        "date; an environment that the course did not create is never changed.",
        epilog="Further options, such as --no-browser or --port=8890, are those of Jupyter Lab.",
    )
    parser.add_argument("module", metavar="MODULE", help="the module's ID, such as 04")
    for option, meaning in MEANINGS.items():
        parser.add_argument(option, action="store_true", help=meaning)
    # With the module first, "--port 8890 04" is an option of Jupyter Lab with its value, and no module 8890.
    options, for_jupyter = parser.parse_known_args(sorted(arguments, key=lambda one: one not in modules()))
    if (options.run or options.setup) and for_jupyter:
        parser.error(f"unrecognized arguments: {' '.join(for_jupyter)}")
    return options, for_jupyter


@reports_errors
def main(arguments: list[str]) -> int:
    """Become Jupyter Lab with the notebook, or the process that executes it; or, with --setup, only prepare it."""
    options, for_jupyter = _parsed(arguments)
    [module] = chosen_modules([options.module])
    original, copy = module.notebook_file, module.working_copy
    if options.solution:
        if not has_answers():
            raise CourseError(NO_ANSWERS)
        original, copy = module.solution_file, copy.with_stem(f"{copy.stem}-solution")
        os.environ[VARIABLE] = module.keys
    python = str(EnvironmentFolder().ensure())
    # A run changes no notebook, so the solution notebook needs no copy, which might be out of date.
    notebook = original if options.run and options.solution else copy
    if notebook is copy:
        make_copy(original, copy, fresh=options.fresh)
    if prepare := hook("before_notebook"):
        prepare()
    if options.setup:
        print_line(f"Everything is ready. Next: source .venv/bin/activate, and then: {PROGRAM} watch {module.id}")
        return 0
    # The notebooks multiply small matrices: on a busy machine, numpy's threads would mostly wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    command = ["coach.notebooks.run_notebook", str(notebook), str(copy.parent / "executed" / copy.name)]
    if not options.run:
        command = ["jupyterlab", *jupyter_options(display_path(notebook)), *for_jupyter]
    os.execv(python, [python, "-P", "-m", *command])


def make_copy(original: Path, copy: Path, *, fresh: bool) -> None:
    """Make the working copy, if there is none or with `fresh`, with links to files changed for its folder."""
    if fresh and copy.exists():
        archive = copy.parent / "archive"
        archive.mkdir(exist_ok=True)
        kept = copy.rename(archive / f"{copy.stem}-{datetime.now():%Y-%m-%d-%H%M%S-%f}.ipynb")
        print_line(f"Your earlier copy is kept: {display_path(kept)}")
    if not copy.exists():
        up = "../" * (len(copy.parent.parts) - len(original.parent.parts) + 1)
        write_file(copy, [original.read_bytes().replace(b"](../", f"]({up}".encode())])
        answer_list.store_right(copy.name)
        print_line(f"New working copy: {display_path(copy)}")


def jupyter_options(name: str) -> list[str]:
    """Make Jupyter Lab open a notebook, and print only the page's address, and errors.

    Its folder is the repository, so the exercise file can be opened there too.
    """
    print_line(f"Starting Jupyter Lab with {name}. If no browser opens in a few seconds, open the address below.")
    print_line("To stop it, save the notebook and press Ctrl-C here twice.")
    options = [f"--ServerApp.root_dir={REPOSITORY}", f"--LabApp.default_url=/lab/tree/{quote(name)}"]
    options += ["--log-level=ERROR", "--LabApp.log_level=ERROR", "--ServerApp.log_format=%(message)s"]
    return [*options, "--allow-root"] if os.geteuid() == 0 else options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
