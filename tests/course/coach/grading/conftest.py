import pytest

from coach.grading.wall import wall_here
from support.clones import Clone, copy_small_course


@pytest.fixture
def course(course_template, tmp_path) -> Clone:
    """A copy of the course with module 91, and beside it empty folders for temporary files and as home."""
    for name in ("temporary $HOME", "home"):
        (tmp_path / name).mkdir()
    # In some paths, pytest takes a "[" for the parameters of a test, and "$HOME" for a variable.
    return copy_small_course(course_template, tmp_path / "course [1] $HOME", ["91"])


@pytest.fixture(scope="session")
def bubblewrap():
    """Skip the test where bubblewrap is missing or may not work."""
    if wall_here().name != "bubblewrap":
        pytest.skip(wall_here().sentence)
