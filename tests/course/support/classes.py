"""Classes that hand in module 91, graded in a copy of the course as an instructor grades them."""

import csv
import subprocess
import sys
from pathlib import Path

from support.clones import Clone

A_CONTAINER = {"GITHUB_ACTIONS": "true"}
"""Variables with which a program takes any machine for a container, so that it grades without bubblewrap, too."""
WEAKENED = Path(__file__).with_name("weakened.py")
HALVE = "if number % 2:\n        raise ValueError(f'{number} is odd')\n    return number // 2"


def code_of(double: str = "return 2 * number", halve: str = HALVE) -> str:
    """The exercise file of module 91 with these bodies; without them, it is right."""
    return f"def double(number):\n    {double}\n\n\ndef halve(number):\n    {halve}\n"


def hand_in(folder: Path, files: dict[str, str]) -> Path:
    """Write the exercise file of each student. Returns the folder of the class."""
    for name, code in files.items():
        (folder / "class" / name).mkdir(parents=True, exist_ok=True)
        (folder / "class" / name / "doubling.py").write_text(code, encoding="utf-8")
    return folder / "class"


def start(course: Clone, *arguments: object, change: str = "") -> subprocess.Popen[str]:
    """Start `g2c grade` in a copy of the course, perhaps with a change of weakened.py. It works without a wall, too."""
    folder = course.folder.parent
    places = {"TMPDIR": "temporary $HOME", "HOME": "home"}
    program = [WEAKENED, change] if change else ["-m", "coach", "grade"]
    return subprocess.Popen(
        [sys.executable, "-B", *program, *map(str, arguments), "--trust"],
        cwd=folder,
        env=course.environment | {name: str(folder / place) for name, place in places.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


def grade(course: Clone, *arguments: object, change: str = "", code: int = 0) -> str:
    """What `g2c grade` prints."""
    process = start(course, *arguments, change=change)
    output, _ = process.communicate(timeout=1500)
    assert process.returncode == code, output
    return output


def table(folder: Path) -> dict[str, dict[str, str]]:
    """The rows of grades.csv, by student."""
    with (folder / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}
