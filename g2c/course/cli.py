"""Runs the `g2c` command. Each subcommand is a module, imported when it is called.

Such a module defines `run(arguments) -> int`, which returns the exit code, and `add_arguments(parser)` if it takes any.
To add a subcommand, write its module, add a line to COMMANDS, and one to NEEDS_CHECKOUT if it reads more than the
package's own files.
"""

import argparse
import sys
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from g2c import __version__
from g2c.common.paths import require_checkout
from g2c.course.plain import errors_in_sentences

COMMANDS = {
    "status": "show which exercises pass, which corpora and artifacts you have, and what to do next",
    "watch": "test the exercise file whenever you save it, and show only the next failing test",
    "lab": "see your tokenizer work in a browser while you write it, or export the page as a file",
    "hint": "show a hint for an exercise, and a further one after your next try",
    "solution": "show the answer key's code for an exercise",
    "doctor": "find what is wrong with the installation, the corpora and the files, and how to fix it",
    "train": "train a tokenizer and save it: one of the course's own, or one for any corpus",
    "encode": "encode a corpus of any size as token IDs, on all cores; resumes after an interruption",
    "join": "put artifacts of one tokenizer together, such as parts that several machines encoded",
    "verify": "check everything about a saved tokenizer and its token IDs",
    "export": "write token IDs or a tokenizer as nanoGPT or tiktoken reads them",
    "show": "split a text with a saved tokenizer and show the tokens in color",
    "generate": "let your language model write, from the token IDs of a saved tokenizer",
    "grade": "grade submissions, also on Gradescope or GitHub Classroom",
    "release": "write the repository that students clone, with or without answers",
    "page": "write the course as a page that runs in a browser, with nothing to install",
}
"""Name -> its line in `g2c --help`. The module in g2c/course/commands/ has the same name."""

_ELSEWHERE = {
    "lab": "g2c.lab.server",
    "grade": "g2c.grading.command",
    "release": "g2c.course.release",
    "page": "g2c.page.build",
}
"""Commands whose module is not in g2c/course/commands/."""

INSTRUCTORS_COMMANDS = ("grade", "release", "page")
"""Commands that have a list of their own in `g2c --help`. A release for students lacks their modules."""

NEEDS_CHECKOUT = {"status", "watch", "lab", "hint", "solution", "doctor", *INSTRUCTORS_COMMANDS}
"""Commands that work on tests, exercise files and notebooks. The others also work in an installed library."""


def main(argv: list[str] | None = None) -> int:
    """Run the command with these arguments, by default those of the process. Returns the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return errors_in_sentences(lambda: _run(arguments), "g2c: ")


def _run(argv: list[str]) -> int:
    name = next((argument for argument in argv if argument in COMMANDS), None)
    # Checked before the command's module is imported, which may need packages that a library installation lacks.
    if not argv or name in NEEDS_CHECKOUT:
        require_checkout(f"`g2c {name}`" if argv else "`g2c`")
    parser = argparse.ArgumentParser(
        prog="g2c",
        description="Without a command: your progress, the next failing test, and what to do about it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"g2c {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for_instructors = ""
    for command, summary in COMMANDS.items():
        if not _is_here(command):
            continue
        listed: dict[str, Any] = {} if command in INSTRUCTORS_COMMANDS else {"help": summary}
        subparser = subparsers.add_parser(command, description=summary[0].upper() + summary[1:] + ".", **listed)
        if command == name and (add_arguments := getattr(module_of(command), "add_arguments", None)):
            add_arguments(subparser)
        for_instructors += "" if listed else f"\n    {command:<9} {summary}"
    parser.epilog = f"for instructors:{for_instructors}" if for_instructors else None
    arguments = _parse(parser, argv)
    return int(module_of(arguments.command or "status").run(arguments))


def _is_here(command: str) -> bool:
    """Tell whether this copy of the course has a command: a release may lack its module."""
    return Path(__file__).parents[2].joinpath(*_module_name(command).split(".")).with_suffix(".py").is_file()


def _module_name(command: str) -> str:
    return _ELSEWHERE.get(command, f"g2c.course.commands.{command}")


def module_of(command: str) -> ModuleType:
    return import_module(_module_name(command))


def _parse(parser: argparse.ArgumentParser, argv: list[str]) -> argparse.Namespace:
    """Parse the arguments. The words of `g2c show NAME TEXT...` may follow an option.

    Older versions of argparse leave these words over (https://github.com/python/cpython/issues/59317).
    """
    arguments, left_over = parser.parse_known_args(argv)
    if left_over and (arguments.command not in ("show", "generate") or any(word.startswith("-") for word in left_over)):
        parser.error(f"unrecognized arguments: {' '.join(left_over)}")
    if left_over:
        arguments.text += left_over
    words = arguments.text if arguments.command in ("show", "generate") else []
    if argv.count("") > words.count(""):
        # A path of no characters would be the current folder.
        parser.error("an argument is empty; perhaps a variable of the shell is not set")
    return arguments


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"g2c: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
