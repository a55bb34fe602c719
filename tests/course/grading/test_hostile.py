"""Classes of hostile submissions with honest ones between them: nobody gets a point for an attack, nobody loses one."""

import csv
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.clones import Clone, copy_small_course, make_template
from support.hostile import HOSTILE, RIGHT, TO_THE_KEY, source

TITLES = ("91 double", "91 halve", "91 all together")
CLASSES = 4
BETWEEN = 6
"""After so many attacks comes an honest submission."""


def state_of(folder: Path) -> dict[str, tuple]:
    """Every file and folder with its size, mode and time of its last change."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        found[str(path.relative_to(folder))] = (status.st_size, status.st_mtime_ns, status.st_mode)
    return found


def small_course(folder: Path) -> Clone:
    """A copy of the course with module 91, and beside it the folder `outside` with a zip of the answer key."""
    course = copy_small_course(make_template(folder / "template"), folder / "course", ["91"])
    (folder / "outside").mkdir()
    (folder / "outside" / "file").write_text("content", encoding="utf-8")
    with zipfile.ZipFile(folder / "outside" / "key.zip", "w") as archive:
        archive.write(course.path("g2c/solutions/doubling.py"), "doubling.py")
    return course


@pytest.mark.whole
def test_where_nothing_stops_them_the_ways_to_the_answer_key_lead_there(tmp_path):
    """Otherwise it would prove nothing that they earn no points."""
    course = small_course(tmp_path)
    codes = {name: source(name, course.folder, tmp_path / "outside") for name in TO_THE_KEY}
    found = {
        name: course.python(f"import g2c.toys\n{code}\nprint(halve(8))").splitlines()[-1]
        for name, code in codes.items()
    }
    assert found == dict.fromkeys(TO_THE_KEY, "4")


@pytest.mark.whole
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("number", range(CLASSES))
def test_no_attack_earns_a_point_or_costs_one(wall, tmp_path, number):
    course = small_course(tmp_path)
    # Less time for each call: what is endless would cost most of the test.
    remote = course.path("g2c/grading/remote.py")
    text = remote.read_text(encoding="utf-8")
    assert "LIMITS = Limits(" in text
    remote.write_text(text.replace("LIMITS = Limits(", "LIMITS = Limits(seconds=0.5, "), encoding="utf-8")
    for name in ("home", "temporary", "reports"):
        (tmp_path / name).mkdir()
    attacks = {
        f"{place:02}-{name}": source(name, course.folder, tmp_path / "outside")
        for place, name in enumerate(list(HOSTILE)[number::CLASSES])
    }
    honest = {f"{place:02}-next": f"# {place}\n{RIGHT}" for place in range(0, len(attacks), BETWEEN)}
    for student, code in (attacks | honest).items():
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "doubling.py").write_text(code, encoding="utf-8")
    watched = ("course", "outside", "home", "class")
    before = {name: state_of(tmp_path / name) for name in watched}
    environment = {"TMPDIR": str(tmp_path / "temporary"), "HOME": str(tmp_path / "home")}
    environment["MPLCONFIGDIR"] = str(tmp_path / "reports")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "g2c", "grade", tmp_path / "class", "--output", tmp_path / "reports"],
        cwd=tmp_path,
        env=course.environment | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=1500,
    )
    assert done.returncode == 0, done.stderr
    assert {name: state_of(tmp_path / name) for name in watched} == before
    assert list((tmp_path / "temporary").iterdir()) == []
    shared = [Path(place, "g2c-written") for place in ("/tmp", "/var/tmp", "/dev/shm")]
    assert not any(path.exists() for path in shared)
    with (tmp_path / "reports" / "grades.csv").open(encoding="utf-8", newline="") as file:
        points = {row["student"]: tuple(float(row[title]) for title in TITLES) for row in csv.DictReader(file)}
    assert points.keys() == attacks.keys() | honest.keys(), "everybody is in the table"
    assert {student: points[student] for student in honest if points[student] != (30, 30, 40)} == {}
    # An attack may have fewer than the 30 points of its `double`: one that writes files in the background is ended
    # while some calls have been answered.
    assert {student: points[student] for student in attacks if not _at_most_double(points[student])} == {}


def _at_most_double(points: tuple[float, ...]) -> bool:
    return points[0] <= 30 and points[1:] == (0, 0)
