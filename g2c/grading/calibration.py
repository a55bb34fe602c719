"""Whether the points mean something: what the wrong solutions of the mistake bank get, and what solves nothing."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.corpus.workers import cores
from g2c.course.diagnosis import bank
from g2c.course.exercises import modules
from g2c.grading.constants import constant_files
from g2c.grading.marks import Record, Scheme

MOST = Fraction(85, 100)
"""The largest share of a module's points that a wrong solution may get."""
NOTHING = {"untouched": "nothing is written", "return_1": "every function returns 1", "empty": "every result is empty"}
"""Names of the solutions that solve nothing, and what they are. They get no points."""

SHARED_LISTS = {"encode_gives_its_own_list"}
"""Mistakes that show only when a caller changes what it was given. Graded code runs in a process of its own and its
results are copied, so no graded test can see them."""


@dataclass(frozen=True)
class Calibrated:
    """What a wrong solution gets: its name, such as "04/merge_from_the_right", and a share of the module's points."""

    name: str
    mistake: str
    share: Fraction

    @property
    def is_too_much(self) -> bool:
        name = self.name.split("/")[1]
        return name not in SHARED_LISTS and self.share > (0 if name in NOTHING else MOST)


def calibrate(
    module_ids: Sequence[str], names: Sequence[str] | None = None, jobs: int | None = None
) -> Iterator[Calibrated]:
    """Grade wrong solutions without isolation, and yield what each gets, as soon as it is known.

    Args:
        module_ids: the modules.
        names: the wrong solutions, such as "04/decode_strict"; None for the whole mistake bank.
        jobs: number of processes; None: one per processor, at most four.

    Raises:
        CourseError: there is no mistake bank, or a file cannot be run.
    """
    for module_id in module_ids:
        if not bank.entries(module_id):
            raise CourseError(f"There are no wrong solutions of module {module_id} in {bank.BANK}.")
    with ThreadPoolExecutor(jobs or min(cores(), 4)) as pool:
        waiting = []
        for module_id in module_ids:
            every = [f"{module_id}/{entry.name}" for entry in bank.entries(module_id)]
            scheme = pool.submit(_scheme, module_id)
            wrong = [name for name in every if names is None or name in names]
            yield from scheme.result()[1]
            # Few long shares: each process compiles the suite's examples once.
            shares = [wrong[start::8] for start in range(8) if wrong[start::8]]
            waiting += [pool.submit(_marks, scheme.result()[0], share) for share in shares]
        for future in as_completed(waiting):
            yield from future.result()


def _scheme(module_id: str) -> tuple[Scheme, list[Calibrated]]:
    """The module's tests and their worth, and what is got for solving nothing."""
    module = modules()[module_id]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / module_id
        place.mkdir()
        contents = [module.exercise_file.read_bytes(), *(files[module.file] for files in constant_files([module_id]))]
        paths = {name: place / f"{name}.py" for name in NOTHING}
        for path, content in zip(paths.values(), contents, strict=True):
            path.write_bytes(content)
        found = _records([str(path) for path in paths.values()], "--all")
    untouched, *constants = (found[str(path)] for path in paths.values())
    scheme = Scheme(untouched, [module_id], constants)
    return scheme, [
        Calibrated(f"{module_id}/{name}", NOTHING[name], _share(scheme, found[str(path)]))
        for name, path in paths.items()
    ]


def _marks(scheme: Scheme, names: list[str]) -> list[Calibrated]:
    found = _records(names)
    return [Calibrated(name, bank.entry(*name.split("/")).mistake, _share(scheme, found[name])) for name in names]


def _share(scheme: Scheme, records: list[Record]) -> Fraction:
    marks = scheme.mark(records)
    return sum((mark.points for mark in marks), Fraction(0)) / sum(mark.group.points for mark in marks)


def _records(solutions: list[str], *options: str) -> dict[str, list[Record]]:
    """The records of each solution, from a process that runs them all."""
    done = subprocess.run(
        [sys.executable, "-m", "g2c.grading.trusted", *options, *solutions],
        cwd=REPOSITORY,
        capture_output=True,
        encoding="utf-8",
    )
    answers: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    errors = [answer["error"] for answer in answers if "error" in answer]
    if errors or len(answers) < len(solutions):
        raise CourseError(errors[0] if errors else f"The suite ended early:\n{done.stderr[-2000:]}")
    return {answer["solution"]: answer["records"] for answer in answers}
