"""Classes of hostile submissions with honest ones between them: nobody gets a point for an attack, nobody loses one."""

import os
import re
import sysconfig
import tempfile
import zipfile
from pathlib import Path

import pytest

from support.classes import grade, hand_in, small_course, table
from support.clones import Clone
from support.hostile import BEATEN, HOSTILE, RIGHT, TIMES, source, written_name

TITLES = ("91 double", "91 halve", "91 all together")
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


def course_with_key_outside(folder: Path) -> Clone:
    """A copy of the course, and beside it the folder `outside` with a zip of the answer key."""
    course = small_course(folder)
    (folder / "outside").mkdir()
    (folder / "outside" / "file").write_text("content", encoding="utf-8")
    with zipfile.ZipFile(folder / "outside" / "key.zip", "w") as archive:
        archive.write(course.path("g2c/solutions/doubling.py"), "doubling.py")
    return course


def graded_class(course: Clone, change: str, codes: dict[str, str]) -> dict[str, tuple[tuple[float, ...], str]]:
    """Grade a class with a change of weakened.py. Student -> points, and the text of notes and report."""
    reports = course.folder.parent / "reports"
    grade(course, hand_in(course.folder.parent, codes), "--output", reports, change=change)
    rows, found = table(reports), {}
    assert rows.keys() == codes.keys(), "everybody is in the table"
    for student, row in rows.items():
        report = (reports / "students" / student / "report.md").read_text(encoding="utf-8").replace(BACKSLASH, "")
        found[student] = (tuple(float(row[title]) for title in TITLES), f"{row['notes']}\n{report}")
    return found


@pytest.mark.whole
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("change", BEATEN)
def test_without_one_of_its_walls_the_grader_is_beaten(wall, tmp_path, change):
    """Otherwise it would prove nothing that attacks earn no points."""
    course = course_with_key_outside(tmp_path)
    codes = {name: source(name, course.folder, tmp_path / "outside") for name in BEATEN[change]}
    graded = graded_class(course, change, codes)
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
    course = small_course(tmp_path)
    with tempfile.TemporaryDirectory(dir=sysconfig.get_path("purelib")) as files:
        for number in range(1000):
            (Path(files) / str(number)).write_text("content", encoding="utf-8")
            os.utime(Path(files) / str(number), (1e9, 1e9 + 1))
        (Path(files) / "999").read_text(encoding="utf-8")
        if (Path(files) / "999").stat().st_atime < 1e9 + 1:
            pytest.skip("this file system keeps no access times")
        code = f"FILES = {files!r}\n{TIMES}"
        points = [graded_class(course, change, {"ada": code})["ada"][0] for _ in range(2)]
    assert points == [(0, 0, 0), (gains, 0, 0)]


@pytest.mark.whole
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("number", range(CLASSES))
def test_no_attack_earns_a_point_or_costs_one(wall, tmp_path, number):
    course = course_with_key_outside(tmp_path)
    names = {f"{place:02}-{name}": name for place, name in enumerate(list(HOSTILE)[number::CLASSES])}
    attacks = {student: source(name, course.folder, tmp_path / "outside") for student, name in names.items()}
    honest = {f"{place:02}-next": f"# {place}\n{RIGHT}" for place in range(0, len(attacks), BETWEEN)}
    watched = ("course", "outside")
    before = {name: state_of(tmp_path / name) for name in watched}
    graded = graded_class(course, "less_time", attacks | honest)
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
