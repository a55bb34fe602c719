"""Headless browsers, and Node.js, for tests of pages. Tests are skipped, with a sentence, where there is none."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

OPTIONS = ["--no-sandbox", "--disable-gpu"]


@contextmanager
def chromium() -> Iterator[Any]:
    """playwright's object for the system's Chromium."""
    node()
    api = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("There is no Chromium; install it, or give its path in the variable CHROMIUM.")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


def opened_page(context: Any, address: str) -> Any:
    """A page of a browser's context, with its errors."""
    page = context.new_page()
    page.set_default_timeout(500_000)  # A busy machine may take long until something appears.
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    return page


def node() -> Path:
    """The program of Node.js that playwright brings along: it drives browsers, and runs the JavaScript of a page."""
    playwright = pytest.importorskip("playwright", reason="playwright has Node.js: pip install -e '.[check]'")
    program = Path(playwright.__file__).parent / "driver" / "node"
    try:
        subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        # A small system lacks a library that it needs, such as libatomic.
        reason = getattr(error, "stderr", None) or error
        pytest.skip(f"playwright's Node.js does not start on this machine: {str(reason).strip()}")
    return program


class Firefox:
    """A page in the system's Firefox, asked by its own protocol. Use it in a `with` block, which ends it."""

    def __init__(self) -> None:
        path = shutil.which("firefox") or shutil.which("firefox-esr")
        if path is None:
            pytest.skip("There is no Firefox; install it.")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        Path(self._profile.name, "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        command = [path, "--headless", "--marionette", "--no-remote", "--profile", self._profile.name, "about:blank"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(1200):
            try:
                self._socket = socket.create_connection(("127.0.0.1", port))
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        self._answer()
        self._ask("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": {"script": 500_000}}})

    def __enter__(self) -> "Firefox":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait()
        self._profile.cleanup()

    def _answer(self) -> Any:
        """An answer is its length, a colon and JSON."""
        read = b""
        while not read.endswith(b":"):
            read += self._socket.recv(1)
        content = b""
        while len(content) < int(read[:-1]):
            content += self._socket.recv(65536)
        return json.loads(content)

    def _ask(self, command: str, **details: Any) -> Any:
        asked = json.dumps([0, 1, command, details]).encode()
        self._socket.sendall(b"%d:%s" % (len(asked), asked))
        _, _, error, result = self._answer()
        assert error is None, error
        return result

    def open(self, address: str) -> None:
        self._ask("WebDriver:Navigate", url=address)

    def run(self, script: str) -> Any:
        """What a script in the page returns."""
        return self._ask("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def wait_for(self, condition: str) -> None:
        for _ in range(5000):
            if self.run(f"return Boolean({condition})"):
                return
            time.sleep(0.1)
        pytest.fail(f"After minutes, this is not so in Firefox: {condition}")
