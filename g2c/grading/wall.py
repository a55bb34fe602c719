"""Puts a process behind a wall that the kernel guards: no capabilities, Landlock, and seccomp.

The student's process does so before it imports the student's code, and can never leave. Three parts make the wall:

- Root gives up every capability, so that the kernel treats it like any other user; see capabilities(7).
- Landlock, from Linux 5.13 on, decides which files a process may open, and in later versions keeps it away from other
  processes and the network: https://docs.kernel.org/userspace-api/landlock.html.
- Seccomp refuses system calls that these two allow and no exercise needs: new processes and programs, sockets, signals,
  tracing, limits of other processes, modes and times of files, locks and leases, news of changed files, space on the
  disk beyond a file's end, and shared memory. Its filter is a program for the classic Berkeley packet filter:
  https://docs.kernel.org/userspace-api/seccomp_filter.html.
"""

import ctypes
import errno
import os
import platform
import re
import struct
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from g2c.grading.processes import PARENT_DEATH_SIGNAL
from g2c.grading.protocol import Target

LIBC = ctypes.CDLL(None, use_errno=True)

MACHINES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
"""Machine -> its number in the audit interface, and its place in the pairs of numbers below."""

AMBIENT, CLEAR_ALL, DROP_FROM_BOUNDING_SET, SECUREBITS, NO_NEW_PRIVILEGES = 47, 4, 24, 28, 38
"""Options of prctl(2), and an argument of the first."""
LOCKED = 0x2F
"""Neither root's number nor a change of the user gives capabilities, and this is final."""
CAPSET = (126, 91)
VERSION_3 = 0x2008_0522

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls, with the same numbers on every machine."""
ASK_FOR_VERSION = 1
RULE_PATH_BENEATH = 1

WRITE_FILE, READ_FILE, READ_DIRECTORY, REMOVE_FILE, MAKE_FILE = 1 << 1, 1 << 2, 1 << 3, 1 << 5, 1 << 8
TRUNCATE, DEVICE_CONTROL = 1 << 14, 1 << 15
FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: TRUNCATE, 5: DEVICE_CONTROL}
"""Version of Landlock -> its new rights. Some are never granted: to start a program, to make a folder or a link, and to
move a file to another folder."""
NETWORK, OTHER_PROCESSES = 0b11, 0b11
"""TCP, from version 4 on; abstract sockets and signals, from version 6 on."""
NOTHING = 0
READ = READ_FILE | READ_DIRECTORY
WRITE = READ | WRITE_FILE | REMOVE_FILE | MAKE_FILE | TRUNCATE
FOR_FILES = WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL
"""The rights that a rule for a single file can grant."""
SYSTEM = ("/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/localtime", "/dev/urandom")

SET_MODE_FILTER, FOR_ALL_THREADS = 1, 1
DUMPABLE = 4
LOAD, EQUAL, AT_LEAST, HAS_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
CLONE_FILES, CLONE_THREAD = 0x0400, 0x0001_0000
X32 = 0x4000_0000
"""Bit of the system calls in the x32 interface, which have other numbers."""

Instruction = tuple[int, int, int, int]
"""Operation, how many instructions to skip if its test holds and if it fails, and its operand."""

CALL_NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT = ((LOAD, 0, 0, offset) for offset in (0, 4, 16, 24))
"""Load a part of the kernel's `struct seccomp_data`: of an argument, the lower half."""
ALLOW, KILL, REFUSE, LACK = (
    (RETURN, 0, 0, result)
    for result in (0x7FFF_0000, 0x8000_0000, 0x0005_0000 | errno.EPERM, 0x0005_0000 | errno.ENOSYS)
)

SECCOMP = (317, 277)
FORBIDDEN = """
fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, unshare 272 97, personality 135 92
socket 41 198, socketpair 53 199, ptrace 101 117, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282
io_setup 206 0, io_uring_setup 425 425, pidfd_send_signal 424 424
kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240
setpriority 141 140, ioprio_set 251 30, sched_setparam 142 118, sched_setscheduler 144 119, sched_setaffinity 203 122
sched_setattr 314 274, setrlimit 160 164
shmget 29 194, shmat 30 196, shmctl 31 195, semget 64 190, semop 65 193, semctl 66 191, semtimedop 220 192
msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187, mq_open 240 180, mq_unlink 241 181
add_key 248 217, request_key 249 218, keyctl 250 219
inotify_init 253 -, inotify_init1 294 26, fanotify_init 300 262, flock 73 32, fallocate 285 47, truncate 76 45
chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, lchown 94 -, fchown 93 55, fchownat 260 54
utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7
setxattrat 463 463, removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, removexattrat 466 466
"""
"""Calls that are refused whatever their arguments: name, number on x86-64, and on 64-bit ARM, which lacks some."""
PRLIMIT, PRCTL, CLONE, CLONE3, FCNTL, IOCTL = (302, 261), (157, 167), (56, 220), (435, 435), (72, 25), (16, 29)
OPERATIONS = {FCNTL: (0, 1, 2, 3, 4, 1030), IOCTL: (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)}
"""The operations that Python needs, of calls with hundreds: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
F_DUPFD_CLOEXEC; TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Others lock files, allocate space on the disk
(FS_IOC_RESVSP64, FICLONE), or have the kernel send signals."""


@dataclass(frozen=True)
class SandboxSettings:
    """Says what one student's process may use."""

    course: Path
    scratch: Path
    hidden: tuple[Path, ...]
    """Files and folders with the answer key, the tests, or others' work, including any that do not exist yet. It may
    not read them, even inside a folder that it may read."""
    exercise_files: tuple[str, ...]
    """The files that students write, relative to `course`."""
    lent: tuple[Target, ...] = ()
    """Functions in them for which the answer key's are called, through the test runner."""
    isolated: bool = True
    """Whether the process puts itself behind the wall. Without it, only the limits apply."""


def access_rules(settings: SandboxSettings) -> dict[str, int]:
    """Return NOTHING, READ or WRITE for each resolved path and everything below it; the innermost path counts."""
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    # The course itself is in the path of the process that asks.
    python |= {place for place in sys.path if os.path.isabs(place) and not os.path.exists(os.path.join(place, "g2c"))}
    # However the course was installed, only the student's copy of it may be read.
    installed = filter(os.path.exists, (os.path.join(place, "g2c") for place in sorted(python)))
    rules = dict.fromkeys([*SYSTEM, *sorted(python), "/proc/self"], READ)
    rules |= dict.fromkeys([*installed, *map(str, settings.hidden)], NOTHING)
    rules |= {str(settings.course): READ, str(settings.scratch): WRITE, "/dev/null": WRITE}
    return {os.path.realpath(path): rights for path, rights in rules.items()}


def restrict_this_process(settings: SandboxSettings) -> None:
    """Put this process behind the wall, for good."""
    # The kernel forgets a folder of /proc, and the rule for it, unless somebody has it open.
    os.open("/proc/self", os.O_PATH)
    access = access_rules(settings)
    give_up_capabilities()
    LIBC.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    restrict_files(access)
    restrict_system_calls()


def give_up_capabilities() -> None:
    """Give up every capability of this process and of its children, for good. An ordinary user has none."""
    with suppress(OSError):  # Only root may leave its groups, and not in every namespace. Landlock does not need it.
        os.setgroups([])
    # An ordinary user may not do all of this, and need not: it starts no programs that could give it capabilities.
    LIBC.prctl(AMBIENT, CLEAR_ALL, 0, 0, 0)
    for capability in range(int(Path("/proc/sys/kernel/cap_last_cap").read_text(encoding="ascii")) + 1):
        LIBC.prctl(DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)
    LIBC.prctl(SECUREBITS, LOCKED, 0, 0, 0)
    # A header (version, this process) and an empty set of effective, permitted and inheritable capabilities.
    _system_call(CAPSET[MACHINES[platform.machine()][1]], struct.pack("Ii", VERSION_3, 0), bytes(24))


def restrict_files(access: Mapping[str, int]) -> None:
    """Have the kernel refuse this process and its children all other files, from now on."""
    version = _system_call(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_FOR_VERSION)
    handled = sum(rights for since, rights in FILE_RIGHTS.items() if since <= version)
    fields = [handled, *([NETWORK] if version >= 4 else []), *([OTHER_PROCESSES] if version >= 6 else [])]
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    ruleset = _system_call(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    for path, rights in _grants(access):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        allowed = handled & (rights if os.path.isdir(path) else rights & FOR_FILES)
        LIBC.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
        os.close(place)
    _system_call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _grants(access: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield (path, rights) for each rule. A rule covers everything below its path, so none is above a hidden path."""
    hidden = [path for path, rights in access.items() if rights == NOTHING]
    for top, rights in access.items():
        paths = [top] if rights != NOTHING and os.path.exists(top) else []
        for path in paths:
            if any(inner.startswith(f"{path.rstrip('/')}/") for inner in hidden):
                yield path, READ_DIRECTORY  # This gives the names only.
                entries = [entry for entry in os.scandir(path) if not entry.is_symlink()]
                paths += [entry.path for entry in entries if entry.path not in access]
            else:
                yield path, rights


def restrict_system_calls() -> None:
    """Have the kernel refuse the system calls above to this process and all of its threads, for good."""
    machine = MACHINES[platform.machine()]
    program = _program(*machine)
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *instruction) for instruction in program))
    filter_ = struct.pack("@HP", len(program), ctypes.addressof(code))
    _system_call(SECCOMP[machine[1]], SET_MODE_FILTER, FOR_ALL_THREADS, filter_)


def _system_call(number: int, *arguments: Any) -> int:
    result = int(LIBC.syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _program(architecture: int, column: int) -> list[Instruction]:
    steps = [ARCHITECTURE, (EQUAL, 1, 0, architecture), KILL, CALL_NUMBER]
    if column == 0:
        steps += _if(AT_LEAST, X32, [REFUSE])
    numbers = [call.split()[1 + column] for call in re.split("[,\n]+ *", FORBIDDEN.strip())]
    programs = {int(number): [REFUSE] for number in numbers if number != "-"}
    # It may set its own limits, and names itself by 0. RLIMIT_CPU, which is also 0, would have the kernel kill it.
    own = [SECOND_ARGUMENT, *_if(EQUAL, 0, [REFUSE]), FIRST_ARGUMENT, *_if(EQUAL, 0, [ALLOW]), REFUSE]
    # These options would keep it alive after the test runner, or hide its memory from the test runner.
    hiding = [FIRST_ARGUMENT, *_if(EQUAL, PARENT_DEATH_SIGNAL, [REFUSE]), *_if(EQUAL, DUMPABLE, [REFUSE]), ALLOW]
    # A thread with files of its own could have as many open as a process.
    threads = [FIRST_ARGUMENT, *_if(HAS_BITS, CLONE_THREAD, _if(HAS_BITS, CLONE_FILES, [ALLOW])), REFUSE]
    # Without clone3, the C library uses clone, whose flags a filter can read.
    programs |= {PRLIMIT[column]: own, PRCTL[column]: hiding, CLONE[column]: threads, CLONE3[column]: [LACK]}
    for call, allowed in OPERATIONS.items():
        accepted = [step for value in allowed for step in _if(EQUAL, value, [ALLOW])]
        programs[call[column]] = [SECOND_ARGUMENT, *accepted, REFUSE]
    return [*steps, *(step for number, program in programs.items() for step in _if(EQUAL, number, program)), ALLOW]


def _if(test: int, value: int, steps: list[Instruction]) -> list[Instruction]:
    """Run `steps` when the loaded number passes a test; else skip them."""
    return [(test, 0, len(steps), value), *steps]
