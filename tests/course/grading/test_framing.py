"""Length-prefixed messages: what is written is read, and a broken or slow other side is an error of its own kind."""

import socket
import threading
import time

import pytest

from g2c.grading.framing import LENGTH, FrameTooLarge, receive_frame, send_frame

MESSAGES = [b"", b"x", bytes(range(256)) * 300]


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_a_message_cut_short_is_the_end(pair):
    ours, theirs = pair
    theirs.sendall(LENGTH.pack(5) + b"he")
    theirs.close()
    with pytest.raises(EOFError):
        receive_frame(ours)


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_through_a_socket(pair, message):
    ours, theirs = pair
    send_frame(ours, message, deadline=time.monotonic() + 10)
    assert receive_frame(theirs, deadline=time.monotonic() + 10, limit=len(message)) == message


def test_a_message_above_the_limit_is_not_read(pair):
    ours, theirs = pair
    send_frame(ours, b"hello")
    with pytest.raises(FrameTooLarge) as error:
        receive_frame(theirs, limit=4)
    assert error.value.size == 5


def test_a_silent_other_side_is_waited_for_until_the_deadline(pair):
    ours, theirs = pair
    theirs.sendall(LENGTH.pack(5) + b"he")
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        receive_frame(ours, deadline=began + 0.1)
    with pytest.raises(TimeoutError):
        send_frame(ours, bytes(2**24), deadline=began + 0.2)
    assert time.monotonic() - began < 5


def test_a_message_that_comes_byte_by_byte_has_the_same_deadline(pair):
    ours, theirs = pair
    is_over = threading.Event()

    def trickle():
        theirs.sendall(LENGTH.pack(2**20))
        while not is_over.is_set():
            theirs.sendall(b"x")

    sender = threading.Thread(target=trickle)
    began = time.monotonic()
    sender.start()
    try:
        with pytest.raises(TimeoutError):
            receive_frame(ours, deadline=began + 0.1)
        assert time.monotonic() - began < 5
    finally:
        is_over.set()
        sender.join()
