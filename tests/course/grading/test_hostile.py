"""Classes of hostile submissions with honest ones between them: nobody gets a point for an attack, nobody loses one."""

import csv
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

import pytest

from support.clones import Clone, copy_small_course, make_template
from support.hostile import BEATEN, HOSTILE, RIGHT, TIMES, source, written_name

TITLES = ("91 double", "91 halve", "91 all together")
WEAKENED = Path(__file__).parents[1] / "support" / "weakened.py"
SHARED = ("/tmp", "/var/tmp", "/dev/shm")
BACKSLASH = "\\"
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


def grade(folder: Path, change: str, codes: dict[str, str]) -> dict[str, tuple[tuple[float, ...], str]]:
    """Grade a class with a change of weakened.py. Student -> points, and the text of notes and report."""
    for name in ("home", "temporary", "reports"):
        (folder / name).mkdir(exist_ok=True)
    for student, code in codes.items():
        (folder / "class" / student).mkdir(parents=True, exist_ok=True)
        (folder / "class" / student / "doubling.py").write_text(code, encoding="utf-8")
    environment = {"TMPDIR": str(folder / "temporary"), "HOME": str(folder / "home")}
    environment["MPLCONFIGDIR"] = str(folder / "reports")
    done = subprocess.run(
        [sys.executable, "-B", WEAKENED, change, folder / "class", "--output", folder / "reports"],
        cwd=folder,
        env=Clone(folder / "course").environment | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=1500,
    )
    assert done.returncode == 0, done.stderr
    with (folder / "reports" / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert rows.keys() == codes.keys(), "everybody is in the table"
    found = {}
    for student, row in rows.items():
        report = (folder / "reports" / "students" / student / "report.md").read_text(encoding="utf-8")
        found[student] = (
            tuple(float(row[title]) for title in TITLES),
            f"{row['notes']}\n{report.replace(BACKSLASH, '')}",
        )
    return found


@pytest.mark.whole
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("change", BEATEN)
def test_without_one_of_its_walls_the_grader_is_beaten(wall, tmp_path, change):
    """Otherwise it would prove nothing that attacks earn no points."""
    course = small_course(tmp_path)
    graded = grade(
        tmp_path, change, {name: source(name, course.folder, tmp_path / "outside") for name in BEATEN[change]}
    )
    for place in SHARED:
        Path(place + written_name(tmp_path / "outside")).unlink(missing_ok=True)
    for name, gain in BEATEN[change].items():
        points, text = graded[name]
        assert re.search(gain, text) if isinstance(gain, str) else points == gain, (name, points, text)


@pytest.mark.whole
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("change", "gains"), [("key_in_the_process", 30), ("less_time", 0)])
def test_access_times_of_files_tell_the_next_grading_nothing_of_the_key(wall, tmp_path, change, gains):
    """Everybody may read Python's own folders. The first time, there is nothing to be read."""
    small_course(tmp_path)
    with tempfile.TemporaryDirectory(dir=sysconfig.get_path("purelib")) as files:
        for number in range(1000):
            (Path(files) / str(number)).write_text("content", encoding="utf-8")
            os.utime(Path(files) / str(number), (1e9, 1e9 + 1))
        (Path(files) / "999").read_text(encoding="utf-8")
        if (Path(files) / "999").stat().st_atime < 1e9 + 1:
            pytest.skip("this file system keeps no access times")
        code = f"FILES = {files!r}\n{TIMES}"
        points = [grade(tmp_path, change, {"ada": code})["ada"][0] for _ in range(2)]
    assert points == [(0, 0, 0), (gains, 0, 0)]


@pytest.mark.whole
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("number", range(CLASSES))
def test_no_attack_earns_a_point_or_costs_one(wall, tmp_path, number):
    course = small_course(tmp_path)
    names = {f"{place:02}-{name}": name for place, name in enumerate(list(HOSTILE)[number::CLASSES])}
    attacks = {student: source(name, course.folder, tmp_path / "outside") for student, name in names.items()}
    honest = {f"{place:02}-next": f"# {place}\n{RIGHT}" for place in range(0, len(attacks), BETWEEN)}
    watched = ("course", "outside")
    before = {name: state_of(tmp_path / name) for name in watched}
    graded = grade(tmp_path, "less_time", attacks | honest)
    assert {name: state_of(tmp_path / name) for name in watched} == before
    assert {path.name for path in (tmp_path / "class").rglob("*") if path.is_file()} == {"doubling.py"}
    assert [*(tmp_path / "temporary").iterdir(), *(tmp_path / "home").iterdir()] == []
    assert not any(Path(place + written_name(tmp_path / "outside")).exists() for place in SHARED)
    assert {student: graded[student] for student in honest if graded[student][0] != (30, 30, 40)} == {}
    for student, name in names.items():
        points, text = graded[student]
        # An attack may have fewer than the 30 points of its `double`: one that writes files in the background is ended
        # while some calls have been answered.
        assert points[0] <= 30 and points[1:] == (0, 0), (name, points)
        assert re.search(HOSTILE[name][1], text), f"{name} did not reach what it attacks:\n{text}"
