"""`g2c grade` on a class: the marks are right whatever a submission does, and nothing but the report folder changes.

A small class of module 91 is always graded. The tests marked `whole` grade eighteen submissions of module 04; with
G2C_WHOLE_CLASS=1 all of hostile.py, which takes some minutes more.
"""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import psutil
import pytest

from g2c.course.exercises import all_exercises, modules
from g2c.grading.session import Session
from g2c.grading.submissions import one_submission
from support.clones import Clone, copy_course, copy_small_course, make_template, write_answers
from support.hostile import Entry, hostile, the_class

pytestmark = pytest.mark.usefixtures("wall")

MODULE = modules()["04"]
SECONDS = 60
WHOLE = bool(os.environ.get("G2C_WHOLE_CLASS"))
FULL = {f"04 {exercise.name}": float(exercise.points) for exercise in MODULE.exercises} | {
    "04 all together": float(MODULE.together_points)
}


def write_class(folder: Path, entries: dict[str, Entry]) -> None:
    for name, entry in entries.items():
        files = dict(entry.others) if entry.code is None else {"bpe.py": entry.code, **entry.others}
        for file, content in files.items():
            path = folder / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")


def everything_in(folder: Path) -> dict[str, tuple]:
    """Every file and folder with its size and the time of its last change."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        found[str(path.relative_to(folder))] = (
            (status.st_size, status.st_mtime_ns, status.st_mode) if path.is_file() else 0
        )
    return found


def grade(course: Clone, *arguments: object, seconds: float = 1500) -> subprocess.CompletedProcess[str]:
    """Run `g2c grade` in a copy of the course."""
    return subprocess.run(
        [sys.executable, "-B", "-m", "g2c", "grade", *map(str, arguments)],
        cwd=course.folder.parent,
        env={**course.environment, "TMPDIR": str(course.folder.parent / "temporary")},
        capture_output=True,
        encoding="utf-8",
        timeout=seconds,
    )


def table(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def points(row: dict[str, str]) -> dict[str, float]:
    return {name: float(row[name]) for name in FULL}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class after `g2c grade`: its entries, the folder of the reports, and what was there before and after."""
    folder = tmp_path_factory.mktemp("grading")
    course = copy_course(make_template(folder / "template"), folder / "course", module_ids=["04"])
    (folder / "outside").mkdir()
    (folder / "temporary").mkdir()
    with zipfile.ZipFile(folder / "outside" / "key.zip", "w") as archive:
        archive.write(MODULE.key_file, "bpe.py")
    entries = the_class(folder / "outside", whole=WHOLE)
    write_class(folder / "class", entries)
    before = everything_in(folder)
    done = grade(course, folder / "class", "--output", folder / "reports", "--jobs", 2)
    assert done.returncode == 0, done.stderr
    after = {name: value for name, value in everything_in(folder).items() if not name.startswith("reports")}
    return entries, folder / "reports", before, after


@pytest.mark.whole
@pytest.mark.timeout(1500)
class TestAClass:
    def test_many_of_them_are_hostile(self, graded):
        entries, reports, *_ = graded
        assert len(entries) >= (30 if WHOLE else 18)
        assert sum(name in hostile(Path()) for name in entries) >= 10
        assert set(table(reports)) == set(entries)

    def test_every_mark_is_right(self, graded):
        entries, reports, *_ = graded
        marks = {name: points(row) for name, row in table(reports).items()}
        expected = {"full": FULL, "nothing": dict.fromkeys(FULL, 0.0), **marks}
        wrong = {
            name: (marks[name], expected[entry.like])
            for name, entry in entries.items()
            if marks[name] != expected[entry.like]
        }
        assert wrong == {}

    @pytest.mark.parametrize("name", [exercise.name for exercise in MODULE.exercises if WHOLE] or ["encode", "decode"])
    def test_what_is_missing_costs_its_points_and_what_needs_it_alone(self, graded, name):
        row = points(table(graded[1])[f"without_{name}"])
        assert row[f"04 {name}"] == 0
        assert row["04 all together"] < FULL["04 all together"]
        if name in ("encode", "decode"):
            rest = {title: value for title, value in row.items() if title not in (f"04 {name}", "04 all together")}
            assert rest == {title: FULL[title] for title in rest}

    def test_half_of_the_work_has_its_points(self, graded):
        row = points(table(graded[1])["beginner"])
        assert row == {**dict.fromkeys(FULL, 0.0), "04 _get_pair_counts": 15.0, "04 _merge": 20.0}

    @pytest.mark.skipif(not WHOLE, reason="needs the whole class")
    def test_a_mistake_in_ties_costs_the_points_of_train_step_and_no_others(self, graded):
        row = points(table(graded[1])["lowest_of_a_tie"])
        assert row["04 train_step"] == 0 and row["04 all together"] == 0
        assert row["04 encode"] == FULL["04 encode"]

    def test_the_reports_say_what_happened(self, graded):
        entries, reports, *_ = graded
        rows = table(reports)
        silent = {
            name: rows[name]["notes"]
            for name, entry in entries.items()
            if not re.search(entry.note, rows[name]["notes"])
        }
        assert silent == {}

    def test_an_endless_loop_is_graded_within_a_minute(self, graded):
        # On a busy machine everything takes longer: then no more than some times as long as without the loop.
        seconds = {name: float(row["seconds"]) for name, row in table(graded[1]).items()}
        assert seconds["loops"] < max(SECONDS, 6 * seconds["key"])

    def test_nothing_outside_the_report_folder_changed(self, graded):
        _, _, before, after = graded
        assert after == before

    def test_no_process_stays(self, graded):
        temporary = str(graded[1].parent / "temporary")
        running = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
        assert [command for command in running if temporary in command] == []

    def test_every_student_has_a_report_and_results(self, graded):
        entries, reports, *_ = graded
        for name in entries:
            results = json.loads((reports / "students" / name / "results.json").read_text(encoding="utf-8"))
            assert results["score"] == float(table(reports)[name]["score"])
            assert sum(test["score"] for test in results["tests"]) == pytest.approx(results["score"], abs=0.05)
            assert (reports / "students" / name / "report.md").read_text(encoding="utf-8").startswith("# ")

    @pytest.mark.parametrize(
        ("name", "word"),
        [
            ("patches_pytest", "imports pytest"),
            ("exits_at_once", "calls _exit"),
            ("imports_key", "imports g2c.solutions"),
            ("forks", "calls fork"),
            ("forges_report", "calls _getframe"),
            ("reads_key", "calls exec"),
        ],
    )
    def test_suspicious_code_is_pointed_out_to_the_instructor_alone(self, graded, name, word):
        folder = graded[1] / "students" / name
        assert word in (folder / "instructor.md").read_text(encoding="utf-8")
        assert word not in (folder / "report.md").read_text(encoding="utf-8")

    def test_honest_code_is_not_suspicious(self, graded):
        assert {name: table(graded[1])[name]["worth a look"] for name in ("key", "counter", "numpy", "untouched")} == {
            "key": "",
            "counter": "",
            "numpy": "",
            "untouched": "",
        }


DOUBLE = "def double(number):\n    {}\n\n\ndef halve(number):\n    {}\n"
HALVE = "if number % 2:\n        raise ValueError(f'{number} is odd')\n    return number // 2"
SMALL_CLASS = {
    "right": (DOUBLE.format("return 2 * number", HALVE), (30, 30, 40), ""),
    "half_done": (DOUBLE.format("return 2 * number", "raise NotImplementedError"), (30, 0, 0), ""),
    "loops": (DOUBLE.format("return 2 * number", "while True:\n        pass"), (30, 0, 0), "halve never returns"),
    "imports_key": (
        DOUBLE.format("from g2c.solutions.doubling import double as found\n    return found(number)", HALVE),
        (0, 30, 0),
        "The code tried to import g2c.solutions.doubling",
    ),
    "reads_key": (
        DOUBLE.format(
            "return 2 * number",
            "space = {{}}\n    exec(open({key!r}).read(), space)\n    return space['halve'](number)",
        ),
        (30, 0, 0),
        "The code tried to read .*doubling.py",
    ),
}
"""Name -> exercise file of module 91, points for `double`, for `halve` and for both together, and a note."""


@pytest.mark.sample(1)
@pytest.mark.parametrize("names", [("right", "reads_key"), tuple(SMALL_CLASS)], ids=["two", "all"])
@pytest.mark.timeout(300)
def test_a_small_class_has_its_points_and_notes(names, tmp_path):
    course = copy_small_course(make_template(tmp_path / "template"), tmp_path / "course", ["91"])
    (tmp_path / "temporary").mkdir()
    small_class = {name: SMALL_CLASS[name] for name in names}
    for name, (code, *_) in small_class.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        code = code.replace("{key!r}", repr(str(course.path("g2c/solutions/doubling.py")))).replace("{{}}", "{}")
        (tmp_path / "class" / name / "doubling.py").write_text(code, encoding="utf-8")
    before = everything_in(tmp_path)
    done = grade(course, tmp_path / "class", "--output", tmp_path / "reports", "--jobs", 2)
    assert done.returncode == 0, done.stderr
    rows = table(tmp_path / "reports")
    titles = ("91 double", "91 halve", "91 all together")
    assert {name: tuple(float(rows[name][title]) for title in titles) for name in small_class} == {
        name: points for name, (_, points, _) in small_class.items()
    }
    for name, (*_, note) in small_class.items():
        assert re.search(note, rows[name]["notes"]), (name, rows[name]["notes"])
    assert rows["right"]["notes"] == ""
    after = {name: value for name, value in everything_in(tmp_path).items() if not name.startswith("reports")}
    assert after == before


SECRET = 271_828
HIDDEN = f"""
import pytest
from g2c.toys import double, halve

try:
    double({SECRET})
except NotImplementedError:
    pass


@pytest.mark.points(5)
def test_a_secret():
    assert halve(2 * {SECRET}) == {SECRET}
"""
TELLTALE = """
import warnings
seen = []


def tell(number):
    seen.append(number)
    print("seen", seen)
    try:
        open("seen", "a").write(f"{number} ")
        seen.extend(open("seen").read().split())
        open(f"/nowhere/{seen}")
    except OSError:
        pass


def double(number):
    tell(number)
    return 2 * number


def halve(number):
    tell(number)
    raise RuntimeError(f"seen {seen}")
"""


@pytest.mark.whole
@pytest.mark.timeout(300)
def test_what_a_hidden_test_does_reaches_the_instructor_alone(tmp_path):
    course = copy_small_course(make_template(tmp_path / "template"), tmp_path / "course", ["91"])
    for name in ("temporary", "hidden", "ada"):
        (tmp_path / name).mkdir()
    (tmp_path / "hidden" / "test_secret.py").write_text(HIDDEN, encoding="utf-8")
    (tmp_path / "ada" / "doubling.py").write_text(TELLTALE, encoding="utf-8")
    done = grade(course, tmp_path / "ada", "--output", tmp_path / "reports", "--hidden", tmp_path / "hidden")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "reports" / "students" / "ada"
    report = (folder / "report.md").read_text(encoding="utf-8")
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert "seen" in report and "tried to read /nowhere" in report
    shown = [results["output"], *(test["output"] for test in results["tests"] if test["visibility"] != "hidden")]
    for text in (report, *shown):
        assert str(SECRET) not in text
    assert str(SECRET) in (folder / "instructor.md").read_text(encoding="utf-8")


HIDDEN_WITH_CALLS = f"""
import pytest
from g2c.toys import double

try:
    double({SECRET})
except Exception:
    pass


@pytest.mark.points(5)
def test_the_first_calls():
    assert [double(5), double(5)] == [1, 2]
"""
HALVE_RIGHT = """
def halve(number):
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number // 2
"""


@pytest.mark.whole
@pytest.mark.timeout(300)
def test_what_a_file_of_hidden_tests_calls_leaves_the_visible_tests_alone(tmp_path):
    course = copy_small_course(make_template(tmp_path / "template"), tmp_path / "course", ["91"])
    codes = {
        "counts": f"calls = []\ndef double(number):\n    calls.append(number)\n    return len(calls)\n{HALVE_RIGHT}",
        "loops": f"def double(number):\n    while number == {SECRET}: pass\n    return 2 * number{HALVE_RIGHT}",
        "misses": f"import nothing_of_this_name\n{HALVE_RIGHT}",
    }
    for name, code in codes.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "doubling.py").write_text(code, encoding="utf-8")
    for name in ("temporary", "hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "hidden" / "test_first.py").write_text(HIDDEN_WITH_CALLS, encoding="utf-8")
    reports = tmp_path / "reports"
    done = grade(course, tmp_path / "class", "--output", reports, "--hidden", tmp_path / "hidden")
    assert done.returncode == 0, done.stderr
    rows = table(reports)
    assert float(rows["counts"]["hidden test_first.py"]) == 5, "a process that has seen nothing before"
    assert float(rows["loops"]["score"]) == 100
    assert "cannot be imported, line 1: ModuleNotFoundError" in rows["misses"]["notes"]


@pytest.mark.whole
@pytest.mark.timeout(300)
def test_a_class_goes_on_where_it_was_killed_and_nothing_is_graded_twice(tmp_path):
    course = copy_small_course(make_template(tmp_path / "template"), tmp_path / "course", ["91"])
    (tmp_path / "temporary").mkdir()
    for number in range(4):
        (tmp_path / "class" / f"s{number}").mkdir(parents=True)
        code = f"# {number}\n{DOUBLE.format('return 2 * number', HALVE)}"
        (tmp_path / "class" / f"s{number}" / "doubling.py").write_text(code, encoding="utf-8")
    reports = tmp_path / "reports"
    arguments = [tmp_path / "class", "--output", reports, "--jobs", 1]
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "g2c", "grade", *map(str, arguments)],
        cwd=tmp_path,
        env={**course.environment, "TMPDIR": str(tmp_path / "temporary")},
        stdout=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while len(list(reports.glob("students/*/results.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    finished = {path.parent.name for path in reports.glob("students/*/results.json")}
    assert len(finished) >= 2 and not (reports / "grades.csv").exists()
    before = {name: (reports / "students" / name / "results.json").read_bytes() for name in finished}

    done = grade(course, *arguments)
    assert done.returncode == 0, done.stderr
    assert {line.split()[3] for line in done.stdout.splitlines() if "graded before" in line} >= finished
    assert {name: row["score"] for name, row in table(reports).items()} == {f"s{n}": "100.0" for n in range(4)}
    for name, content in before.items():
        assert (reports / "students" / name / "results.json").read_bytes() == content

    (tmp_path / "class" / "s3" / "doubling.py").write_text("def double(number):\n    return 1\n", encoding="utf-8")
    done = grade(course, *arguments)
    assert {line.split()[3] for line in done.stdout.splitlines() if "graded before" in line} == {"s0", "s1", "s2"}
    assert table(reports)["s3"]["score"] == "0.0" and "does not define halve" in table(reports)["s3"]["notes"]
    assert "graded before" not in grade(course, *arguments, "--again").stdout


@pytest.mark.whole
@pytest.mark.timeout(300)
def test_without_isolation_grading_is_refused_and_unsafe_is_written_into_every_report(tmp_path):
    course = copy_small_course(make_template(tmp_path / "template"), tmp_path / "course", ["91"])
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "doubling.py").write_text(DOUBLE.format("return 2 * number", HALVE), encoding="utf-8")
    code = (
        "import sys\nfrom g2c.course.cli import main\nfrom g2c.grading import folders\n"
        "folders.what_is_missing = lambda: 'this test takes it away'\nprint(main(['grade', *sys.argv[1:]]))"
    )
    arguments = [str(tmp_path / "ada"), "--output", str(tmp_path / "reports")]
    assert course.python(code, *arguments).splitlines()[-1] == "1"
    assert not (tmp_path / "reports").exists()
    assert course.python(code, *arguments, "--unsafe").splitlines()[-1] == "0"
    sentence = "Graded with --unsafe: without isolation, so the marks could have been forged."
    for name in ("students/ada/report.md", "students/ada/results.json", "grades.csv"):
        text = (tmp_path / "reports" / name).read_text(encoding="utf-8")
        assert sentence in text.replace("\\", ""), name


@pytest.mark.whole
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_ended_from_outside_it_leaves_nothing(how, tmp_path):
    course = copy_small_course(make_template(tmp_path / "template"), tmp_path / "course", ["91"])
    temporary = tmp_path / "temporary"
    for folder in (temporary, tmp_path / "ada"):
        folder.mkdir()
    endless = "import time\n\n\ndef double(number):\n    while True:\n        time.sleep(1)\n"
    (tmp_path / "ada" / "doubling.py").write_text(endless, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "g2c", "grade", "ada"],
        cwd=tmp_path,
        env={**course.environment, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    deadline = time.monotonic() + 60
    while not list(temporary.glob("g2c-grade-*/*/runner/records")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(how)
    process.communicate(timeout=60)
    assert process.returncode in (130, 143)
    assert list(temporary.iterdir()) == []
    assert not (tmp_path / "grades").exists()
    running = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
    assert [command for command in running if str(temporary) in command] == []


@pytest.mark.whole
@pytest.mark.timeout(600)
def test_the_answer_key_has_full_marks_in_every_module(tmp_path):
    template = make_template(tmp_path / "template")
    answered = copy_course(template, tmp_path / "answered")
    write_answers(answered, all_exercises())
    for module in modules().values():
        # The key may take from the exercise file what stands in this file itself.
        path = answered.path(module.exercise_path)
        text = path.read_text(encoding="utf-8")
        own = re.escape(module.import_name)
        path.write_text(re.sub(rf"(?m)^from {own} import .*\n", "", text), encoding="utf-8")
    with Session(list(modules()), jobs=1) as session:
        graded = session.grade(one_submission(answered.path("g2c/tokenizer")))
    lost = {mark.group.shown: mark.failures[0] for mark in graded.groups if mark.points != mark.group.points}
    assert lost == {} and graded.notes == []
    assert graded.score == sum(module.points for module in modules().values())
