"""Runs student suites: pytest with the course's options, in this process or in its own.

python -m coach.testing.suite_process [pytest's arguments]
"""

import os
import sys
from collections.abc import Sequence
from contextlib import chdir
from importlib.util import find_spec
from pathlib import Path

from coach.common.paths import REPOSITORY


def run_suites(arguments: Sequence[str], plugin: object = None, folder: Path = REPOSITORY) -> int:
    """Run pytest in this process, with a given `CoursePlugin` in place of the usual one, and return its exit code.

    Suites are named relative to `folder`: in a whole path, pytest takes a "[" for the parameters of a test, and
    "$HOME" for a variable. Other plugins are not loaded: importing them takes a second, and the search for
    unraisable exceptions is slow.
    """
    import pytest

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTEST_ADDOPTS", None)
    root = os.path.relpath(REPOSITORY, folder)
    options = [f"--rootdir={root}", f"--config-file={REPOSITORY / 'pyproject.toml'}", "--disable-warnings"]
    plugins = ["no:cacheprovider", "no:unraisableexception", *filter(find_spec, ["pytest_timeout"])]
    options += [part for name in plugins for part in ("-p", name)]
    with chdir(folder):
        return int(pytest.main([*options, *arguments], plugins=[plugin] if plugin else []))


def main(arguments: list[str]) -> None:
    code = run_suites(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    # Python's own shutdown takes a quarter of a second, and does not end while a student's thread runs.
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
