"""Running the student suites against other people's code, in a separate process."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from coach.common.paths import REPOSITORY

RUNNER = Path(__file__).with_name("run_submissions.py")


@contextmanager
def runner(*options: str) -> Iterator[Callable[[str], list[dict]]]:
    """A function that says what comes of each test of a solution, or why not. `run_submissions.py` has the options."""
    command = [sys.executable, str(RUNNER), *options]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def ask(solution: str) -> list[dict]:
            print(solution, file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        yield ask
        process.stdin.close()
