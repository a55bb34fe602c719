"""How long `g2c grade` takes for a class of 30 in module 04, on two processors.

    python benchmarks/class_of_30.py [--jobs 2]

The class: the 18 wrong solutions of the mistake bank that `WRONG` names, each in an otherwise right file; 8 right ones;
3 untouched files; and one whose encode never returns. Prints the seconds on the clock and of processor time, the
points, and how busy the machine was: on a busy one, the clock shows other work too. The goals are 60 seconds on the
clock and 120 seconds of processor time.
"""

import argparse
import ast
import csv
import inspect
import os
import resource
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from coach.diagnosis import bank
from coach.exercises import modules
from coach.source import functions, parsed

REPOSITORY = Path(__file__).resolve().parents[1]
MODULE = modules()["04"]
WRONG = (
    *("decode_backslashes", "decode_drops_special", "decode_key_error", "decode_skips_unknown"),
    *("encode_across_pieces", "encode_character_by_character", "encode_longest_token", "encode_whole_piece_looked_up"),
    *("count_around_the_end", "count_barriers_ignored", "count_default_dictionary", "count_returns_in_the_loop"),
    *("count_without_overlap", "merge_as_text", "merge_first_only", "merge_from_the_right"),
    *("merge_left_half", "merge_returns_in_the_loop"),
)
"""Listed by name, so that the class is the same when the bank grows."""


def with_function(text: str, name: str, function: ast.FunctionDef) -> str:
    """An exercise file with another body for one exercise."""
    tree = ast.parse(text)
    changed = functions(tree)[name]
    changed.args, changed.body = function.args, function.body
    return ast.unparse(tree)


@cache
def right_solution() -> str:
    """The exercise file with the answer key's code."""
    text = MODULE.exercise_file.read_text(encoding="utf-8")
    key = functions(parsed(MODULE.key_file))
    for exercise in MODULE.exercises:
        text = with_function(text, exercise.qualified_name, key[exercise.qualified_name])
    return text


def wrong_solutions() -> list[str]:
    """The files of those who have the solutions of `WRONG`."""
    files = []
    entries = {entry.name: entry for entry in bank.entries(MODULE.id)}
    for entry in map(entries.__getitem__, WRONG):
        [function] = ast.parse(inspect.getsource(entry.written)).body
        files.append(with_function(right_solution(), entry.exercise.qualified_name, function))
    return files


def the_class() -> dict[str, str]:
    """Student -> exercise file."""
    endless = ast.parse("def encode(self, text):\n    while True:\n        pass").body[0]
    assert isinstance(endless, ast.FunctionDef)
    files = {f"wrong {number}": text for number, text in enumerate(wrong_solutions())}
    files |= {f"right {number}": right_solution() for number in range(8)}
    files |= {f"untouched {number}": MODULE.exercise_file.read_text(encoding="utf-8") for number in range(3)}
    return files | {"endless": with_function(right_solution(), "BPETokenizer.encode", endless)}


def main() -> None:
    """Grade the class and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    jobs = parser.parse_args().jobs
    students = the_class()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in students.items():
            (Path(folder) / "class" / name).mkdir(parents=True)
            (Path(folder) / "class" / name / f"{MODULE.file}.py").write_text(text, encoding="utf-8")
        command = ["grade", f"{folder}/class", "--output", f"{folder}/grades", "--module", "04", "--jobs", str(jobs)]
        before, began = os.getloadavg()[0], time.monotonic()
        subprocess.run([sys.executable, "-m", "g2c", *command], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - began
        with (Path(folder) / "grades" / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
            scores = [float(row["score"]) for row in csv.DictReader(file)]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(students)} submissions, {jobs} at a time: {seconds:.0f} s, goal 60 s")
    print(f"processor time: {used.ru_utime + used.ru_stime:.0f} s, goal 120 s")
    print(f"full points: {sum(score == 100 for score in scores)}, none: {sum(score == 0 for score in scores)}")
    print(f"programs that wanted to run before: {before:.1f}, on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
