"""Runs `g2c grade`, which marks a class or makes the autograder for Gradescope."""

import argparse
import signal
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from rich.text import Text

from coach.commands.terminal import commands, make_console, print_lines
from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError, did_you_mean
from coach.common.paths import require_checkout
from coach.exercises import chosen_modules, module_list, modules
from coach.grading.autograder import write_gradescope
from coach.grading.class_report import page, written_answers
from coach.grading.marks import Grade
from coach.grading.names import file_name
from coach.grading.reports import (
    ReportFolder,
    RowsByStudent,
    class_table,
    format_points,
    grade_json,
    graded_again,
    platform_files,
    report,
)
from coach.grading.session import SECONDS, Session
from coach.grading.submissions import Submission, find_submissions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("submissions", nargs="*", type=Path, metavar="SUBMISSION", help="files, folders or zips")
    where = "where the reports go; default: grades"
    add("--output", type=Path, default=Path("grades"), metavar="FOLDER", help=where)
    whom = "grade this student alone, named as in grades.csv; the rows of the others stay. May be given several times"
    add("--only", action="append", default=[], metavar="STUDENT", help=whom)
    which = "grade this module, or several: ID,ID; default: those that most handed in"
    add("--module", "--modules", type=module_list, action="extend", metavar="ID", help=which)
    add("--hidden", type=Path, metavar="FOLDER", help="your own tests, which students do not see")
    limit = f"time limit for the tests of one module of a submission; default: {SECONDS:.0f}"
    add("--seconds", type=float, default=SECONDS, metavar="N", help=limit)
    add("--jobs", type=int, metavar="N", help="number of submissions graded at the same time")
    add("--trust", action="store_true", help="grade even where nothing isolates students' code; every report says so")
    back = "also write the zips with which Moodle and Canvas give each student the report"
    add("--return", dest="gives_back", action="store_true", help=back)
    words = "do not grade: collect the answers in words from the notebooks on one page, by question"
    add("--notebooks", action="store_true", help=words)
    add("--gradescope", type=Path, metavar="ZIP", help="write an autograder for Gradescope instead")


def run(arguments: argparse.Namespace) -> int:
    require_checkout(f"`{PROGRAM} grade`")
    chosen_modules(arguments.module or ())
    seconds, jobs, hidden, output = arguments.seconds, arguments.jobs, arguments.hidden, arguments.output
    for is_wrong, sentence in (
        (seconds <= 0, f"--seconds must be positive, but is {seconds:g}."),
        (jobs is not None and jobs < 1, f"--jobs must be at least 1, but is {jobs}."),
        (hidden and not hidden.is_dir(), f"{hidden} is not a folder; --hidden takes a folder of tests."),
        (output.exists() and not output.is_dir(), f"{output} is a file; --output takes a folder."),
        (
            not arguments.submissions and not arguments.gradescope,
            f"Name what to grade: files, folders or zips. `{PROGRAM} grade --help` lists the options.",
        ),
        (
            arguments.notebooks and (hidden or arguments.gives_back),
            f"--notebooks grades nothing, so leave out --hidden and --return, or call `{PROGRAM} grade` twice.",
        ),
    ):
        if is_wrong:
            raise CourseError(sentence)
    does = _make_autograder if arguments.gradescope else _collect_words if arguments.notebooks else _grade
    return does(arguments)


def _grade(arguments: argparse.Namespace) -> int:
    reports = ReportFolder(arguments.output)
    handed_in = find_submissions(arguments.submissions, arguments.output)
    submissions = {each.name: each for each in handed_in.submissions}
    for name in arguments.only:
        if name not in submissions:
            raise CourseError(f"There is no student {name!r}.{did_you_mean(name, submissions)}")
    module_ids = arguments.module or modules_of_most(handed_in.submissions)
    if not module_ids:
        names = ", ".join(f"{module.file}.py" for module in modules().values())
        found = f"{handed_in.summary()}. The exercise files are: {names}."
        raise CourseError(f"No exercise file that a student has worked on was found in the named paths. {found}")
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # As under nohup.
            signal.signal(number, _end)
    options = {"hidden": arguments.hidden, "seconds": arguments.seconds, "jobs": arguments.jobs}
    with Session(module_ids, **options, trust=arguments.trust) as session:
        make_console().print(Text(session.wall.sentence))
        columns = dict.fromkeys(group.column for group in session.scheme.groups)
        before = reports.rows([*columns], () if arguments.only else submissions)
        grades = _graded(session, handed_in.submissions, arguments.only, reports, before)
    summary = [session.wall.sentence, handed_in.summary([grade.name for grade in grades if grade.forgiven])]
    summary += [
        f"Module {module_id}, handed in by {count} of {len(submissions)}, is not graded (--module {module_id})."
        for module_id, count in _counts(handed_in.submissions).items()
        if module_id not in module_ids
    ]
    failed = [grade.name for grade in grades if not grade.is_graded]
    if failed:
        summary.append(f"Not graded, because of this machine: {', '.join(failed)}. Grade again.")
    if arguments.only and len(before) == 1 and (reports.earlier / "grades.csv").is_file():
        what = "The earlier grades.csv has other columns, or another program has changed its form"
        where = f"so the other students' rows are only in {reports.earlier}"
        summary.append(f"{what}, {where}. Grade the whole class for a new table.")
    if arguments.only and (reports.folder / "class.html").is_file():
        summary.append("class.html still shows an earlier run. Grade the whole class for a new one.")
    else:
        reports.write("class.html", page(grades, summary))
    places = {"class": "class.html", "reports": "students", "table": "grades.csv"}
    marked = [(grade, submissions[grade.name]) for grade in grades]
    for name, content in platform_files(marked, gives_back=arguments.gives_back).items():
        reports.write(name, content)
        places |= {f"back, {name.removesuffix('.zip')}": name} if name.endswith(".zip") else {}
    if arguments.gives_back and len(places) == 3:
        summary.append("--return wrote nothing: no submission has the number that Moodle or Canvas gives a student.")
    shown = {name: f"{arguments.output}/{place}" for name, place in places.items()}
    shown |= {"before": str(reports.earlier)} if reports.earlier.exists() else {}
    print_lines(make_console(), [Text(), *commands(shown), *map(Text, summary[1:])])
    return 1 if failed else 0


def _graded(
    session: Session,
    submissions: Sequence[Submission],
    only: Collection[str],
    reports: ReportFolder,
    before: RowsByStudent,
) -> list[Grade]:
    """Grade a class, or `only` some of it, and return the grades in its order.

    Each is shown and written at once, whatever happens later. Until then, its row `before` stays.
    """
    console, copies = make_console(), identical_files(submissions)
    grades: dict[str, Grade] = {}
    in_order: list[Grade] = []
    for grade in session.grade_all([each for each in submissions if not only or each.name in only]):
        grades[grade.name] = grade
        grade.suspicions += copies.get(grade.name, [])
        grade.notes += filter(None, [graded_again(grade, before)])
        in_order = [grades[each.name] for each in submissions if each.name in grades]
        reports.write(f"students/{file_name(grade.name)}/report.md", report(grade))
        reports.write(f"students/{file_name(grade.name)}/grade.json", grade_json(grade))
        # With a byte order mark, Excel reads it as UTF-8.
        reports.write("grades.csv", f"\ufeff{class_table(in_order, before)}")
        points = f"{format_points(grade.score):>6} of {format_points(grade.possible)}"
        console.print(Text.assemble(points if grade.is_graded else "  not graded", "  ", (grade.name, "bold")))
        for note in grade.notes:
            console.print(Text(f"          {note}", style="dim"))
        for sentence in grade.suspicions:
            console.print(Text(f"          Worth a look: {sentence}", style="yellow"))
    return in_order


def modules_of_most(submissions: Sequence[Submission]) -> list[str]:
    """Choose the modules whose file most students with any exercise file handed in, or else the most frequent ones."""
    counts = _counts(submissions)
    most = min(sum(each.has_exercise_file for each in submissions) // 2 + 1, max(counts.values(), default=0))
    return [module_id for module_id, count in counts.items() if count >= most]


def identical_files(submissions: Sequence[Submission]) -> dict[str, list[str]]:
    """Return, by student, a sentence on each exercise file that others have handed in as well."""
    found: dict[str, list[str]] = {}
    for one in submissions:
        for file, content in one.files.items():
            others = [each.name for each in submissions if each is not one and each.files.get(file) == content]
            if others and not file.endswith(".ipynb"):
                sentence = f"{file}.py has the same text as that of {', '.join(others)}."
                found.setdefault(one.name, []).append(sentence)
    return found


def _counts(submissions: Sequence[Submission]) -> dict[str, int]:
    """Count the exercise files that were handed in, by module."""
    counts = {module.id: sum(module.file in each.files for each in submissions) for module in modules().values()}
    return {module_id: count for module_id, count in counts.items() if count}


def _end(signal_number: int, _: object) -> None:
    """Exit, which ends the processes and removes their folders. A second signal does not interrupt this."""
    signal.signal(signal_number, signal.SIG_IGN)
    sys.exit(128 + signal_number)


def _collect_words(arguments: argparse.Namespace) -> int:
    handed_in = find_submissions(arguments.submissions, arguments.output)
    module_ids = arguments.module or [
        module.id
        for module in modules().values()
        if any(module.notebook_file.name in each.files for each in handed_in.submissions)
    ]
    if not module_ids:
        raise CourseError("No notebook was found in the named paths. Notebooks have names such as 04-tokenizer.ipynb.")
    reports = ReportFolder(arguments.output)
    reports.write("notebooks.html", written_answers(handed_in.submissions, module_ids))
    print_lines(make_console(), commands({"to read": f"{arguments.output}/notebooks.html"}))
    return 0


def _make_autograder(arguments: argparse.Namespace) -> int:
    path = write_gradescope(arguments.gradescope, arguments.module or list(modules()), arguments.hidden)
    make_console().print(Text(f"Wrote {path}. Upload it as the autograder of a programming assignment."))
    return 0
