import pytest

from support.permissions import let_everybody_enter


@pytest.fixture(autouse=True)
def enterable(tmp_path):
    """As root, student code may run as another user, who has to get to what the test has for it."""
    let_everybody_enter(tmp_path)
