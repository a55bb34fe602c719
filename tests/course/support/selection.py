"""Which parameters of a test the short check takes."""

from collections.abc import Iterable
from typing import Any

import pytest


def but_whole(values: Iterable[Any], keep: int = 1) -> list[Any]:
    """The values as parameters: the first `keep` of them for every check, the others for `./check.sh --all` only."""
    values = list(values)
    others = [value if isinstance(value, tuple) else (value,) for value in values[keep:]]
    return [*values[:keep], *(pytest.param(*parts, marks=pytest.mark.whole) for parts in others)]
