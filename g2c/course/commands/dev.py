"""`g2c dev check`: what a module of the course still lacks, for authors of the course."""

import argparse

from g2c.common.errors import CourseError
from g2c.course.dev_check import lacks
from g2c.course.exercises import LIST, modules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["check"], help="check: compare modules with the rules of CONTRIBUTING.md")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="module IDs, such as 04; default: all")


def run(arguments: argparse.Namespace) -> int:
    for module_id in arguments.modules:
        if module_id not in modules():
            raise CourseError(f"{LIST.name} has no module {module_id!r}; it lists {', '.join(modules())}.")
    found = False
    for module_id in arguments.modules or modules():
        for sentence in lacks(modules()[module_id]):
            print(f"{module_id}: {sentence}")
            found = True
    if not found:
        print(f"Nothing is missing in module {', '.join(arguments.modules or modules())}.")
    return int(found)
