"""The pages of a parquet file, from its metadata and their headers: how much memory reading them will take.

A column is stored in chunks, one for each row group, and a chunk in pages, which are decompressed as a whole. A few
hundred bytes can describe a page of two gigabytes, or a billion rows that repeat one entry of a dictionary, and pyarrow
allocates what a header says. Therefore the headers are read first. The metadata is read here too, as pyarrow ends the
process when it is asked for the metadata of a column and that is damaged.

Sources: https://parquet.apache.org/docs/file-format and parquet.thrift (metadata, headers of pages);
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md (their encoding).
"""

import os
from collections.abc import Container, Iterator, Mapping
from typing import BinaryIO, NamedTuple, Union

_LONGEST_HEADER = 16 << 20
"""The limit of Arrow's own reader, in bytes: a header can contain the smallest and the largest value of its page."""

_LONGEST_METADATA = 64 << 20
_FIRST_READ = 1 << 10
_DEEPEST = 16
_MAGIC = b"PAR1"

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)

_Fields = Mapping[tuple[int, int], Union[str, "_Fields"]]
"""The fields of a struct that are read: number and type -> name, or the fields of a struct in it."""

_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
_PAGE_HEADER: _Fields = {
    (1, _I32): "type",
    (2, _I32): "size",
    (3, _I32): "compressed size",
    (5, _STRUCT): {(1, _I32): "values", (2, _I32): "encoding"},
    (8, _STRUCT): {(1, _I32): "values", (4, _I32): "encoding"},
}
_ROW_GROUPS, _COLUMNS = 4, 1
_COLUMN: _Fields = {
    (3, _STRUCT): {(5, _I64): "values", (9, _I64): "data", (11, _I64): "dictionary"},
}

_DELTA_BYTE_ARRAY = 7


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


class Chunk(NamedTuple):
    """A column in a row group.

    Attributes:
        offset: where its first page begins in the file, in bytes.
        values: the number of its values, as stated in the metadata.
    """

    offset: int
    values: int


def column_chunks(file: BinaryIO, wanted: Container[int]) -> Iterator[list[Chunk]]:
    """Yield, for each row group, the chunks of the wanted columns.

    Args:
        file: the parquet file.
        wanted: the numbers of columns in the schema. (Names in the metadata of a chunk are not what Arrow goes by.)

    Raises:
        ValueError: the metadata is damaged.
    """
    reader = _CompactReader(_metadata(file))
    try:
        for _ in reader.elements(_ROW_GROUPS):
            columns = (reader.struct(_COLUMN) for _ in reader.elements(_COLUMNS))
            yield [_chunk(found) for number, found in enumerate(columns) if number in wanted]
    except IndexError:
        raise ValueError("the metadata is not complete") from None


def _metadata(file: BinaryIO) -> bytes:
    """The metadata of the file, which precedes its own length and the last four bytes."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - 8))
    length = int.from_bytes(file.read(4), "little")
    if file.read() != _MAGIC or length > end - 8:
        raise ValueError("the length of its metadata is not valid")
    if length > _LONGEST_METADATA:
        raise ValueError(f"its metadata has {length:,} bytes, which exceeds the {_LONGEST_METADATA:,}-byte limit")
    file.seek(end - 8 - length)
    return file.read(length)


def _chunk(found: dict[str, int]) -> Chunk:
    begin = _integer(found, "data")
    # As Arrow does it: a dictionary counts if it precedes the data.
    dictionary = _integer(found, "dictionary") if "dictionary" in found else 0
    return Chunk(dictionary if 0 < dictionary < begin else begin, _integer(found, "values"))


def pages(file: BinaryIO, chunk: Chunk) -> Iterator[Page]:
    """Yield the pages of a chunk, dictionaries included, until there are as many values as the chunk has.

    Raises:
        ValueError: a header is damaged, or the pages have fewer values.
    """
    offset, values = chunk
    end = os.fstat(file.fileno()).st_size
    while values > 0:
        header, length = _header(file, offset, end)
        kind, size, compressed_size = (_integer(header, name) for name in ("type", "size", "compressed size"))
        offset += length + compressed_size
        if size < 0 or compressed_size < 0 or offset > end:
            raise ValueError("the size of a page is not valid")
        if kind not in (_DATA, _DATA_V2):
            yield Page(size, 0, repeats=kind == _DICTIONARY)
            continue
        if _integer(header, "values") < 0:
            raise ValueError("the number of values of a page is not valid")
        yield Page(size, _integer(header, "values"), repeats=_integer(header, "encoding") == _DELTA_BYTE_ARRAY)
        values -= _integer(header, "values")


def _integer(struct: dict[str, int], name: str) -> int:
    if name not in struct:
        raise ValueError("the metadata or the header of a page is not complete")
    return struct[name]


def _header(file: BinaryIO, offset: int, end: int) -> tuple[dict[str, int], int]:
    """The header of a page, and its length in bytes."""
    if offset < 0:
        raise ValueError("the place of a page is not valid")
    length = _FIRST_READ
    while True:
        file.seek(offset)
        data = file.read(min(length, max(0, end - offset)))
        reader = _CompactReader(data)
        try:
            return reader.struct(_PAGE_HEADER), reader.position
        except IndexError:
            if len(data) < length or length >= _LONGEST_HEADER:
                raise ValueError("the header of a page is not complete") from None
        length *= 16


class _CompactReader:
    """Reads structs in Thrift's compact protocol: the integers that are wanted. Everything else is skipped.

    Raises IndexError if the data ends too early, and ValueError if it is not valid.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    def struct(self, wanted: _Fields) -> dict[str, int]:
        """The wanted fields of a struct and of the structs in it, by name."""
        found: dict[str, int] = {}
        for number, kind in self._fields():
            name = wanted.get((number, kind))
            if name is None:
                self._skip(kind)
                continue
            new = {name: self._zigzag()} if isinstance(name, str) else self.struct(name)
            if found.keys() & new.keys():
                raise ValueError("a field appears twice")
            found |= new
        return found

    def elements(self, number: int) -> Iterator[None]:
        """Pass through a struct, and stop at each element of a list of structs in it, for the caller to read it."""
        is_found = False
        for field in self._fields():
            if field != (number, _LIST):
                self._skip(field[1])
                continue
            count, kind = self._list_begin()
            if is_found or kind != _STRUCT:
                raise ValueError("a list appears twice, or has elements of another type")
            is_found = True
            for _ in range(count):
                yield

    def _fields(self) -> Iterator[tuple[int, int]]:
        """The number and the type of each field of a struct. The caller reads or skips its value."""
        number = 0
        while kind := self._byte():
            delta = kind >> 4
            number = number + delta if delta else self._zigzag()
            yield number, kind & 15

    def _list_begin(self) -> tuple[int, int]:
        """The number and the type of the elements of a list or a set."""
        sizes = self._byte()
        return self._varint() if sizes >> 4 == 15 else sizes >> 4, sizes & 15

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
                raise ValueError("an integer is too long")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, kind: int, depth: int = 0) -> None:
        """Skip the value of a field. In a struct, true and false have no bytes of their own."""
        if depth > _DEEPEST:
            raise ValueError("the metadata or the header of a page is nested too deeply")
        if kind in (_I16, _I32, _I64):
            self._varint()
        elif kind == _STRUCT:
            for _, inner in self._fields():
                self._skip(inner, depth + 1)
        elif kind == _BYTE:
            self._skip_bytes(1)
        elif kind == _DOUBLE:
            self._skip_bytes(8)
        elif kind == _BINARY:
            self._skip_bytes(self._varint())
        elif kind in (_LIST, _SET):
            count, inner = self._list_begin()
            self._skip_elements(count, (inner,), depth)
        elif kind == _MAP:
            count = self._varint()
            if count:
                kinds = self._byte()
                self._skip_elements(count, (kinds >> 4, kinds & 15), depth)
        elif kind not in (_TRUE, _FALSE):
            raise ValueError("a field has an unknown type")

    def _skip_elements(self, count: int, kinds: tuple[int, ...], depth: int) -> None:
        for _ in range(count):
            for kind in kinds:
                # In a list, unlike in a struct, true and false take a byte each.
                self._skip(_BYTE if kind in (_TRUE, _FALSE) else kind, depth + 1)

    def _skip_bytes(self, count: int) -> None:
        self.position += count
        if self.position > len(self._data):
            raise IndexError
