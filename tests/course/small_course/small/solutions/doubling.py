"""Answer key."""


def double(number):
    # Twice is the number and once more the number.
    return number + number


def halve(number):
    if number % 2:
        raise ValueError(f"{number} is odd.")
    return number // 2
