"""What the tests of the lab share: a trained tokenizer, and a course with the modules that the lab runs."""

import pytest

from g2c.solutions.bpe import BPETokenizer
from support.clones import Clone, copy_course

MODULES = ["04", "04f", "04g"]
"""Those that the lab runs, and what they need."""


@pytest.fixture(scope="module")
def trained() -> BPETokenizer:
    tokenizer = BPETokenizer(["<|end|>"])
    tokenizer.train("the the the", 260, progress=False)
    return tokenizer


@pytest.fixture
def clone(course_template, tmp_path) -> Clone:
    """A copy of the course that the test may change."""
    return copy_course(course_template, tmp_path / "clone", module_ids=MODULES)


@pytest.fixture(scope="module")
def shared_clone(course_template, tmp_path_factory) -> Clone:
    """A copy of the course for all tests of a file, which do not change it after its fixture `lab`."""
    return copy_course(course_template, tmp_path_factory.mktemp("lab") / "clone", module_ids=MODULES)
