"""The pages of a parquet file, from their headers alone: how much memory reading them will take.

A column is stored in chunks, one for each row group, and a chunk in pages, which are decompressed as a whole. A few
hundred bytes can describe a page of two gigabytes, or a billion rows that repeat one entry of a dictionary, and pyarrow
allocates what a header says. Therefore the headers are read first.

Sources: https://parquet.apache.org/docs/file-format and parquet.thrift (headers of pages);
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md (their encoding).
"""

import os
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

_LONGEST_HEADER = 16 << 20
"""The limit of Arrow's own reader, in bytes: a header can contain the smallest and the largest value of its page."""

_FIRST_READ = 1 << 10
_DEEPEST = 16

_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
_DETAILS = {_DATA: (5, 2), _DATA_V2: (8, 4)}
"""Type of a data page -> the field of the header for this type, and the field in it that is the encoding. Field 1 in it
is the number of values."""

_DELTA_BYTE_ARRAY = 7

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


class Page(NamedTuple):
    """A page of a column.

    Attributes:
        size: in bytes, uncompressed.
        values: the number of values that it adds to the column; 0 for a dictionary.
        repeats: whether values may share bytes of the page, so that they can be larger than it, all together. Each
            value alone is at most as large as the page.
    """

    size: int
    values: int
    repeats: bool


def pages(file: BinaryIO, offset: int, values: int) -> Iterator[Page]:
    """Yield the pages of a column chunk, dictionaries included, until there are as many values as the chunk has.

    Args:
        file: the parquet file.
        offset: where the first page begins.
        values: the number of values of the chunk, as stated in the metadata of the file.

    Raises:
        ValueError: a header is damaged, or the pages have fewer values.
    """
    end = os.fstat(file.fileno()).st_size
    while values > 0:
        header, length = _header(file, offset, end)
        kind, size, compressed_size = (_integer(header, number) for number in (1, 2, 3))
        offset += length + compressed_size
        if size < 0 or compressed_size < 0 or offset > end:
            raise ValueError("the size of a page is not valid")
        if kind not in _DETAILS:
            yield Page(size, 0, repeats=kind == _DICTIONARY)
            continue
        number, encoding = _DETAILS[kind]
        details = header.get(number)
        if not isinstance(details, dict) or _integer(details, 1) < 0:
            raise ValueError("the number of values of a page is not valid")
        yield Page(size, _integer(details, 1), repeats=_integer(details, encoding) == _DELTA_BYTE_ARRAY)
        values -= _integer(details, 1)


_Value = int | dict[int, "_Value"] | None


def _integer(struct: dict[int, _Value], number: int) -> int:
    value = struct.get(number)
    if not isinstance(value, int):
        raise ValueError("the header of a page is not complete")
    return value


def _header(file: BinaryIO, offset: int, end: int) -> tuple[dict[int, _Value], int]:
    """The header of a page, and its length in bytes."""
    length = _FIRST_READ
    while True:
        file.seek(offset)
        data = file.read(min(length, end - offset))
        reader = _CompactReader(data)
        try:
            return reader.struct(), reader.position
        except IndexError:
            if len(data) < length or length >= _LONGEST_HEADER:
                raise ValueError("the header of a page is not complete") from None
        length *= 16


class _CompactReader:
    """Reads a struct in Thrift's compact protocol: its integers and structs, by field number. Others are skipped.

    Raises IndexError if the data ends too early, and ValueError if it is not valid.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    def struct(self, depth: int = 0) -> dict[int, _Value]:
        if depth > _DEEPEST:
            raise ValueError("the header of a page is nested too deeply")
        fields: dict[int, _Value] = {}
        number = 0
        while kind := self._byte():
            delta = kind >> 4
            number = number + delta if delta else self._zigzag()
            fields[number] = self._value(kind & 15, depth)
        return fields

    def _byte(self) -> int:
        byte = self._data[self.position]
        self.position += 1
        return byte

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 63:
                raise ValueError("an integer in the header of a page is too long")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, count: int) -> None:
        self.position += count
        if self.position > len(self._data):
            raise IndexError

    def _value(self, kind: int, depth: int) -> _Value:
        if kind in (_I16, _I32, _I64):
            return self._zigzag()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind == _BYTE:
            self._skip(1)
        elif kind == _DOUBLE:
            self._skip(8)
        elif kind == _BINARY:
            self._skip(self._varint())
        elif kind in (_LIST, _SET):
            sizes = self._byte()
            count = self._varint() if sizes >> 4 == 15 else sizes >> 4
            self._elements(count, (sizes & 15,), depth)
        elif kind == _MAP:
            count = self._varint()
            if count:
                kinds = self._byte()
                self._elements(count, (kinds >> 4, kinds & 15), depth)
        elif kind not in (_TRUE, _FALSE):
            raise ValueError("the header of a page has a field of an unknown type")
        return None

    def _elements(self, count: int, kinds: tuple[int, ...], depth: int) -> None:
        if depth > _DEEPEST:
            raise ValueError("the header of a page is nested too deeply")
        for _ in range(count):
            for kind in kinds:
                # In a list, unlike in a struct, true and false take a byte each.
                if kind in (_TRUE, _FALSE):
                    self._skip(1)
                else:
                    self._value(kind, depth + 1)
