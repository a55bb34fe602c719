"""Running the student suites against many files, in processes of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from g2c.common.paths import REPOSITORY

WORKERS = 2


def busy() -> float:
    """How many times longer things take than on an idle machine: 1, or the programs that want to run, a processor."""
    return max(1.0, *(load / os.cpu_count() for load in os.getloadavg()))


RUNNER = Path(__file__).with_name("run_submissions.py")


@contextmanager
def runner(*options: str) -> Iterator[Callable[[str], list[dict]]]:
    """A process that runs suites, and a function that asks it what comes of each test of a solution, or why not."""
    with subprocess.Popen(
        [sys.executable, str(RUNNER), *options],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:

        def ask(solution: str) -> list[dict]:
            process.stdin.write(f"{solution}\n")
            return json.loads(process.stdout.readline())["tests"]

        yield ask
        process.stdin.close()


def run(solutions: list[str | Path], *options: str) -> dict[str | Path, list[dict]]:
    """Run the suites against these solutions, in `WORKERS` processes. Solution -> what came of each test, or why not.

    A solution is a file, or a wrong solution of the bank, such as "04/decode_strict".
    """
    command = [sys.executable, str(RUNNER), *options]

    def work(share: list[str | Path]) -> str:
        done = subprocess.run(
            [*command, *map(str, share)], cwd=REPOSITORY, capture_output=True, text=True, timeout=1800
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    shares = [solutions[start::WORKERS] for start in range(WORKERS) if solutions[start::WORKERS]]
    with ThreadPoolExecutor(WORKERS) as pool:
        answers = [json.loads(line) for output in pool.map(work, shares) for line in output.splitlines()]
    named = {str(solution): solution for solution in solutions}
    return {named[answer["solution"]]: answer["tests"] for answer in answers}
