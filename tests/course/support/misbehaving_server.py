"""A web server on 127.0.0.1 that serves one file and misbehaves as it is told, one request after the other."""

import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """`with Server(content) as server:` serves `content` under any path.

    Attributes:
        content: the file.
        plan: for each coming request a function of the request that answers it; afterwards requests are answered well.
        ranges: whether parts of the file can be asked for.
        asked: for each request so far, the byte that it asked to continue at.
    """

    def __init__(self, content: bytes, *plan: Callable, ranges: bool = True):
        self.content = content
        self.plan = list(plan)
        self.ranges = ranges
        self.asked: list[int] = []

    def __enter__(self) -> "Server":
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _Request)
        self._http.daemon_threads = True
        self._http.course = self
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server = self.server.course
        wanted = self.headers.get("Range", "bytes=0-")
        server.asked.append(int(wanted.removeprefix("bytes=").rstrip("-")))
        behave = server.plan.pop(0) if server.plan else _Request.send
        with suppress(ConnectionError):
            behave(self)

    def send(self, count: int | None = None) -> None:
        """Answer as a good server does, but after `count` bytes of what is due, send no more."""
        server = self.server.course
        content, offset = server.content, server.asked[-1]
        if server.ranges and offset:
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {offset}-{len(content) - 1}/{len(content)}")
            content = content[offset:]
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[:count])
        self.close_connection = count is not None

    def log_message(self, *_) -> None:
        """Say nothing."""


# --- other ways to answer ---------------------------------------------------------------------------------------------


def drop_after(count: int) -> Callable:
    """End the connection after so many bytes, as a lost network does."""
    return lambda request: request.send(count)


def respond(body: bytes, code: int = 200, **headers: str) -> Callable:
    """Answer with this status, whatever was asked for."""

    def answer(request: _Request) -> None:
        request.send_response(code)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return answer
