"""The `g2c` command as a whole: its exit codes, its errors, and what it costs to start."""

import errno
import re
import subprocess
import sys
import warnings
from unittest.mock import patch

import pytest

from coach.cli import COMMANDS
from coach.common.errors import CourseError
from g2c.commands import ADDED, main
from g2c.tokenizer.bpe import BPETokenizer as Exercise


@pytest.fixture
def doctor(capsys):
    """A function that makes `g2c doctor` do something else, or raise an error, and returns its exit code and output."""

    def run(action) -> tuple[int, str, str]:
        changed = {"side_effect": action} if isinstance(action, BaseException) else {"new": lambda arguments: action()}
        with patch("coach.commands.doctor.run", **changed):
            return (main(["doctor"]), *capsys.readouterr())

    return run


def test_help_lists_every_command_and_each_explains_its_arguments(capsys):
    def help_of(*command: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main([*command, "--help"])
        assert ended.value.code == 0
        return capsys.readouterr().out

    every = COMMANDS | ADDED
    parts = help_of().split("\nfor instructors:\n")
    for text, users in zip(parts, (["students", "anyone"], ["instructors"]), strict=True):
        listed = [name for one in users for name in every if every[name].users == one]
        assert re.findall(r"^    (\w+) ", text, re.M) == listed
    assert all(f"usage: g2c {name}" in help_of(name) for name in every)


def test_an_unknown_option_or_an_empty_argument_is_refused_and_an_empty_text_is_not(capsys):
    for words, error in ("shakespeare --tabel text", "unrecognized arguments: --tabel"), (" text", "argument is empty"):
        with pytest.raises(SystemExit) as ended:
            main(["show", *words.split(" ")])
        assert ended.value.code == 2 and error in capsys.readouterr().err
    assert main(["show", "no_such_artifact", ""]) == 1 and "no_such_artifact" in capsys.readouterr().err
    assert main(["4"]) == 1 and "There is no module '4'. The modules are: 04, " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (CourseError("The file is damaged. Save it again."), 1, "g2c: The file is damaged. Save it again.\n"),
        (ModuleNotFoundError("No module named 'rich'", name="rich"), 1, "g2c: The package rich is missing"),
        (PermissionError(13, "Permission denied", "a.txt"), 1, "g2c: a.txt cannot be read or written: Permission"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), 1, "g2c: A file cannot be read or written: Disk quota"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_an_error_that_a_user_can_do_something_about_is_one_sentence(doctor, error, code, shown):
    exit_code, out, err = doctor(error)
    assert (exit_code, out) == (code, "") and err.startswith(shown) and err.count("\n") <= 1


def test_a_todo_that_a_command_needs_is_named(doctor):
    exit_code, _, err = doctor(lambda: Exercise().train_step([1, 2], 256))
    assert exit_code == 1 and err.startswith("g2c: train_step is not written yet")


@pytest.mark.parametrize("error", [NotImplementedError("another"), ModuleNotFoundError("no", name="g2c.nothing")])
def test_an_error_of_the_course_itself_keeps_its_traceback(doctor, error):
    with pytest.raises(type(error)):
        doctor(error)


def test_a_warning_is_a_sentence_without_the_line_of_code(doctor):
    done = doctor(lambda: warnings.warn("Another corpus is used.", stacklevel=2) or 0)
    assert done == (0, "", "g2c: Another corpus is used.\n")


@pytest.mark.parametrize("output", ["| true", ">&-"])
def test_a_reader_that_stops_reading_ends_the_command_quietly(small_course, output):
    command = ["sh", "-c", f'"$0" -m {small_course.package} hint double {output}', sys.executable]
    done = subprocess.run(command, cwd=small_course.folder, env=small_course.environment, capture_output=True)
    assert done.stderr == b""


def test_a_terminal_without_these_characters_shows_others(small_course):
    done = small_course.g2c("status", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert "0 of 2 exercises" in done.stdout


def loaded_by(code: str) -> set[str]:
    """The modules that Python has after running this code."""
    code = f"import sys\n{code}\nprint(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_starting_loads_nothing_that_takes_long_and_a_students_commands_no_engine_and_no_test_tools():
    drawing = {"matplotlib", "IPython", "rich", "nbformat", "PIL", "tomllib"}
    above = {"coach.exercises", "coach.testing", "coach.grading", "g2c.corpus", "pytest", "hypothesis"}
    assert not (drawing | above) & loaded_by("import g2c.tokenizer")
    slow = {"numpy", "tokenizers", "matplotlib", "pytest", "IPython", "rich", "hypothesis"}
    assert not slow & loaded_by("import g2c.commands")
    modules = [f"coach.commands.{name}" for name in ("watch", "status", "hint", "solution", "doctor")]
    loaded = loaded_by(f"import {', '.join(modules)}")
    assert not {"numba", "pytest", "g2c.engine"} & loaded
