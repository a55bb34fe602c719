def double(number: int) -> int:
    """Twice the number."""
    raise NotImplementedError("TODO: double")


def halve(number: int) -> int:
    """Half of an even number.

    Raises:
        ValueError: the number is odd.
    """
    raise NotImplementedError("TODO: halve")
