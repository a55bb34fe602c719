"""Runs the command of a course: its own subcommands, and those that the course adds.

The module of a subcommand defines `run(arguments) -> int`, which returns the exit code, and `add_arguments(parser)` if
it takes any. It is imported when the subcommand is called. To add a subcommand, write its module, and add a line to
`COMMANDS`; one of the course's own is in the table that the course gives to `main`.
"""

import argparse
import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from coach.common.course_file import PROGRAM
from coach.common.paths import REPOSITORY, require_checkout
from coach.exercises import modules
from coach.plain import errors_in_sentences


class Command(NamedTuple):
    """A subcommand: its module, its line in `--help`, and who uses it.

    `users` are "students", "instructors", or "anyone" for a command that also works in an installed library; the others
    work on tests, exercise files and notebooks. `takes_text`: the last arguments are words, which may follow an option.
    """

    module: str
    summary: str
    users: str = "students"
    takes_text: bool = False


COMMANDS = {
    "status": Command(
        "coach.commands.status",
        "list the modules, with what your last tests showed, and what is next",
    ),
    "watch": Command(
        "coach.commands.watch", "test the exercise file whenever you save it, and show only the next failing test"
    ),
    "hint": Command("coach.commands.hint", "show a hint for an exercise, and one more with each call"),
    "solution": Command("coach.commands.solution", "show the answer key's code for an exercise"),
    "doctor": Command(
        "coach.commands.doctor",
        "find what is wrong with the installation and the files, and how to fix it",
    ),
    "grade": Command("coach.grading.command", "grade submissions, also on Gradescope", "instructors"),
    "page": Command(
        "coach.page.build", "write the course as a page that runs in a browser, with nothing to install", "instructors"
    ),
    "release": Command(
        "coach.release", "write the repository that students clone, with or without answers", "instructors"
    ),
}
"""Name -> subcommand of every course. A release for students lacks the modules of some."""

NOTHING_ADDED: Mapping[str, Command] = {}
ORDER = ("students", "anyone", "instructors")
"""The order of `--help`."""


def main(
    argv: list[str] | None = None,
    program: str = PROGRAM,
    version: str = "",
    added: Mapping[str, Command] = NOTHING_ADDED,
) -> int:
    """Run a course's command with these arguments, by default those of the process. Returns the exit code.

    `program` is the command's name, which a course that is also a library gives here, because course.toml is not
    installed with it. `added` has the subcommands of the course itself.
    """
    arguments = sys.argv[1:] if argv is None else argv

    def show_warning(message: Warning | str, *_: object, **__: object) -> None:
        print(f"{program}: {message}", file=sys.stderr)

    commands = dict(sorted((COMMANDS | {**added}).items(), key=lambda item: ORDER.index(item[1].users)))
    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        return errors_in_sentences(lambda: _run(arguments, program, version, commands), f"{program}: ")


def _run(argv: list[str], program: str, version: str, commands: dict[str, Command]) -> int:
    name = next((argument for argument in argv if argument in commands), None)
    # Checked before the command's module is imported, which may need packages that a library installation lacks.
    if not argv or name and commands[name].users != "anyone":
        require_checkout(f"`{program} {name}`" if argv else f"`{program}`")
    parser = argparse.ArgumentParser(
        prog=program,
        usage=f"{program} [-h] [--version] [MODULE | COMMAND ...]",
        description="Without a command: test a module, and show what fails first and what to do about it.\nWithout a "
        "module: the one whose exercise file you saved last.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"{program} {version}".strip())
    subparsers = parser.add_subparsers(prog=program, dest="command", metavar="COMMAND", title="commands")
    for_instructors = []
    for each, (module, summary, users, _) in commands.items():
        if (REPOSITORY / f"{module.replace('.', '/')}.py").is_file():
            listed: dict[str, Any] = {} if users == "instructors" else {"help": summary}
            subparser = subparsers.add_parser(each, description=summary[0].upper() + summary[1:] + ".", **listed)
            if each == name and (add_arguments := getattr(_module_of(commands, each), "add_arguments", None)):
                add_arguments(subparser)
            for_instructors += [] if listed else [f"    {each:<9} {summary}"]
    parser.epilog = "\n".join(["for instructors:", *for_instructors]) if for_instructors else None
    names_module = len(argv) == 1 and (argv[0] in modules() or argv[0][:1].isdigit())
    parser.set_defaults(module=argv[0] if names_module else None)
    arguments = _parse(parser, [] if names_module else argv, commands)
    return int(_module_of(commands, arguments.command or "status").run(arguments))


def _module_of(commands: dict[str, Command], name: str) -> ModuleType:
    return import_module(commands[name].module)


def _parse(parser: argparse.ArgumentParser, argv: list[str], commands: dict[str, Command]) -> argparse.Namespace:
    """Parse the arguments. The words of `g2c show NAME TEXT...` may follow an option.

    Older versions of argparse leave these words over (https://github.com/python/cpython/issues/59317).
    """
    arguments, left_over = parser.parse_known_args(argv)
    takes_text = bool(arguments.command) and commands[arguments.command].takes_text
    if left_over and (not takes_text or any(word.startswith("-") for word in left_over)):
        parser.error(f"unrecognized arguments: {' '.join(left_over)}")
    if takes_text:
        arguments.text += left_over
    if argv.count("") > (arguments.text.count("") if takes_text else 0):
        # A path of no characters would be the current folder.
        parser.error("an argument is empty; perhaps a variable of the shell is not set")
    return arguments
