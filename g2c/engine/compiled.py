"""Compiling plain loops over arrays to machine code, where numba is installed.

Every loop of this package is an ordinary Python function of one-dimensional arrays and integers:

    @inner    called by other loops
    @entry    called from Python; its annotations give the type of each array's elements

Numba compiles an entry once, together with the loops that it calls: in advance with `python -m g2c.engine`, or on the
first call. The result is an object file, like a C compiler's, and later processes load it with llvmlite, the library
beneath numba. Numba's own cache would take half of these lines, but it imports numba in each process: the first text
would take five times as long, and 56 MB more memory. Machine code runs without Python's interpreter lock, so threads
use all cores.

Without numba, or with the environment variable G2C_COMPILED=0, the same functions run as ordinary Python, 20 to 80
times more slowly. `IS_COMPILED` says which.

A loop gives the same results either way if it keeps these rules:

- It allocates nothing and calls no function of numpy; its caller provides all arrays.
- Stored values fit into the array's dtype, and all others into 64 bits with a sign, because machine code does not check
  for overflow. `product` multiplies hashes.
- It uses no unsigned 64-bit integers: numba turns their sum with a signed one into a float.
- It never divides by 0, and raises no errors: machine code checks for neither.
"""

import ctypes
import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial, update_wrapper, wraps
from importlib import import_module
from importlib.util import find_spec
from mmap import mmap
from pathlib import Path
from threading import RLock
from typing import Annotated, Any, Protocol, TypeVar, get_args

import numpy as np

from g2c.common.files import write_file

llvm: Any = None
"""The module llvmlite.binding; None if the loops run as ordinary Python."""
if os.environ.get("G2C_COMPILED") != "0" and sys.byteorder == "little" and find_spec("numba") is not None:
    with suppress(ImportError, OSError):
        llvm = import_module("llvmlite.binding")


class Array(Protocol):
    """An array or its memoryview, with the operations that a loop may use."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> int: ...
    def __setitem__(self, index: int, value: int) -> None: ...


UInt8 = Annotated[Array, np.dtype(np.uint8)]
Int32 = Annotated[Array, np.dtype(np.int32)]
Int64 = Annotated[Array, np.dtype(np.int64)]

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

IS_COMPILED = llvm is not None
"""True if the loops are machine code, False if they are ordinary Python."""

INNER: list[Callable[..., Any]] = []
LOOPS: list["Loop"] = []
"""All functions that `inner` or `entry` has decorated."""

ROOM_TO_LOAD, ROOM_TO_COMPILE = 8 << 20, 512 << 20
"""How many bytes of memory must be free before LLVM is used. It ends the process if it gets none."""

POSITIVE = 0x7FFFFFFFFFFFFFFF
"""All bits of a number except its sign."""

_NO_BYTES = ctypes.c_char * 0
"""An empty type: an object of this type in an array's memory has the array's address."""

_LOCK = RLock()
"""Lets only one thread compile or load at a time."""


def inner(loop: _Loop) -> _Loop:
    """Decorate a loop that other loops call."""
    INNER.append(loop)
    return loop


def entry(loop: Callable[..., Any]) -> "Loop":
    """Decorate a loop that is called from Python."""
    LOOPS.append(Loop(loop))
    return LOOPS[-1]


# Functions that loops call. Each except `natural` compiles to one instruction: see `_register_instructions`.


def eight_bytes(text: Any, p: int) -> int:
    """Return the bytes text[p:p + 8] as a signed 64-bit number, with the first byte in its lowest bits."""
    return int.from_bytes(text[p : p + 8], "little", signed=True)


def product(left: int, right: int) -> int:
    """Return the lowest 63 bits of a product. Other products must not overflow."""
    return left * right & POSITIVE


@inner
def natural(index: int) -> int:
    """Return an index, which is at least 0, so that numba need not check whether it counts from the end."""
    return index & POSITIVE


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


class Loop:
    """A loop that Python calls with integers and contiguous, writable arrays. It returns an integer, or nothing."""

    def __init__(self, loop: Callable[..., Any]) -> None:
        update_wrapper(self, loop)
        self.loop = loop
        self.name = f"{loop.__module__.rpartition('.')[2]}_{loop.__name__}"
        """The name of the function in its object file, and of the file."""
        *arguments, self.result = loop.__annotations__.values()
        self.types: list[np.dtype[Any] | None] = [(get_args(kind) or [None, None])[1] for kind in arguments]
        """The type of each argument's elements; None for an integer."""
        self._on: Callable[..., Callable[[], Any]] | None = None if IS_COMPILED else self._in_python

    def __call__(self, *arguments: Any) -> Any:
        return self.on(*arguments)()

    def on(self, *arguments: Any) -> Callable[[], Any]:
        """Return a function that runs the loop with these arguments. Only one thread may call it at a time.

        Finding the addresses of arrays takes longer than encoding a short text; this finds them once for many calls.
        """
        return (self._on or self.load())(*arguments)

    def load(self) -> Callable[..., Callable[[], Any]]:
        """Return the function that `on` calls: machine code, from the cache or new; where memory is short, Python."""
        with _LOCK:
            if self._on is None:
                code = _cached(self)
                try:
                    mmap(-1, ROOM_TO_LOAD if code else ROOM_TO_COMPILE).close()
                    self._on = _function(self, code or _compile(self))
                except OSError:
                    self._on = self._in_python
            return self._on

    def _in_python(self, *arguments: Any) -> Callable[[], Any]:
        # The elements of a memoryview are Python integers, which are faster than numpy's and do not overflow.
        return partial(self.loop, *(part.data if isinstance(part, np.ndarray) else part for part in arguments))


def load_loops(module: str) -> None:
    """Load the loops of a module, and compile those that are not in the cache."""
    import_module(module)
    for loop in LOOPS:
        if loop.loop.__module__ == module:
            loop.load()


# --- compiling --------------------------------------------------------------------------------------------------------


def _compile(loop: Loop) -> bytes:
    """Compile a loop into an object file with one function, named `loop.name`, and write it to the cache.

    The function takes four addresses: of its result; of an error, which no loop raises; of the arrays' addresses; and
    of the integers and the arrays' lengths, in the order of the loop's arguments.
    """
    numba = import_module("numba")
    _register_instructions(numba)
    options = {"nogil": True, "boundscheck": False, "error_model": "numpy"}
    # Loops neither create nor keep arrays, and counting references to them would cost more than many calls.
    register = import_module("numba.extending").register_jitable(_nrt=False, **options)
    while INNER:
        register(INNER.pop())

    names = {"loop": register(loop.loop), "carray": numba.carray}
    passed: list[str] = []
    arrays = 0
    for i, dtype in enumerate(loop.types):
        passed.append(f"numbers[{i}]")
        if dtype is not None:
            names[f"type{i}"] = dtype.type
            passed[i] = f"carray(arrays[{arrays}], {passed[i]}, type{i})"
            arrays += 1
    exec(f"def in_c(arrays, numbers):\n    return loop({', '.join(passed)})\n", names)
    blocks = map(numba.types.CPointer, (numba.types.voidptr, numba.int64))
    types = (numba.int64 if loop.result else numba.void)(*blocks)
    compiled = numba.njit(types, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(names["in_c"])

    (result,) = compiled.overloads.values()
    module = llvm.parse_assembly(compiled.inspect_llvm(result.signature.args))
    for function in module.functions:
        if function.name == result.fndesc.llvm_func_name:
            function.name = loop.name
        elif not function.is_declaration:
            function.linkage = "internal"
    machine = _target_machine()
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    code: bytes = machine.emit_object(module)
    folder = cache_folder()
    if folder:
        with suppress(OSError):
            write_file(folder / f"{loop.name}.o", [code])
    return code


@cache
def _register_instructions(numba: Any) -> None:
    """Tell numba the LLVM instruction for each function that loops call."""
    extending, ir = import_module("numba.extending"), import_module("llvmlite.ir")
    byte, i32, int64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
    block = ir.VectorType(byte, 64)

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

    register(eight_bytes, lambda builder, at: builder.load(builder.bitcast(at, int64.as_pointer()), align=1))
    register(product, lambda builder, left, right: builder.and_(builder.mul(left, right), int64(POSITIVE)))
    register(between, compare)
    register(lowest_bit, lambda builder, bits: builder.cttz(bits, ir.IntType(1)(1)))
    register(prefetch, fetch)


# --- loading ----------------------------------------------------------------------------------------------------------


@cache
def _target_machine() -> Any:
    """Describe this computer's processor to LLVM."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


@cache
def _memory() -> Any:
    """Return llvmlite's compiler, which keeps the functions in memory."""
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())


def _cached(loop: Loop) -> bytes | None:
    """Return a loop's object file from the cache; None if there is none."""
    folder = cache_folder()
    try:
        return (folder / f"{loop.name}.o").read_bytes() if folder else None
    except OSError:
        return None


def _function(loop: Loop, code: bytes) -> Callable[..., Callable[[], int]]:
    """Load machine code into memory, and return the function that `Loop.on` calls."""
    memory = _memory()
    memory.add_object_file(llvm.ObjectFileRef.from_data(code))
    memory.finalize_object()
    function = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(memory.get_function_address(loop.name))

    def on(*arguments: Any) -> Callable[[], int]:
        addresses, numbers = [], []
        for argument, dtype in zip(arguments, loop.types, strict=True):
            if dtype is None:
                numbers.append(argument)
            elif argument.dtype != dtype or not argument.flags.c_contiguous:
                raise TypeError(f"{loop.name} takes a contiguous array of type {dtype.str}, not {argument.dtype.str}.")
            else:
                addresses.append(ctypes.addressof(_NO_BYTES.from_buffer(argument)))
                numbers.append(len(argument))
        result, error = ctypes.c_int64(), ctypes.c_void_p()
        blocks = (ctypes.c_void_p * len(addresses))(*addresses), (ctypes.c_int64 * len(numbers))(*numbers)
        call = partial(function, *map(ctypes.addressof, (result, error, *blocks)))

        # Machine code gets only addresses. The default argument keeps the objects at them alive.
        def run(_kept: Any = (arguments, error, blocks)) -> int:
            call()
            return result.value

        return run

    return on


@cache
def cache_folder() -> Path | None:
    """Return the folder for machine code, in the virtual environment or else the user's cache; None without one."""
    user = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    places = [Path(os.environ.get("XDG_CACHE_HOME") or user)]
    if sys.prefix != sys.base_prefix:
        places.insert(0, Path(sys.prefix))
    for place in places:
        folder = place / "g2c-compiled" / _digest()
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            return folder
    return None


@cache
def _digest() -> str:
    """Compute a checksum of this package and the processor, for which machine code is compiled."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    digest.update(f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}".encode())
    return digest.hexdigest()[:16]
