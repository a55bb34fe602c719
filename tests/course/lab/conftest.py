"""The lab on right code, which the tests of its server and of its views share."""

import pytest

from support.labs import RunningLab, lab_course


@pytest.fixture(scope="package")
def lab(course_template, tmp_path_factory):
    with RunningLab(lab_course(course_template, tmp_path_factory.mktemp("lab"), answered=True)) as running:
        yield running
