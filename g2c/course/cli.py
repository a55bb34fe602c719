"""Runs the `g2c` command. Each subcommand is a module, imported when it is called.

Such a module defines `run(arguments) -> int`, which returns the exit code, and `add_arguments(parser)` if it takes any.
To add a subcommand, write its module, and add a line to one of the tables.
"""

import argparse
import sys
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

from g2c import __version__
from g2c.common.paths import REPOSITORY, require_checkout
from g2c.course.plain import errors_in_sentences

STUDENTS_COMMANDS = {
    "status": "list the modules, with what your last tests showed, your corpora and artifacts, and what is next",
    "watch": "test the exercise file whenever you save it, and show only the next failing test",
    "lab": "see your saved tokenizers at work in a browser, beside published ones",
    "hint": "show a hint for an exercise, and one more with each call",
    "solution": "show the answer key's code for an exercise",
    "doctor": "find what is wrong with the installation, the corpora and the files, and how to fix it",
}
LIBRARY_COMMANDS = {
    "train": "train a tokenizer and save it: one of the course's own, or one for any corpus",
    "encode": "encode a corpus of any size as token IDs, on all cores",
    "join": "put artifacts of one tokenizer together, such as parts that several machines encoded",
    "verify": "check a saved tokenizer and its token IDs",
    "show": "split a text with a saved tokenizer and show the tokens in color",
    "generate": "let your language model write, from the token IDs of a saved tokenizer",
}
"""Commands that also work in an installed library. The others work on tests, exercise files and notebooks."""

INSTRUCTORS_COMMANDS = {
    "grade": "grade submissions, also on Gradescope",
    "release": "write the repository that students clone, with or without answers",
    "page": "write the course as a page that runs in a browser, with nothing to install",
}
COMMANDS = STUDENTS_COMMANDS | LIBRARY_COMMANDS | INSTRUCTORS_COMMANDS
"""Name -> its line in `g2c --help`. A release for students lacks the modules of some."""

_ELSEWHERE = {
    "lab": "g2c.lab.command",
    "grade": "g2c.grading.command",
    "release": "g2c.course.release",
    "page": "g2c.page.build",
}
"""Commands whose module is not in g2c/course/commands/."""


def main(argv: list[str] | None = None) -> int:
    """Run the command with these arguments, by default those of the process. Returns the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return errors_in_sentences(lambda: _run(arguments), "g2c: ")


def _run(argv: list[str]) -> int:
    name = next((argument for argument in argv if argument in COMMANDS), None)
    # Checked before the command's module is imported, which may need packages that a library installation lacks.
    if not argv or name in STUDENTS_COMMANDS | INSTRUCTORS_COMMANDS:
        require_checkout(f"`g2c {name}`" if argv else "`g2c`")
    parser = argparse.ArgumentParser(
        prog="g2c",
        description="Without a command: test the module in work, and show what fails first and what to do about it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"g2c {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for_instructors = []
    for command, summary in COMMANDS.items():
        if (REPOSITORY / f"{_name_of(command).replace('.', '/')}.py").is_file():
            listed: dict[str, Any] = {} if command in INSTRUCTORS_COMMANDS else {"help": summary}
            subparser = subparsers.add_parser(command, description=summary[0].upper() + summary[1:] + ".", **listed)
            if command == name and (add_arguments := getattr(module_of(command), "add_arguments", None)):
                add_arguments(subparser)
            for_instructors += [] if listed else [f"    {command:<9} {summary}"]
    parser.epilog = "\n".join(["for instructors:", *for_instructors]) if for_instructors else None
    arguments = _parse(parser, argv)
    return int(module_of(arguments.command or "status").run(arguments))


def _name_of(command: str) -> str:
    return _ELSEWHERE.get(command, f"g2c.course.commands.{command}")


def module_of(command: str) -> ModuleType:
    return import_module(_name_of(command))


def _parse(parser: argparse.ArgumentParser, argv: list[str]) -> argparse.Namespace:
    """Parse the arguments. The words of `g2c show NAME TEXT...` may follow an option.

    Older versions of argparse leave these words over (https://github.com/python/cpython/issues/59317).
    """
    arguments, left_over = parser.parse_known_args(argv)
    takes_words = arguments.command in ("show", "generate")
    if left_over and (not takes_words or any(word.startswith("-") for word in left_over)):
        parser.error(f"unrecognized arguments: {' '.join(left_over)}")
    if takes_words:
        arguments.text += left_over
    if argv.count("") > (arguments.text.count("") if takes_words else 0):
        # A path of no characters would be the current folder.
        parser.error("an argument is empty; perhaps a variable of the shell is not set")
    return arguments


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"g2c: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
