"""A page in a folder, and its worker in Node.js."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from coach.common.packages import PackageError
from coach.common.paths import REPOSITORY
from coach.exercises import modules
from coach.page import build
from support.browsers import node

Failures = list[tuple[str, list[list[object]]]]

SCRIPT = Path(__file__).with_name("page_worker.mjs")


class PageWorker:
    """The worker of a page. Use it in a `with` block, which ends it."""

    def __init__(self, page: Path) -> None:
        self.process = subprocess.Popen(
            [node(), SCRIPT, page], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
        self.ready = self._next()["ready"]

    def __enter__(self) -> "PageWorker":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def _next(self) -> dict[str, Any]:
        return json.loads(self.process.stdout.readline())

    def asked(self, **message: Any) -> list[dict[str, Any]]:
        """What the worker posts for a message."""
        self.process.stdin.write(json.dumps({"files": {}, **message}) + "\n")
        self.process.stdin.flush()
        posted = [self._next()]
        while not posted[-1].keys() & {"free", "ended", "failed"}:
            posted.append(self._next())
        return posted

    def lines(self, module_id: str, text: str, file: str | None = None) -> list[dict[str, Any]]:
        """The lines of a run of a module's tests with this exercise file."""
        posted = self.asked(do="run", module=module_id, files={file or modules()[module_id].exercise_path: text})
        lines = [message["line"] for message in posted if "line" in message]
        return [line.get("not loaded", line) for line in lines]

    def failures(self, *module_and_file: str) -> Failures:
        """The failed tests of such a run: their IDs, and the rows of their screens."""
        lines = self.lines(*module_and_file)
        return [(line["test"], line["rows"]) for line in lines if line.get("outcome") == "failed"]


def page_folder() -> Path:
    """A folder with the page. Tests are skipped, with a sentence, where it cannot be built."""
    folder = REPOSITORY / ".g2c" / "page" / "tests"
    try:
        build.write_page(folder, build.offered_modules())
    except PackageError as error:
        pytest.skip(str(error))
    return folder
