"""A class of hostile submissions, with an honest one after each: nobody gets a point for an attack, nobody loses one.

Four classes of a quarter of the attacks each, so that a test run can take them side by side.
"""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from support.clones import copy_small_course, make_template
from support.hostile_small import HOSTILE, RIGHT, source

TITLES = ("91 double", "91 halve", "91 all together")
CLASSES = 4


def state_of(folder: Path) -> dict[str, tuple]:
    """Every file and folder with its size, mode and time of its last change."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        found[str(path.relative_to(folder))] = (status.st_size, status.st_mtime_ns, status.st_mode)
    return found


def grade(folder: Path, names: list[str]) -> dict[str, tuple[float, ...]]:
    """Grade these submissions, each with an honest one after it. Returns the points of each."""
    course = copy_small_course(make_template(folder / "template"), folder / "course", ["91"])
    for name in ("outside", "home", "temporary", "reports"):
        (folder / name).mkdir()
    (folder / "outside" / "file").write_text("content", encoding="utf-8")
    for number, name in enumerate(names):
        for student, code in (
            (f"{number:02}-{name}", source(name, course.folder, folder / "outside")),
            (f"{number:02}-next", f"# {number}\n{RIGHT}"),
        ):
            (folder / "class" / student).mkdir(parents=True)
            (folder / "class" / student / "doubling.py").write_text(code, encoding="utf-8")
    watched = ("course", "outside", "home", "class")
    before = {name: state_of(folder / name) for name in watched}
    shared = [Path(place) for place in ("/tmp", "/var/tmp", "/dev/shm") if Path(place).is_dir()]
    environment = course.environment | {"TMPDIR": str(folder / "temporary"), "HOME": str(folder / "home")}
    environment["MPLCONFIGDIR"] = str(folder / "reports")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "g2c", "grade", folder / "class", "--output", folder / "reports", "--jobs", "2"],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=1500,
    )
    assert done.returncode == 0, done.stderr
    assert {name: state_of(folder / name) for name in watched} == before
    assert list((folder / "temporary").iterdir()) == []
    assert not any((place / "g2c-written").exists() for place in shared)
    with (folder / "reports" / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    return {student: tuple(float(row[title]) for title in TITLES) for student, row in rows.items()}


def check(points: dict[str, tuple[float, ...]], names: list[str]) -> None:
    """Honest submissions have all points, and none of the attacks more than the 30 that its `double` deserves.

    It may have fewer: one that writes files in the background is ended while some calls have been answered.
    """
    assert len(points) == 2 * len(names), "everybody is in the table"
    after = {student: found for student, found in points.items() if student.endswith("-next")}
    assert {student: found for student, found in after.items() if found != (30, 30, 40)} == {}
    attacks = {student: found for student, found in points.items() if student not in after}
    assert {student: found for student, found in attacks.items() if found[0] > 30 or found[1:] != (0, 0)} == {}


@pytest.mark.whole
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("number", range(CLASSES))
def test_no_attack_earns_a_point_or_costs_one(wall, tmp_path, number):
    names = list(HOSTILE)[number::CLASSES]
    check(grade(tmp_path, names), names)
