"""The judge: a process that runs the course's tests on stand-ins for one student's code, and signs what came out.

It reads its task as JSON from standard input:

    key        of the signature, in hexadecimal
    report     file for the records
    modules    IDs of the modules that are graded; the others use the answer key
    hidden     folder of the instructor's tests inside the copy, or null
    course, scratch, user     where and as whom the student's code runs
"""

import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import psutil
import pytest
from hypothesis import Phase, settings

from g2c.common.answer_key import VARIABLE
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.course.limits import Limits
from g2c.course.pytest_plugin import PLUGIN
from g2c.course.runner import group_of
from g2c.grading import records
from g2c.grading.processes import die_with_parent, keep_to_itself
from g2c.grading.remote import Folders, Student
from g2c.grading.stand_ins import stand_ins

LONGEST_MESSAGE = 4000
UNGUARDED = Limits(seconds=3600, seconds_again=3600, last_resort=3600, megabytes=8192)
"""No student's code runs in the judge: the limits that count are those of `remote`."""


class Judge:
    """The pytest plugin that reports which tests there are and how each ended."""

    def __init__(self, writer: records.Writer, student: Student) -> None:
        self.writer = writer
        self.student = student

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "points(n): what a hidden test, or a class of them, is worth")
        config.pluginmanager.get_plugin(PLUGIN).guard.limits = UNGUARDED

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """What looks into the student's code while it runs finds nothing here: that code is in another process."""
        inside = [item for item in items if item.get_closest_marker("in_process")]
        config.hook.pytest_deselected(items=inside)
        items[:] = [item for item in items if item not in inside]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.writer.write(
                {
                    "collected": item.nodeid,
                    "group": group_of(item.nodeid),
                    "file": item.path.relative_to(REPOSITORY).as_posix(),
                    "points": _points_of(item),
                }
            )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.writer.write({"unreadable": report.nodeid, "message": report.longreprtext[-LONGEST_MESSAGE:]})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.student.begin_test()
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            properties = dict(report.user_properties)
            self.writer.write(
                {
                    "test": report.nodeid,
                    "outcome": report.outcome,
                    "mistake": properties.get("mistake"),
                    "error": properties.get("error"),
                    "message": report.longreprtext[:LONGEST_MESSAGE] if report.failed else "",
                }
            )

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self.writer.write(
            {
                "end": int(exitstatus),
                "notes": self.student.notes,
                "printed": self.student.printed,
            }
        )


def _points_of(item: pytest.Item) -> list | None:
    """What the marker `points` says, with the place where it stands: a class shares its points among its tests."""
    for node, mark in item.iter_markers_with_node("points"):
        return [node.nodeid, mark.args[0]]
    return None


def judge(task: dict) -> int:
    graded = [module for module in modules().values() if module.id in task["modules"]]
    os.environ[VARIABLE] = ",".join(module_id for module_id in modules() if module_id not in task["modules"])
    # For a mark, the first example on which a test fails will do; the search for the smallest takes long.
    settings.register_profile("grading", phases=(Phase.explicit, Phase.generate))
    settings.load_profile("grading")
    arguments = [str(REPOSITORY / module.suite) for module in graded]
    if task["hidden"]:
        arguments.append(task["hidden"])
    arguments += [f"--rootdir={REPOSITORY}", f"--config-file={REPOSITORY / 'pyproject.toml'}", "--quiet", "--tb=line"]
    arguments += ["-p", "no:cacheprovider", "-p", "pytest_timeout", "--disable-warnings"]
    folders = Folders(Path(task["course"]), Path(task["scratch"]), task["user"])
    die_with_parent()
    keep_to_itself()
    with open(task["report"], "w", encoding="utf-8") as report, Student(folders) as student:
        for module in graded:
            for name, stand_in in stand_ins(module, student).items():
                setattr(import_module(module.package), name, stand_in)
        writer = records.Writer(report, bytes.fromhex(task["key"]))
        code = pytest.main(arguments, plugins=[Judge(writer, student)])
    for process in psutil.Process().children(recursive=True):
        process.kill()
    return int(code)


if __name__ == "__main__":
    sys.exit(judge(json.loads(sys.stdin.read())))
