"""`g2c lab`: show the student's tokenizer at work on a page in the browser, or write the page as a file.

Like Jupyter, the server listens on 127.0.0.1 and answers requests that carry its token: in the address that is opened
first, and then in a cookie. Host and Origin must be its own, so that no other website can reach it through the browser.
No request names a file. The student's code runs in a process of its own (process.py), which is replaced when an
exercise file is saved or when the code ends it.
"""

import argparse
import asyncio
import contextlib
import hmac
import importlib.util
import json
import os
import secrets
import signal
import socket
import sys
import webbrowser
from asyncio.subprocess import DEVNULL, PIPE, Process
from importlib import import_module
from pathlib import Path
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler

from g2c.common import paths
from g2c.common.errors import CourseError
from g2c.course.exercises import modules
from g2c.lab.pages import MODULES, VIEWS, server_page

ADDRESS = "127.0.0.1"
PORT = 8804
"""The first port that is tried; then come the next ones."""
MAX_BODY, MAX_ANSWER = 2**20, 64 * 2**20
SECONDS_FOR_AN_ANSWER = 60
"""After them, the process with the student's code is ended, although its own limits are far below."""

_ENDED = b'{"problem": {"title": "Your code ended the process that ran it.", "report": ""}}'
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="the port to listen on (default: 8804, or the next one that is free)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--export", metavar="FOLDER", help="write the page as FOLDER/index.html, for a saved tokenizer")
    help_text = "with --export: shakespeare, story, g2c, another artifact, or a path to tokenizer.json"
    parser.add_argument("--tokenizer", metavar="NAME", default="ShakespeareTokenizer", help=help_text)


def run(arguments: argparse.Namespace) -> int:
    if arguments.export is not None:
        # Imported here because its compiled loops would delay the start of the server.
        path = import_module("g2c.lab.tokenizers").export(arguments.tokenizer, Path(arguments.export))
        print(f"Written: {path} ({path.stat().st_size:,} bytes). Open it in any browser; it needs no network.")
        return 0
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_serve(arguments))
    return 0


async def _serve(arguments: argparse.Namespace) -> None:
    lab = Lab()
    server = await start(lab, arguments.port)
    print(f"The lab is at {lab.url}", flush=True)
    print("It shows what your code does, and notices when you save it. Ctrl-C ends it.", flush=True)
    if not arguments.no_browser:
        webbrowser.open(lab.url)
    try:
        await asyncio.Event().wait()
    finally:
        server.stop()
        await lab.student.close()


# --- the process with the student's code ------------------------------------------------------------------------------


def _exercise_files() -> list[Path]:
    return [modules()[module_id].exercise_file for module_id in MODULES]


def _saved() -> str | None:
    """Return a text that changes when an exercise file is saved; None while an editor is replacing one."""
    with contextlib.suppress(OSError):
        return ",".join(f"{status.st_mtime_ns}-{status.st_size}" for status in map(os.stat, _exercise_files()))
    return None


class LabProcess:
    """Runs the student's code in a process that is asked one question at a time."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._spare: Process | None = None
        """A process that has imported the course. It imports the exercise files when it is first asked about them."""
        self._turn = asyncio.Lock()
        self._seen: str | None = None
        """The state of the exercise files that the process may have imported, from `_saved`."""

    async def ask(self, question: str, details: Any) -> bytes:
        """Return the answer to a question, in JSON: see process.py."""
        async with self._turn:
            if (saved := _saved()) not in (None, self._seen):
                self._seen = saved
                self._restart()
            asked = json.dumps({"question": question, "details": details}).encode() + b"\n"
            with contextlib.suppress(TimeoutError, asyncio.LimitOverrunError):
                # Where memory is short, the system may end any process: a new one is asked once more.
                for _ in range(2):
                    process = self._process or await self._next()
                    assert process.stdin and process.stdout, "the process is started with pipes"
                    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                        async with asyncio.timeout(SECONDS_FOR_AN_ANSWER):
                            process.stdin.write(asked)
                            await process.stdin.drain()
                            return await process.stdout.readuntil()
                    self._restart()
                    _kill(self._spare)
                    self._spare = None
            self._restart()
            return _ENDED

    async def _next(self) -> Process:
        """Return the process for the next questions, and start the one that replaces it after the next save."""
        # A file that was saved twice within a second may have cached bytecode that looks current to Python.
        for file in _exercise_files():
            Path(importlib.util.cache_from_source(file)).unlink(missing_ok=True)
        spare, self._spare = self._spare, None
        self._process = spare or await _started()
        self._spare = await _started()
        return self._process

    def _restart(self) -> None:
        """End the process. The next question goes to a new one, which imports the current exercise files."""
        _kill(self._process)
        self._process = None

    async def close(self) -> None:
        """End the processes, and wait until they have ended: the event loop must not close before."""
        _kill(self._process)
        async with self._turn:
            for process in filter(None, (self._process, self._spare)):
                _kill(process)
                await process.wait()


async def _started() -> Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "g2c.lab.process"),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        limit=MAX_ANSWER,
        # The texts are short, so compiled loops gain nothing, and compiling them first takes many seconds.
        env=paths.environment(G2C_COMPILED="0"),
        start_new_session=True,
    )


def _kill(process: Process | None) -> None:
    if process:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # It leads a process group with everything that it has started.
            os.killpg(process.pid, signal.SIGKILL)


class Lab:
    """Holds what the requests share: the token, the port, and the student's process."""

    def __init__(self) -> None:
        self.token = secrets.token_hex(16)
        self.port = 0
        self.student = LabProcess()

    @property
    def hosts(self) -> frozenset[str]:
        return frozenset(f"{name}:{self.port}" for name in (ADDRESS, "localhost"))

    @property
    def url(self) -> str:
        """Return the address with the token, for a browser to open."""
        return f"http://{ADDRESS}:{self.port}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """Return the cookie's name. Browsers send cookies to every port, so two labs need two names."""
        return f"g2c-lab-{self.port}"


# --- requests ---------------------------------------------------------------------------------------------------------


class _Handler(RequestHandler):
    lab: Lab

    def initialize(self, lab: Lab) -> None:
        self.lab = lab

    def set_default_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        if self.request.host not in self.lab.hosts:
            raise HTTPError(403, reason="The Host is not this lab.")
        origin = self.request.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.lab.hosts:
            raise HTTPError(403, reason="The Origin is not this lab.")
        given = self.get_query_argument("token", "") or self.get_cookie(self.lab.cookie) or ""
        if not hmac.compare_digest(given.encode(), self.lab.token.encode()):
            raise HTTPError(403, reason="The token is missing or wrong.")

    def write_error(self, status_code: int, **_: Any) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        remedy = " Open the address that `g2c lab` printed." if status_code == 403 else ""
        self.finish(f"{self._reason}{remedy}\n")


class _Page(_Handler):
    """Serves the page, and stores the token in a cookie, so that links need none."""

    def get(self) -> None:
        nonce = secrets.token_hex(16)
        self.set_cookie(self.lab.cookie, self.lab.token, httponly=True, samesite="Lax", expires_days=None)
        self.set_header("Content-Security-Policy", _POLICY.format(nonce=nonce))
        self.finish(server_page(nonce))


class _Question(_Handler):
    """Answers a question of the page about tokens, in JSON."""

    async def post(self, question: str) -> None:
        try:
            details = json.loads(self.request.body)
        except (ValueError, RecursionError):
            details = None
        if not isinstance(details, dict):
            raise HTTPError(400, reason="The question is not one of the lab's.")
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.finish(await self.lab.student.ask(question, details))


class _TableHandler(_Handler):
    """Serves the table of a tokenizer, which a browser keeps until the address names another version."""

    async def get(self) -> None:
        answer = await self.lab.student.ask("table", {"tokenizer": self.get_query_argument("tokenizer", "")})
        self.set_header("Content-Type", "application/json; charset=utf-8")
        if not answer.startswith(b'{"problem"'):
            self.set_header("Cache-Control", "private, max-age=31536000, immutable")
        self.finish(answer)


class _Saves(_Handler):
    """Serves a text that changes whenever an exercise file is saved. A page asks for it several times a second."""

    def get(self) -> None:
        self.finish(_saved() or "")


async def start(lab: Lab, port: int | None = None) -> HTTPServer:
    """Listen on 127.0.0.1: on this port, or on the first free one from `PORT` on, which is stored in `lab.port`.

    CourseError: the port is in use.
    """
    sockets: list[socket.socket] = []
    for candidate in range(PORT, PORT + 50) if port is None else [port]:
        if not sockets:
            with contextlib.suppress(OSError):
                sockets = bind_sockets(candidate, ADDRESS)
    if not sockets:
        raise CourseError(f"The port {port or PORT} is in use. Choose another one with --port, or omit the option.")
    lab.port = sockets[0].getsockname()[1]
    handlers = {
        rf"/(?:{'|'.join(VIEWS)})?": _Page,
        r"/api/([a-z]+)": _Question,
        r"/table": _TableHandler,
        r"/saves": _Saves,
    }
    routes: list[Any] = [(path, handler, {"lab": lab}) for path, handler in handlers.items()]
    application = Application(routes, log_function=lambda handler: None)
    server = HTTPServer(application, max_body_size=MAX_BODY, max_header_size=64 * 1024)
    server.add_sockets(sockets)
    return server
