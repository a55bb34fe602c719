"""What `g2c train` and `g2c encode` have in common: the arguments about a corpus, and how they make an artifact."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError

CONTINUES = "After Ctrl-C, a kill or a full disk, the same command continues where it stopped."


def add_worker_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=int, metavar="N", help="number of threads; by default one per core")


def corpus_of(arguments: argparse.Namespace) -> str | list[Path]:
    """The corpus that the arguments name: one name, file or folder, or several files."""
    return arguments.corpus[0] if len(arguments.corpus) == 1 else [Path(name) for name in arguments.corpus]


def make_artifact(arguments: argparse.Namespace, make: Callable[..., Path], *given: Any, **options: Any) -> Path:
    """Call `make(*given, **options)`, with the options about workers and --again. CourseError: an argument is wrong."""
    try:
        return make(*given, workers=arguments.workers, resume=not arguments.again, **options)
    except ValueError as error:
        raise CourseError(str(error)) from None
