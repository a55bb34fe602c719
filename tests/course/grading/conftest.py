import pytest

from g2c.common.errors import CourseError
from g2c.grading import folders


@pytest.fixture(scope="session")
def wall(tmp_path_factory):
    """Skip the test, with the sentence of `g2c grade`, where the wall around students' code does not hold."""
    template = folders.make_template(tmp_path_factory.mktemp("wall") / "template")
    try:
        folders.require_wall(tmp_path_factory.mktemp("trial"), template)
    except CourseError as refusal:
        pytest.skip(str(refusal))
