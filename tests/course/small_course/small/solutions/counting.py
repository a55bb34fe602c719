"""Answer key."""

from small.toys import counting


class Tally(counting.Tally):
    def add(self, number):
        self.total += number
        return self.total
