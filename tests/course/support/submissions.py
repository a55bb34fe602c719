"""Running the student suites against many files, in processes of their own."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from g2c.common.paths import REPOSITORY

WORKERS = 2


def busy() -> float:
    """How many times longer things take than on an idle machine: 1, or the programs that want to run, a processor."""
    return max(1.0, *(load / os.cpu_count() for load in os.getloadavg()))


def run(paths: list[Path], *options: str) -> dict[Path, list[dict]]:
    """Run the suites against these files, in `WORKERS` processes. File -> what came of each test, or why not."""
    command = [sys.executable, str(Path(__file__).with_name("run_submissions.py")), *options]

    def work(share: list[Path]) -> str:
        done = subprocess.run(
            [*command, *map(str, share)], cwd=REPOSITORY, capture_output=True, text=True, timeout=1800
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    shares = [paths[start::WORKERS] for start in range(WORKERS) if paths[start::WORKERS]]
    with ThreadPoolExecutor(WORKERS) as pool:
        answers = [json.loads(line) for output in pool.map(work, shares) for line in output.splitlines()]
    return {Path(answer["file"]): answer["tests"] for answer in answers}
