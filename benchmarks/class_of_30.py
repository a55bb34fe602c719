"""How long `g2c grade` takes for a class of 30 in module 04, on two processors.

    python benchmarks/class_of_30.py [--jobs 2]

The class: the 18 wrong solutions of the mistake bank that `WRONG` names, each in an otherwise right file; 8 right ones;
3 untouched files; and one whose encode never returns. Prints the seconds on the clock and of processor time, the
points, and how busy the machine was: on a busy one, the clock shows other work too. The goals are 60 seconds on the
clock and 120 seconds of processor time.
"""

import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from coach.diagnosis import bank

REPOSITORY = Path(__file__).resolve().parents[1]
WRONG = (
    *("decode_backslashes", "decode_drops_special", "decode_key_error", "decode_skips_unknown"),
    *("encode_across_pieces", "encode_character_by_character", "encode_longest_token", "encode_whole_piece_looked_up"),
    *("count_around_the_end", "count_barriers_ignored", "count_default_dictionary", "count_returns_in_the_loop"),
    *("count_without_overlap", "merge_as_text", "merge_first_only", "merge_from_the_right"),
    *("merge_left_half", "merge_returns_in_the_loop"),
)
"""Listed by name, so that the class is the same when the bank grows."""


def the_class() -> dict[str, str]:
    """Student -> exercise file."""
    sys.path.append(str(REPOSITORY / "tests" / "course"))
    from support.exercise_files import STUB, all_but, body_of, solved

    entries = [bank.entry("04", name) for name in WRONG]
    files = {f"wrong {number}": all_but(one.exercise.name, body_of(one)) for number, one in enumerate(entries)}
    files |= {f"right {number}": solved() for number in range(8)}
    files |= {f"untouched {number}": STUB for number in range(3)}
    return files | {"endless": all_but("encode", "while True:\n    pass")}


def main() -> None:
    """Grade the class and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    jobs = parser.parse_args().jobs
    students = the_class()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in students.items():
            (Path(folder) / "class" / name).mkdir(parents=True)
            (Path(folder) / "class" / name / "bpe.py").write_text(text, encoding="utf-8")
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
