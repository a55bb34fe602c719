import pytest
import small.toys

pytestmark = pytest.mark.student("91")


def double(number):
    return small.toys.double(number)


def halve(number):
    return small.toys.halve(number)


class TestGiven:
    def test_the_module_is_there(self):
        assert "double" in small.toys.__all__


class TestDouble:
    def test_three(self):
        assert double(3) == 6, "double(3) is 6: 3 + 3"

    def test_four(self):
        assert double(4) == 8, "double(4) is 8: 4 + 4"


class TestHalve:
    def test_six(self):
        assert halve(6) == 3, "halve(6) is 3: 3 + 3 is 6"


class TestHalveOdd:
    def test_five(self):
        try:
            halve(5)
        except ValueError:
            return
        raise AssertionError("halve(5) must raise ValueError: 5 is odd")


class TestBoth:
    def test_there_and_back(self):
        assert halve(double(7)) == 7, "halve(double(7)) is 7"
