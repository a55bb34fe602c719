"""Plain loops over arrays, compiled to machine code by numba where it is installed and a text is long enough.

Every loop of this package is an ordinary Python function of integers, one-dimensional arrays and tuples of arrays:

    @inner     written by numba in place of each call in another loop: passing ten arrays takes a hundred instructions
    @shared    called by other loops
    @entry     called from Python; its annotations give the types of its arguments

Importing numba takes as long as 200 kB of text take in ordinary Python. So loops run as Python until `expect` has
announced more than that, and as machine code from then on, 20 to 80 times as fast, without Python's interpreter lock.
Numba compiles a loop once, together with the loops that it calls, and keeps the machine code in a folder for all later
processes; `python -m g2c.engine` does so in advance. Without numba, or with the environment variable G2C_COMPILED=0,
loops always run as Python.

A loop gives the same results either way if it keeps these rules:

- It allocates nothing and calls no function of numpy; its caller provides all arrays.
- Stored values fit into the array's dtype, and all others into 64 bits with a sign, because machine code does not check
  for overflow. `product` multiplies hashes. A number read from an array of 32 bits has 32 bits until it is widened.
- It uses no unsigned 64-bit integers: numba turns their sum with a signed one into a float.
- It never divides by 0, and raises no errors: machine code checks for neither.
- It returns integers or plain tuples: a Ctrl-C during the loop would crash numba's call of a named tuple's class.
"""

import atexit
import gc
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, update_wrapper, wraps
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Annotated, Any, Protocol, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from coach.common.files import no_garbage_collection


class Array(Protocol):
    """An array or its memoryview, with the operations that a loop may use."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> int: ...
    def __setitem__(self, index: int, value: int) -> None: ...


UInt8 = Annotated[Any, np.dtype(np.uint8)]
Int32 = Annotated[Any, np.dtype(np.int32)]
Int64 = Annotated[Any, np.dtype(np.int64)]

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

_SWITCHED_OFF = os.environ.get("G2C_COMPILED") == "0" or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
IS_COMPILED = not _SWITCHED_OFF and sys.byteorder == "little" and find_spec("numba") is not None
"""True if the loops become machine code for long texts."""

ENOUGH = 200_000
"""The bytes of text from which on machine code is worth the import of numba."""

POSITIVE = 0x7FFFFFFFFFFFFFFF
"""All bits of a number except its sign."""

_INNER: list[tuple[Callable[..., Any], bool]] = []
"""Functions that `inner` or `shared` has decorated and numba does not know yet, and whether it was `inner`. A module
may be imported at any time."""
LOOPS: list["Loop"] = []
"""All functions that `entry` has decorated."""

_OPTIONS = {"nogil": True, "boundscheck": False, "error_model": "numpy", "_nrt": False}
"""Without _nrt: loops keep no arrays, and counting references to them would cost more than many calls."""

_LOCK = RLock()  # Lets only one thread load a loop at a time.
_expected = 0  # The bytes of text that loops have read or are about to read in this process.


def expect(size: int) -> None:
    """Announce that loops will read `size` bytes of text."""
    global _expected
    _expected += size


def inner(loop: _Loop) -> _Loop:
    """Decorate a loop whose code takes the place of its calls."""
    _INNER.append((loop, True))
    return loop


def shared(loop: _Loop) -> _Loop:
    """Decorate a loop that others call. Training is slower with copies of its loops."""
    _INNER.append((loop, False))
    return loop


class Loop:
    """A loop that Python calls with integers, contiguous arrays that it may change, and named tuples of such arrays."""

    def __init__(self, loop: Callable[..., Any]) -> None:
        update_wrapper(self, loop)
        self.loop = loop
        self._compiled: Callable[..., Any] | None = None
        LOOPS.append(self)

    def __call__(self, *arguments: Any) -> Any:
        if self._compiled is None:
            if not IS_COMPILED or _expected < ENOUGH:
                return self.loop(*map(_as_views, arguments))
            self.load()
        return self._compiled(*arguments)  # type: ignore[misc]

    def load(self) -> None:
        """Load the machine code, from the cache or new."""
        with _LOCK, no_garbage_collection():
            if self._compiled is None:
                # The machine code itself: numba would check the type of each argument, as slowly as a short text.
                (result,) = _compile(self.loop).overloads.values()
                self._compiled = result.entry_point
                # Collections of garbage need not look at numba's objects: half of the time of training on a megabyte.
                gc.freeze()
                gc.unfreeze()


entry = Loop
"""Decorates a loop that is called from Python."""


def load_loops() -> None:
    """Load the machine code of all loops, if it is used at all."""
    import_module("g2c.engine.exact")  # It imports every file with loops.
    for loop in LOOPS if IS_COMPILED else ():
        loop.load()


def _as_views(argument: Any) -> Any:
    """Replace arrays by memoryviews, whose elements are Python integers: faster than numpy's, and without overflow."""
    if isinstance(argument, np.ndarray):
        return argument.data
    return type(argument)(*map(_as_views, argument)) if isinstance(argument, tuple) else argument


# --- with numba -------------------------------------------------------------------------------------------------------


def _compile(loop: Callable[..., Any]) -> Any:
    """Compile a loop, or load it from numba's cache."""
    numba = _with_instructions()
    while _INNER:
        function, is_inlined = _INNER.pop()
        numba.extending.register_jitable(**_OPTIONS, forceinline=is_inlined)(function)
    *arguments, _ = (_type_of(kind) for kind in get_type_hints(loop, include_extras=True).values())
    folder = _cache_folder()
    # Loops use no extension, and those of other installed packages, such as awkward, take longer than numba itself.
    no_others = _changed(import_module("numba.core.entrypoints"), "_already_initialized", True)
    with no_others, _changed(numba.config, "CACHE_DIR", str(folder or "")):
        return numba.njit(tuple(arguments), cache=folder is not None, **_OPTIONS)(loop)


@contextmanager
def _changed(module: Any, setting: str, value: Any) -> Iterator[None]:
    """Change a setting of numba for the block."""
    before = getattr(module, setting, None)  # Another version of numba may lack it, and then takes no notice.
    setattr(module, setting, value)
    try:
        yield
    finally:
        setattr(module, setting, before)


def _type_of(kind: Any) -> Any:
    """Return numba's type for the annotation of an argument."""
    numba = _with_instructions()
    if fields := getattr(kind, "_fields", ()):
        hints = get_type_hints(kind, include_extras=True)
        return numba.types.BaseTuple.from_types([_type_of(hints[name]) for name in fields], kind)
    if get_origin(kind) is not Annotated:
        return numba.int64
    return numba.types.Array(numba.from_dtype(get_args(kind)[1]), 1, "C")


@cache
def _cache_folder() -> Path | None:
    """Return the folder for the machine code of this version of the loops; None if none can be written. Numba itself
    notices that a loop's own file has changed, but not the file of a loop that it calls."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))
    for place in (Path(__file__).parent / "__pycache__", Path("~/.cache/g2c")):
        # In a container, a user may be an ID without a home, and that is a RuntimeError.
        with suppress(OSError, RuntimeError):
            folder = place.expanduser() / f"numba-{digest.hexdigest()[:16]}"
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return None


@cache
def _with_instructions() -> Any:
    """Import numba, and tell it the LLVM instruction for each function below that is no inner loop."""
    numba, extending = import_module("numba"), import_module("numba.extending")
    atexit.register(gc.freeze)  # The last collection need not look at numba's objects either.

    def register(function: Callable[..., Any], build: Callable[..., Any]) -> None:
        """Let `build` write the instruction. It gets an element's address in place of an array and an index."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kinds = zip(signature.args, arguments)
            array = next(kinds) if isinstance(signature.args[0], numba.types.Array) else None
            numbers = [context.cast(builder, value, kind, numba.int64) for kind, value in kinds]
            if array:
                data = context.make_array(array[0])(context, builder, array[1]).data
                numbers[0] = builder.gep(data, numbers[:1])
            return build(builder, *numbers)

        extending.type_callable(function)(lambda _: wraps(function)(lambda *_: numba.int64))
        extending.lower_builtin(function, numba.types.VarArg(numba.types.Any))(generate)

    for function, build in _instructions(import_module("llvmlite.ir")).items():
        register(function, build)
    return numba


def _instructions(ir: Any) -> dict[Callable[..., Any], Callable[..., Any]]:
    """Return the function that builds the instruction for each function."""
    byte, i32, int64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
    block = ir.VectorType(byte, 64)

    def compare(builder: Any, address: Any, low: Any, high: Any) -> Any:
        def in_all_lanes(value: Any) -> Any:
            lane = builder.insert_element(ir.Constant(block, ir.Undefined), builder.trunc(value, byte), i32(0))
            return builder.shuffle_vector(lane, lane, ir.Constant(ir.VectorType(i32, 64), [0] * 64))

        above = builder.sub(builder.load(builder.bitcast(address, block.as_pointer()), align=1), in_all_lanes(low))
        return builder.bitcast(builder.icmp_unsigned("<=", above, in_all_lanes(builder.sub(high, low))), int64)

    def fetch(builder: Any, address: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), i32, i32, i32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte.as_pointer()], kind)
        builder.call(function, [builder.bitcast(address, byte.as_pointer()), i32(0), i32(3), i32(1)])
        return int64(0)

    return {
        eight_bytes: lambda builder, at: builder.load(builder.bitcast(at, int64.as_pointer()), align=1),
        between: compare,
        lowest_bit: lambda builder, bits: builder.cttz(bits, ir.IntType(1)(1)),
        prefetch: fetch,
    }


# --- functions that loops call ----------------------------------------------------------------------------------------


def eight_bytes(text: Any, p: int) -> int:
    """Return the bytes text[p:p + 8] as a signed 64-bit number, with the first byte in its lowest bits."""
    return int.from_bytes(text[p : p + 8], "little", signed=True)


@inner
def product(left: int, right: int) -> int:
    """Return the lowest 63 bits of a product. Other products must not overflow."""
    return left * right & POSITIVE


def between(text: Any, p: int, low: int, high: int) -> int:
    """Return a number whose bit j is 1 where low <= text[p + j] <= high, for 64 bytes."""
    return int(bytes(text[p : p + 64]).translate(_digits(low, high))[::-1], 2)


@cache
def _digits(low: int, high: int) -> bytes:
    """Return the digit 1 for each byte between the two, and 0 for the others."""
    return bytes(ord("1") if low <= byte <= high else ord("0") for byte in range(256))


def prefetch(array: Any, i: int) -> None:
    """Request array[i] from memory, because it will be read soon."""


def lowest_bit(bits: int) -> int:
    """Return the index of the lowest 1 bit of a positive number."""
    return (bits & -bits).bit_length() - 1


@inner
def natural(index: int) -> int:
    """Return an index, which is at least 0, so that numba need not check whether it counts from the end."""
    return index & POSITIVE
