"""Seccomp: the Linux kernel refuses system calls that no exercise needs, in this process, from now on.

Landlock decides about files, and about reading other processes; without capabilities there are no mounts and no other
roots. These are the calls that both leave: new processes and programs, sockets, signals, being traced, which hides how
a process ends, limits of other processes, modes and times of files, locks and leases, which others can see, news of
changed files, room on the disk beyond the end of a file, and shared memory. The filter is a program of the classic
Berkeley packet filter; see https://docs.kernel.org/userspace-api/seccomp_filter.html.
"""

import ctypes
import errno
import platform
import struct

from g2c.grading.processes import PARENT_DEATH_SIGNAL

SECCOMP_SET_MODE_FILTER, FOR_ALL_THREADS = 1, 1
DUMPABLE, NO_NEW_PRIVILEGES = 4, 38
ALLOW, KILL, REFUSE = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
LOAD, EQUAL, AT_LEAST, HAS_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 4, 16, 24
"""Places in the kernel's `struct seccomp_data`. Of an argument, the lower half is read."""
CLONE_FILES, CLONE_THREAD = 0x0400, 0x0001_0000
X32 = 0x4000_0000
"""System calls of the x32 interface, which have other numbers than those below."""

MACHINES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
"""Machine -> its number in the audit interface, and the column of the tables below."""
SECCOMP = (317, 277)
NEVER: dict[str, tuple[int, int | None]] = {
    **{"fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281), "unshare": (272, 97)},
    **{"personality": (135, 92)},
    **{"socket": (41, 198), "socketpair": (53, 199)},
    **{"ptrace": (101, 117), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282)},
    **{"io_setup": (206, 0), "io_uring_setup": (425, 425)},
    **{"kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138)},
    **{"rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424)},
    **{"setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setparam": (142, 118)},
    **{"sched_setscheduler": (144, 119), "sched_setaffinity": (203, 122), "sched_setattr": (314, 274)},
    **{"setrlimit": (160, 164)},
    **{"shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193)},
    **{"semctl": (66, 191), "semtimedop": (220, 192)},
    **{"msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187), "mq_open": (240, 180)},
    **{"mq_unlink": (241, 181), "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219)},
    **{"inotify_init": (253, None), "inotify_init1": (294, 26), "fanotify_init": (300, 262), "flock": (73, 32)},
    **{"fallocate": (285, 47), "truncate": (76, 45)},
    **{"chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None)},
    **{"lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54)},
    **{"utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88)},
    **{"setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463)},
    **{"removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466)},
}
"""Refused whatever the arguments are: name -> number on x86-64 and on 64-bit ARM."""
PRLIMIT, PRCTL, CLONE, CLONE3, FCNTL, IOCTL = (302, 261), (157, 167), (56, 220), (435, 435), (72, 25), (16, 29)
OPERATIONS = {FCNTL: (0, 1, 2, 3, 4, 1030), IOCTL: (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)}
"""What Python needs of the calls with hundreds of operations. F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
F_DUPFD_CLOEXEC; TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Others lock files, allocate room on the disk
(FS_IOC_RESVSP64, FICLONE), or have the kernel send signals."""

Instruction = tuple[int, int, int, int]
"""Operation, how many instructions to skip if the test holds and if it fails, and its number."""


def restrict_system_calls() -> None:
    """Have the kernel refuse these system calls to this process and all of its threads. It cannot be undone."""
    machine = MACHINES[platform.machine()]
    program = _program(*machine)
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *instruction) for instruction in program))
    filter_ = struct.pack("@HP", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if libc.syscall(SECCOMP[machine[1]], SECCOMP_SET_MODE_FILTER, FOR_ALL_THREADS, filter_):
        raise OSError(ctypes.get_errno(), "seccomp cannot be used")


def _program(architecture: int, column: int) -> list[Instruction]:
    refuse = _return(REFUSE | errno.EPERM)
    program = [_load(ARCHITECTURE), (EQUAL, 1, 0, architecture), _return(KILL), _load(NUMBER)]
    if column == 0:
        program += _if(AT_LEAST, X32, [refuse])
    for numbers in NEVER.values():
        number = numbers[column]
        if number is not None:
            program += _if(EQUAL, number, [refuse])
    # Of a process's limits, its own: it names itself by 0. Not RLIMIT_CPU, 0 as well, at which the kernel kills it.
    own = [_load(SECOND_ARGUMENT), *_if(EQUAL, 0, [refuse]), _return(ALLOW)]
    program += _if(EQUAL, PRLIMIT[column], [_load(FIRST_ARGUMENT), *_if(EQUAL, 0, own), refuse])
    # What would keep it alive after the test runner, or hide its memory from it.
    hiding = [step for option in (PARENT_DEATH_SIGNAL, DUMPABLE) for step in _if(EQUAL, option, [refuse])]
    program += _if(EQUAL, PRCTL[column], [_load(FIRST_ARGUMENT), *hiding, _return(ALLOW)])
    for numbers, allowed in OPERATIONS.items():
        steps = [step for value in allowed for step in _if(EQUAL, value, [_return(ALLOW)])]
        program += _if(EQUAL, numbers[column], [_load(SECOND_ARGUMENT), *steps, refuse])
    # A thread with files of its own could have as many open as a process.
    threads = [*_if(HAS_BITS, CLONE_THREAD, _if(HAS_BITS, CLONE_FILES, [_return(ALLOW)])), refuse]
    threads = [_load(FIRST_ARGUMENT), *threads]
    program += _if(EQUAL, CLONE[column], threads)
    # The C library then uses clone, whose flags a filter can read.
    program += _if(EQUAL, CLONE3[column], [_return(REFUSE | errno.ENOSYS)])
    return [*program, _return(ALLOW)]


def _load(place: int) -> Instruction:
    return (LOAD, 0, 0, place)


def _return(value: int) -> Instruction:
    return (RETURN, 0, 0, value)


def _if(test: int, value: int, steps: list[Instruction]) -> list[Instruction]:
    """`steps` when the loaded number passes a test; else what follows them."""
    return [(test, 0, len(steps), value), *steps]
