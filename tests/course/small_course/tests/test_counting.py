import pytest
from small.toys import Tally

pytestmark = pytest.mark.student("92")


class TestAdd:
    def test_two_numbers(self):
        tally = Tally()
        tally.add(1)
        assert tally.add(2) == 3, "1 + 2 is 3"
