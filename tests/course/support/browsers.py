"""A headless Chromium, and Node.js, for tests of pages. Tests are skipped, with a sentence, where there is none."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

OPTIONS = ["--no-sandbox", "--disable-gpu"]


@contextmanager
def chromium() -> Iterator[Any]:
    """playwright's object for the system's Chromium."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="browsers are driven by playwright: pip install -e '.[check]'"
    )
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


def node() -> Path:
    """The program of Node.js that playwright brings along: it runs the JavaScript of a page, without a browser."""
    playwright = pytest.importorskip("playwright", reason="playwright has Node.js: pip install -e '.[check]'")
    program = Path(playwright.__file__).parent / "driver" / "node"
    if not program.exists():
        pytest.skip("This playwright has no Node.js.")
    return program
