"""A class of hostile submissions, with an honest one after each: nobody gets a point for an attack, nobody loses one.

There are four variations: as the user who runs the tests and, where that is root, as an ordinary user; each with
bubblewrap and with Landlock. Each takes every fourth attack, starting at a different one, and the four of FIRST;
together they take all attacks. With G2C_HOSTILE=all in the environment, every variation takes all of them.
"""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.clones import copy_small_course, make_template
from support.hostile_small import HOSTILE, RIGHT, source

NOBODY = 65_534
TITLES = ("91 double", "91 halve", "91 all together")
FIRST = ["realpath", "kills_parent", "class_names", "writes_outside"]
"""Enough to see whether anything works at all, in seconds."""
VARIATIONS = [(user, way) for user in ("this user", "an ordinary user") for way in ("bubblewrap", "Landlock")]


def attacks_of(variation: int) -> list[str]:
    """The attacks that the variation with this number in VARIATIONS takes."""
    if os.environ.get("G2C_HOSTILE") == "all":
        return list(HOSTILE)
    return list(dict.fromkeys([*FIRST, *list(HOSTILE)[variation :: len(VARIATIONS)]]))


def state_of(folder: Path) -> dict[str, tuple]:
    """Every file and folder with its size, mode and time of its last change."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        found[str(path.relative_to(folder))] = (status.st_size, status.st_mtime_ns, status.st_mode)
    return found


def grade(folder: Path, names: list[str], user: int | None, path: str | None = None) -> dict[str, tuple[float, ...]]:
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
    if user is not None:
        for place in (folder, *folder.rglob("*")):
            os.chown(place, user, user, follow_symlinks=False)
    watched = ("course", "outside", "home", "class")
    before = {name: state_of(folder / name) for name in watched}
    shared = [Path(place) for place in ("/tmp", "/var/tmp", "/dev/shm") if Path(place).is_dir()]
    environment = course.environment | {"TMPDIR": str(folder / "temporary"), "HOME": str(folder / "home")}
    environment["MPLCONFIGDIR"] = str(folder / "reports")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "g2c", "grade", folder / "class", "--output", folder / "reports", "--jobs", "2"],
        cwd=folder,
        env=environment | ({"PATH": path} if path else {}),
        user=user,
        group=user,
        extra_groups=None if user is None else [],
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


def test_the_variations_together_take_every_attack(monkeypatch):
    monkeypatch.delenv("G2C_HOSTILE", raising=False)
    taken = [attacks_of(variation) for variation in range(len(VARIATIONS))]
    assert {name for names in taken for name in names} == set(HOSTILE)
    assert all(names[: len(FIRST)] == FIRST and len(names) < len(HOSTILE) / 3 for names in taken)
    monkeypatch.setenv("G2C_HOSTILE", "all")
    assert [attacks_of(variation) for variation in range(len(VARIATIONS))] == [list(HOSTILE)] * len(VARIATIONS)


@pytest.mark.whole
@pytest.mark.timeout(300)
def test_four_attacks_earn_nothing_and_cost_nobody_a_point(tmp_path):
    check(grade(tmp_path, FIRST, None), FIRST)


def another_user_can_run_python() -> bool:
    command = [sys.executable, "-c", "import numpy"]
    try:
        done = subprocess.run(command, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True)
    except PermissionError:
        return False
    return done.returncode == 0


@pytest.mark.whole
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(("user", "way"), VARIATIONS)
def test_no_attack_earns_a_point_or_costs_one(tmp_path, user, way):
    if user == "an ordinary user" and os.geteuid() != 0:
        pytest.skip("Only root can change to an ordinary user; these tests run as one already. Run them as root, too.")
    number = NOBODY if user == "an ordinary user" else None
    changes_user = os.geteuid() == 0 and (way == "Landlock" or number is not None)
    if changes_user and not another_user_can_run_python():
        pytest.skip(
            "Another user cannot run this Python: it lies in a folder that only root may enter, such as root's home. "
            "Make the environment with a Python in /usr or /opt, in a folder that every user may enter."
        )
    names = attacks_of(VARIATIONS.index((user, way)))
    if way == "Landlock":
        # No program but Python: where bubblewrap is installed, it is not found.
        check(grade(tmp_path, names, number, str(Path(sys.executable).parent)), names)
        return
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed: apt-get install bubblewrap")
    if not bubblewrap_works(number):
        pytest.skip("bubblewrap does not work for this user: the system lets ordinary users make no namespaces.")
    path, used = counting_bubblewrap(tmp_path)
    check(grade(tmp_path, names, number, path), names)
    assert used.read_text(encoding="utf-8").count("used") > 2 * len(names), "another way of isolation was chosen"


def bubblewrap_works(user: int | None) -> bool:
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    return subprocess.run(command, user=user, group=user, capture_output=True).returncode == 0


def counting_bubblewrap(folder: Path) -> tuple[str, Path]:
    """A PATH in which `bwrap` first writes a line to a file, and this file."""
    used = folder / "used"
    used.touch()
    used.chmod(0o666)
    (folder / "bin").mkdir()
    program = folder / "bin" / "bwrap"
    program.write_text(f'#!/bin/sh\necho used >> {used}\nexec {shutil.which("bwrap")} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", used
