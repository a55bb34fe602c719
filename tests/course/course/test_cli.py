"""The `g2c` command as a whole: its exit codes, its errors, and what it costs to start."""

import argparse
import subprocess
import sys

import pytest

import g2c
from g2c.common.errors import CourseError
from g2c.course import cli


@pytest.fixture
def command(monkeypatch):
    """A function that makes `g2c doctor` do something else."""

    def replace(action) -> None:
        monkeypatch.setattr("g2c.course.commands.doctor.run", action)

    return replace


def raising(error: BaseException):
    def run(arguments: argparse.Namespace) -> int:
        raise error

    return run


@pytest.mark.parametrize("name", [*cli.COMMANDS, "overview"])
def test_every_command_has_its_module(name):
    module = cli.module_of(name)
    assert callable(module.run)
    assert name == "overview" or callable(module.add_arguments)


def test_help_lists_every_command(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for name in cli.COMMANDS:
        assert f"    {name} " in text


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_its_arguments(name, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: g2c {name}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["no-such-command"], ["status", "--no-such-option"], ["solution"]])
def test_wrong_arguments_give_the_usage_and_exit_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: g2c")


def test_a_course_error_is_one_sentence_and_exit_1(command, capsys):
    command(raising(CourseError("The file is damaged. Save it again.")))
    assert cli.main(["doctor"]) == 1
    captured = capsys.readouterr()
    assert captured.err == "g2c: The file is damaged. Save it again.\n"
    assert captured.out == ""


def test_a_todo_that_a_command_runs_into_is_named(command, capsys):
    command(raising(NotImplementedError("TODO: train_step")))
    assert cli.main(["doctor"]) == 1
    assert capsys.readouterr().err.startswith("g2c: train_step is not written yet")


def test_a_missing_package_is_named_with_the_remedy(command, capsys):
    command(raising(ModuleNotFoundError("No module named 'rich'", name="rich")))
    assert cli.main(["doctor"]) == 1
    assert "The package rich is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error", [NotImplementedError("another"), ModuleNotFoundError("no", name="g2c.nothing"), ZeroDivisionError()]
)
def test_an_error_of_the_course_itself_keeps_its_traceback(command, error):
    command(raising(error))
    with pytest.raises(type(error)):
        cli.main(["doctor"])


def test_ctrl_c_ends_quietly_with_130(command, capsys):
    command(raising(KeyboardInterrupt()))
    assert cli.main(["doctor"]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_warning_is_a_sentence_without_the_line_of_code(command, capsys):
    import warnings

    command(lambda arguments: warnings.warn("Another corpus is used.", stacklevel=2) or 0)
    assert cli.main(["doctor"]) == 0
    assert capsys.readouterr().err == "g2c: Another corpus is used.\n"


def test_a_reader_that_stops_reading_ends_the_command_quietly(small_course):
    with subprocess.Popen(
        [sys.executable, "-m", "g2c", "hint", "double"],
        cwd=small_course.folder,
        env=small_course.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.whole
def test_a_terminal_without_these_characters_shows_others(small_course):
    done = small_course.g2c("status", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert "0 of 2 exercises" in done.stdout


def test_starting_imports_nothing_that_takes_long():
    slow = {"numpy", "tokenizers", "matplotlib", "pytest", "IPython", "rich", "hypothesis"}
    code = f"import sys, g2c.course.cli; print({slow!r} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_students_commands_load_neither_the_engine_nor_the_test_tools():
    """Each would take half a second, many times a day."""
    commands = ["overview", "watch", "status", "hint", "solution", "doctor"]
    code = (
        "import sys\nfrom g2c.course.cli import module_of\n"
        f"for name in {commands}:\n    module_of(name)\n"
        "print([name for name in sys.modules if name in ('numba', 'pytest') or name.startswith('g2c.engine')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_is_installed_and_runs():
    done = subprocess.run([sys.executable, "-m", "g2c", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"g2c {g2c.__version__}\n"
