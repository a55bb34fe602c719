"""Classes of hostile submissions with honest ones between them: nobody gets a point for an attack, nobody loses one."""

import re
import socket
import zipfile
from operator import sub
from pathlib import Path

import pytest

from support.classes import code_of, grade, hand_in, table
from support.clones import Clone
from support.hostile import BEATEN, HOSTILE, WALL, source

TITLES = ("91 double", "91 halve", "91 all together")
BACKSLASH = "\\"


def state_of(folder: Path) -> dict[str, tuple]:
    """Every file and folder with its size, mode and time of its last change."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        found[str(path.relative_to(folder))] = (status.st_size, status.st_mtime_ns, status.st_mode)
    return found


@pytest.fixture
def course(course, tmp_path) -> Clone:
    """The course, and beside it the folder `outside` with a zip of the answer key."""
    (tmp_path / "outside").mkdir()
    with zipfile.ZipFile(tmp_path / "outside" / "key.zip", "w") as archive:
        archive.write(course.path("small/solutions/doubling.py"), "doubling.py")
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
@pytest.mark.timeout(900)
@pytest.mark.parametrize("change", BEATEN)
def test_a_grader_without_its_wall_or_its_boundary_is_beaten(course, tmp_path, change):
    """Otherwise it would prove nothing that attacks earn no points."""
    codes = {name: source(name, course.folder, tmp_path / "outside") for name in BEATEN[change]}
    graded = graded_class(course, change, codes)
    assert {name: graded[name][0] for name in codes} == BEATEN[change]


@pytest.mark.whole
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("change", ["without_wall", "less_time"])
def test_no_attack_earns_a_point_or_costs_one(course, tmp_path, change, request):
    """On the boundary, attacks fail without a wall, too. Behind bubblewrap no way leads to the key, the network or
    other files."""
    if change == "less_time":
        request.getfixturevalue("bubblewrap")
    attacks = HOSTILE if change == "without_wall" else WALL | HOSTILE
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = f"PORT = {server.getsockname()[1]}\n"
        codes = {
            name: source(name, course.folder, tmp_path / "outside").replace("COURSE =", port + "COURSE =", 1)
            for name in attacks
        }
        honest = {f"{place}-honest": f"# {place}\n{code_of()}" for place in "az"}
        wrong = {"honest, wrong": code_of(halve="return None")}
        before = {name: state_of(tmp_path / name) for name in (course.folder.name, "outside")}
        graded = graded_class(course, change, codes | honest | wrong)
    assert change == "without_wall" or {name: state_of(tmp_path / name) for name in before} == before
    assert [*(tmp_path / "temporary $HOME").iterdir(), *(tmp_path / "home").iterdir()] == []
    assert {student: graded[student] for student in honest if graded[student][0] != (30, 30, 40)} == {}
    # An attack may have fewer than the 30 points of its `double`, and of those for both together.
    most = graded["honest, wrong"][0]
    assert most == (30, 0, 20)
    assert {name: points for name in attacks if max(map(sub, points := graded[name][0], most)) > 0} == {}
    missed = {name: graded[name][1] for name in attacks if not re.search(attacks[name][1], graded[name][1])}
    assert missed == {}, "these did not reach what they attack"
