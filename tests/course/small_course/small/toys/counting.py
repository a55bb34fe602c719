class Tally:
    def __init__(self) -> None:
        self.total = 0

    def add(self, number: int) -> int:
        """Add a number and return the new total."""
        raise NotImplementedError("TODO: add")
