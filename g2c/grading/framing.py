"""Length-prefixed messages over sockets: 8 bytes of length, little-endian, then the message.

>>> ours, theirs = socket.socketpair()
>>> send_frame(ours, b"hello")
>>> theirs.recv(100)
b'\\x05\\x00\\x00\\x00\\x00\\x00\\x00\\x00hello'
>>> send_frame(ours, b"hello")
>>> receive_frame(theirs)
b'hello'
>>> ours.close(), theirs.close()
(None, None)
"""

import socket
import struct
import time

LENGTH = struct.Struct("<Q")
PART = 2**20
"""Bytes that one system call on a socket takes at most, so that a deadline is checked between the parts."""


class FrameTooLarge(Exception):
    """The other side announced a message of `size` bytes, more than the limit. None of it has been read."""

    def __init__(self, size: int) -> None:
        super().__init__(f"a message of {size:,} bytes")
        self.size = size


def send_frame(connection: socket.socket, message: bytes, deadline: float | None = None) -> None:
    """Send a message.

    Args:
        deadline: the `time.monotonic()` at which to give up; None waits without limit.

    Raises:
        TimeoutError: the other side did not take the message before the deadline.
        OSError: the other side closed the connection.
    """
    rest = memoryview(LENGTH.pack(len(message)) + message)
    while rest:
        _set_timeout(connection, deadline)
        rest = rest[connection.send(rest[:PART]) :]


def receive_frame(connection: socket.socket, deadline: float | None = None, limit: int | None = None) -> bytes:
    """Receive the next message.

    Args:
        deadline: the `time.monotonic()` at which to give up; None waits without limit.
        limit: the largest message to accept, in bytes.

    Raises:
        EOFError: the other side closed the connection before or within a message.
        TimeoutError: the message was not complete at the deadline.
        FrameTooLarge: the message exceeds `limit`.
    """
    size = LENGTH.unpack(_receive_exactly(connection, LENGTH.size, deadline))[0]
    if limit is not None and size > limit:
        raise FrameTooLarge(size)
    return _receive_exactly(connection, size, deadline)


def _receive_exactly(connection: socket.socket, size: int, deadline: float | None) -> bytes:
    parts = []
    while size:
        _set_timeout(connection, deadline)
        part = connection.recv(min(size, PART))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _set_timeout(connection: socket.socket, deadline: float | None) -> None:
    left = None if deadline is None else deadline - time.monotonic()
    if left is not None and left <= 0:
        # Also while bytes keep coming: a few at a time would take hours.
        raise TimeoutError
    connection.settimeout(left)
