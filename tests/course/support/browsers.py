"""Headless browsers, and Node.js, for tests of pages. Tests are skipped, with a sentence, where there is none."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
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
    page.set_default_timeout(120_000)  # A busy machine may take long until something appears.
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


@contextmanager
def firefox() -> Iterator[tuple[Callable[[str], None], Callable[[str], Any]]]:
    """Two functions for the system's Firefox: one opens an address, the other runs a script in the page."""
    driver = pytest.importorskip("marionette_driver.marionette")
    found = [Path(path).resolve() for path in map(shutil.which, ("firefox-esr", "firefox")) if path]
    path = next((path for path in found if path.with_name("application.ini").is_file()), None)
    if path is None:
        pytest.skip("There is no Firefox, or only a script that starts it; install firefox-esr.")
    with tempfile.TemporaryDirectory() as folder:
        # It deletes its log before it begins. As root, it would delete /dev/null.
        log = str(Path(folder, "firefox.log"))
        session = driver.Marionette(bin=str(path), headless=True, port=0, gecko_log=log)
        session.start_session({"timeouts": {"script": 500_000}})
        try:
            yield session.navigate, partial(session.execute_script, sandbox=None)
        finally:
            session.cleanup()


def wait_until(run: Callable[[str], Any], condition: str) -> None:
    """Wait for a condition in a page, where `run` runs scripts. pytest's limit of time ends it."""
    while not run(f"return Boolean({condition})"):
        time.sleep(0.1)
