"""What a submission may use: the limits of its processes, and the files that it may read and write.

The operating system enforces both: it keeps the limits, and wall.py hands it the rules for files.
"""

import os
import resource
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

MEGABYTE = 2**20

SYSTEM = ("/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/localtime")
"""Libraries that Python itself needs."""
DEVICES = ("/dev/null", "/dev/urandom")
COURSE = __name__.split(".")[0]
"""The course's top-level package."""


STUDENT = {"RLIMIT_AS": 4096 * MEGABYTE, "RLIMIT_CPU": 300, "RLIMIT_FSIZE": MEGABYTE, "RLIMIT_NOFILE": 64}
RUNNER = {"RLIMIT_AS": 6144 * MEGABYTE}
"""Limits of the two kinds of processes: bytes of memory, seconds of processor time, bytes in a file, open files."""
MAX_FILES = 64
"""How many files there may be in the scratch folder, which cannot contain folders."""
MAX_THREADS = 100
"""The system has room for some ten thousand, which all processes share."""


def limit_this_process(limits: Mapping[str, int]) -> None:
    """Limit this process and those that it starts. A limit that the system does not know is left out."""
    for name, wanted in {**limits, "RLIMIT_CORE": 0}.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            hard = resource.getrlimit(kind)[1]
            limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            with suppress(ValueError, OSError):
                resource.setrlimit(kind, (limit, limit))


@dataclass(frozen=True)
class SandboxSettings:
    """What one student's process may use."""

    course: Path
    """The student's copy of the course, which may be read."""
    scratch: Path
    """The only folder that may be written to."""
    hidden: tuple[Path, ...]
    """Files and folders with the answer key, the tests, or the work of others, also those that do not exist yet. They
    may not be read, even inside a folder that may."""
    exercise_files: tuple[str, ...]
    """The files that students write, relative to `course`."""
    isolated: bool = True
    """Whether the process puts itself behind the wall; otherwise only the limits apply."""
    key_code: str = ""
    """The answer key's code for some exercises of a file; see `g2c.grading.constants.key_code`."""


class Access(Enum):
    NONE = 0
    READ = 1
    WRITE = 2


def access_rules(settings: SandboxSettings) -> Iterator[tuple[str, Access]]:
    """(path, what may be done there). The innermost rule for a path counts; among rules for the same path, the last."""
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    # The course itself is in the path of the process that asks.
    python |= {place for place in sys.path if os.path.isabs(place) and not os.path.exists(os.path.join(place, COURSE))}
    for path in (*SYSTEM, *DEVICES, *sorted(python)):
        yield path, Access.READ
    # However the course was installed, only the student's copy of it may be read.
    installed = (os.path.join(place, COURSE) for place in sorted(python))
    for path in (*filter(os.path.exists, installed), *map(str, settings.hidden)):
        yield path, Access.NONE
    yield str(settings.course), Access.READ
    yield str(settings.course / COURSE), Access.READ
    yield str(settings.scratch), Access.WRITE
    yield "/dev/null", Access.WRITE


def access_by_folder(settings: SandboxSettings) -> dict[str, Access]:
    """The rules of `access_rules`, by resolved path."""
    return {os.path.realpath(path): access for path, access in access_rules(settings)}
