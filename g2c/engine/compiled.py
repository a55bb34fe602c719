"""Plain loops over arrays, compiled to machine code by numba where it is installed.

Every loop of this package is an ordinary Python function on one-dimensional arrays and integers:

    @inner    called by other loops
    @entry    called from Python, with numpy arrays

With numba both become machine code that runs without Python's interpreter lock, so threads use all cores. Compiling
takes some seconds once; `python -m g2c.engine` does it in advance. Without numba the same functions run as they are, 20
to 80 times more slowly. `IS_COMPILED` says which it is; the environment variable G2C_COMPILED=0 chooses the
second.

What a loop must observe, so that both forms give the same results:

- It allocates nothing and calls no function of numpy; its caller provides all arrays.
- Values that are stored fit into the array's dtype. Only a hash may exceed 64 bits, before it is masked.
- There are no unsigned 64-bit integers: numba turns their sum with a signed one into a float.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

numba: Any = None
caching: Any = None
if os.environ.get("G2C_COMPILED") != "0":
    with suppress(ImportError):
        numba, caching = import_module("numba"), import_module("numba.core.caching")


class Array(Protocol):
    """What a loop may do with an array, or with its memoryview."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> int: ...
    def __setitem__(self, index: int, value: int) -> None: ...


_Function = TypeVar("_Function", bound=Callable[..., Any])

IS_COMPILED = numba is not None
"""Whether the loops are machine code."""

ENTRIES: list[Any] = []
"""Every function that `entry` has decorated."""

# Counting references to arrays would cost more than many a call; no loop creates or keeps an array.
_OPTIONS = {"nogil": True, "boundscheck": False, "_nrt": False}


def inner(loop: _Function) -> _Function:
    """Decorate a loop that other loops call."""
    machine_code: _Function = numba.njit(loop, **_OPTIONS) if IS_COMPILED else loop
    return machine_code


def entry(loop: Callable[..., Any]) -> Any:
    """Decorate a loop that is called from Python. Its arrays must be contiguous and writable."""
    if IS_COMPILED:
        ENTRIES.append(numba.njit(loop, cache=cache_folder() is not None, **_OPTIONS))
    else:
        # Elements of a memoryview are Python's integers, which are faster than numpy's and do not overflow.
        @wraps(loop)
        def run(*arguments: Any) -> Any:
            return loop(*(part.data if isinstance(part, np.ndarray) else part for part in arguments))

        ENTRIES.append(run)
    return ENTRIES[-1]


@cache
def cache_folder() -> Path | None:
    """The folder for machine code: in the virtual environment, or in the user's cache. None if neither is writable."""
    user = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    places = [Path(os.environ.get("XDG_CACHE_HOME") or user)]
    if sys.prefix != sys.base_prefix:
        places.insert(0, Path(sys.prefix))
    for place in places:
        folder = place / "g2c-compiled" / _digest()
        if folder.is_dir():
            return folder
        try:
            folder.mkdir(parents=True)
        except OSError:
            continue
        return folder
    return None


@cache
def _digest() -> str:
    """A checksum of this package: machine code is used only for the source that it was compiled from."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


if IS_COMPILED:

    class _Locator(caching._CacheLocator):  # type: ignore[misc]
        """Tells numba where it caches the loops of this package.

        By default it caches beside each source file and checks that file only: copies of the course would not share
        machine code, and a change in a loop that another file calls would go unnoticed.
        """

        def __init__(self, first_line: int) -> None:
            self._first_line = first_line

        def get_cache_path(self) -> str:
            return str(cache_folder())

        def get_source_stamp(self) -> str:
            return _digest()

        def get_disambiguator(self) -> str:
            return str(self._first_line)

        @classmethod
        def from_function(cls, function: Any, file: str) -> "_Locator | None":
            if Path(file).parent != Path(__file__).parent:
                return None
            return cls(function.__code__.co_firstlineno)

    caching.CompileResultCacheImpl._locator_classes.insert(0, _Locator)
