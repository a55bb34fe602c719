"""Messages from the student's process: MessagePack with plain data alone, bounded in size, depth and number of values.

>>> unpack(pack({"result": [1, "a", b"b", None]}))
{'result': [1, 'a', b'b', None]}
"""

from itertools import chain
from typing import Any

import msgpack

MAX_BYTES = 16 * 2**20
"""A message of so many empty lists takes about 1 GB of memory until it is refused."""
MAX_DEPTH = 200
MAX_VALUES = 2_000_000
PLAIN = {type(None), bool, int, float, str, bytes}


class NotPlainData(ValueError):
    """A message is not what `pack` writes, or exceeds a bound."""


def pack(data: Any) -> bytes:
    """A message of None, booleans, 64-bit integers, floats, strings, bytes, lists, and dictionaries with text keys."""
    message: bytes = msgpack.packb(data, use_bin_type=True, unicode_errors="surrogatepass")
    return message


def unpack(message: bytes) -> Any:
    """The data of a message, whoever wrote it.

    Args:
        message: what `pack` returned, or anything else.

    Raises:
        NotPlainData: see there.
        MemoryError: the data needs more memory than this process has.
    """
    if len(message) > MAX_BYTES:
        raise NotPlainData(f"a message of {len(message):,} bytes")
    try:
        data = msgpack.unpackb(message, raw=False, strict_map_key=True, unicode_errors="surrogatepass")
    except MemoryError:
        raise
    except Exception as error:
        raise NotPlainData(f"not a message: {error}") from None
    _check(data, MAX_DEPTH, MAX_VALUES)
    return data


def _check(data: Any, max_depth: int, max_values: int) -> None:
    """Level by level: types, depth, and the number of values."""
    level, values = [data], 0
    for _ in range(max_depth):
        kinds = set(map(type, level))
        for kind in kinds - PLAIN - {list, dict}:
            raise NotPlainData(f"a message with a {kind.__name__}")
        lists = [value for value in level if type(value) is list] if list in kinds else []
        dicts = [value for value in level if type(value) is dict] if dict in kinds else []
        values += sum(map(len, lists)) + 2 * sum(map(len, dicts))
        if values > max_values:
            raise NotPlainData("a message with too many values")
        level = list(chain(*lists, *dicts, *map(dict.values, dicts)))
        if not level:
            return
    raise NotPlainData("a message that is nested too deeply")
