"""What `g2c train` and `g2c encode` have in common: the arguments about a corpus and its workers, and the artifact."""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from g2c.common.errors import CourseError
from g2c.formats.manifest import read_manifest
from g2c.formats.tokenizer_json import MANIFEST_FILE

CONTINUES = "After Ctrl-C, a kill or a full disk, the same command continues where it stopped."
"""For the help texts."""


class Made(NamedTuple):
    """An artifact that a command has made, or found: its folder, its manifest, and the seconds that this took."""

    folder: Path
    manifest: dict[str, Any]
    seconds: float

    @property
    def where(self) -> str:
        """The end of a sentence that says where the artifact is, and how long it took."""
        return f"in {self.folder}. This took {self.seconds:.1f} s."


def add_worker_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --workers."""
    parser.add_argument("--workers", type=int, metavar="N", help="number of threads; by default one per core")


def corpus_of(arguments: argparse.Namespace) -> str | list[Path]:
    """The corpus that the arguments name: one name, file, folder or glob, or several text files."""
    return arguments.corpus[0] if len(arguments.corpus) == 1 else [Path(name) for name in arguments.corpus]


def make_artifact(arguments: argparse.Namespace, make: Callable[..., Path], *given: Any, **options: Any) -> Made:
    """Call `make(*given, **options)`, with the options about workers and --again, which both commands take.

    Args:
        arguments: those of the command.
        make: `train_and_encode` or `encode_corpus`; returns the artifact's folder.
        given, options: its other arguments.

    Raises:
        CourseError: there are too few workers, or `make` raised ValueError, as it does for an invalid argument.
    """
    if arguments.workers is not None and arguments.workers < 1:
        raise CourseError(f"--workers {arguments.workers} is too few; it must be at least 1.")
    started = time.monotonic()
    try:
        folder = make(*given, workers=arguments.workers, resume=not arguments.again, **options)
    except ValueError as error:
        raise CourseError(str(error)) from None
    return Made(folder, read_manifest(folder / MANIFEST_FILE), time.monotonic() - started)
