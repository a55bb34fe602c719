"""The test of the answers in notebooks, which the test runner adds to the suites."""

import pytest

from g2c.grading.notebooks import graded

pytestmark = pytest.mark.student


@pytest.mark.parametrize("name", graded)
def test_answer(name: str) -> None:
    check, answer = graded[name]
    check(answer)
