"""What several test files of the course share: a corpus, code run in a terminal, and copies of the course to change."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from pydoc_data.topics import topics

import pytest
from hypothesis import HealthCheck, settings

from support.clones import Clone, copy_course, copy_small_course, make_template

collect_ignore = ["small_course"]

os.environ["G2C_DEBUG"] = "1"
if "PYTEST_XDIST_WORKER" in os.environ:
    # check.sh sets it for these processes, and tests start programs as users do.
    os.environ.pop("PYTHONSAFEPATH", None)


# Tests that run in the background ignore Ctrl-C, or after nohup the end of the terminal, and every process that they
# start would ignore it too.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


# No power failure is tested, and waiting for the disk takes as long as many a test.
os.fsync = lambda descriptor: None


# Random examples are the same in every run, and a slow machine does not fail. `./check.sh --all` tries more of them.
settings.register_profile(
    "course",
    max_examples=int(os.environ.get("G2C_EXAMPLES", 30)),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("course")

LONGEST = [
    *("test_mutants.py", "test_notebooks.py", "test_in_a_browser.py", "test_page.py", "test_mistakes.py"),
    *("test_session.py", "test_names.py", "test_hostile.py", "test_views.py", "test_suite.py"),
    *("test_cli_standing.py", "test_scripts.py", "test_one_screen.py", "test_docs.py", "test_published_tokenizers.py"),
]
"""Files that take long. They begin first, so that the processes of check.sh end at about the same time."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONGEST)))


# Collecting thousands of tests creates objects that all stay; looking for garbage among them takes as long as the rest.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture
def corpus(tmp_path) -> Path:
    """A file with 20,000 characters of Python's documentation, a special token and a second document."""
    path = tmp_path / "corpus.txt"
    text = "\n".join(topics.values())[:20_000]
    path.write_bytes(f"{text}<|endoftext|>The end.".encode())
    return path


@pytest.fixture
def run_in_terminal() -> Callable[..., str]:
    """A function that runs Python code with its output and errors in a terminal, and returns what the terminal got.

    Keyword arguments are environment variables.
    """
    from support.terminals import Terminal

    def run(code: str, **variables: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
        terminal = Terminal([sys.executable, "-c", code], Path.cwd(), {**environment, **variables}, 24, 110)
        assert terminal.exit_code() == 0, terminal.received
        return terminal.received.replace("\r\n", "\n")

    return run


@pytest.fixture
def open_terminal() -> Iterator[Callable]:
    """A function that runs the course's command, in a copy of the course, in a terminal whose screen can be read.

    Another module is run with `module=`, as by `python -m`; other keyword arguments are environment variables.
    """
    # Only here: it needs a package that the other tests do without.
    from support.terminals import Terminal

    opened = []

    def start(
        clone: Clone, *arguments: str, rows: int = 40, columns: int = 80, module: str = "", **variables: str
    ) -> Terminal:
        command = [sys.executable, "-m", module or clone.package, *arguments]
        opened.append(Terminal(command, clone.folder, {**clone.environment, **variables}, rows, columns))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


@pytest.fixture(scope="session")
def course_template(tmp_path_factory) -> Path:
    return make_template(tmp_path_factory.mktemp("course") / "template")


@pytest.fixture
def clone(course_template, tmp_path) -> Clone:
    """A copy of the course, with module 04 alone, that the test may change."""
    return copy_course(course_template, tmp_path / "clone", module_ids=["04"])


@pytest.fixture
def small_course(course_template, tmp_path) -> Clone:
    """A course with the small module 91 alone, that the test may change. What it is made of is in small_course/."""
    return copy_small_course(course_template, tmp_path / "small", ["91"])


@pytest.fixture
def two_modules(course_template, tmp_path) -> Clone:
    """A course with the small modules 91 and 92, that the test may change."""
    return copy_small_course(course_template, tmp_path / "small", ["91", "92"])
