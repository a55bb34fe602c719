"""Text that people wrote: dictionaries, manuals and books from packages of Debian.

Manual pages in seven languages, dictionaries, and documentation with code, some 250 MB. Works on Debian and its
relatives: downloads the packages with apt-get, which needs no root rights, and unpacks them without installing them.
"""

import gzip
import io
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePath

PACKAGES = (
    *("manpages-zh", "manpages-ja", "manpages-pl", "manpages-fr", "manpages-de", "manpages", "manpages-dev"),
    *("wordnet-base", "dict-wn", "git-doc", "perl-doc", "python3.11-doc", "python3.13-doc"),
    *("linux-doc-6.1", "linux-doc-6.12"),
)
"""Some exist in some releases of Debian only. Those that are missing are left out."""

LEFT_OUT = {".html", ".htm", ".js", ".css", ".svg", ".map", ".idx", ".index"}
"""Endings of text files that are not prose."""
LETTERS = 0.4
"""Share of letters below which a file is a table of numbers or has no spaces, and is left out."""


class NoRealText(Exception):
    """The reason, in one sentence, why this computer has no real text."""


def write(path: Path, size: int, packages: Path) -> None:
    """Write at most `size` bytes of UTF-8; less when the packages hold less.

    Args:
        packages: the folder where packages are kept.

    Raises:
        NoRealText: there is no apt-get, or it cannot download a single package.
    """
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise NoRealText("Real text comes from packages of Debian, and this computer has no apt-get.")
    written = 0
    with path.open("wb") as out:
        for number, package in enumerate(PACKAGES):
            # A share of what is left, so that a small text has a bit of everything, too.
            share = (size - written) // (len(PACKAGES) - number)
            for text in texts_in(package, packages):
                if share <= 0:
                    break
                out.write(data := _cut(text, share))
                written += len(data)
                share -= len(text.encode())
    if not written:
        path.unlink()
        raise NoRealText("Real text comes from packages of Debian, and apt-get could not download any of them.")


def texts_in(package: str, folder: Path) -> Iterator[str]:
    """The texts of a package, by file name. None if it is not in the folder and cannot be downloaded."""
    if not list(folder.glob(f"{package}_*.deb")):
        subprocess.run(["apt-get", "download", package], cwd=folder, capture_output=True)
    for archive in folder.glob(f"{package}_*.deb"):
        files = subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(files)) as tar:
            for member in sorted(tar.getmembers(), key=lambda member: member.name):
                file = tar.extractfile(member) if member.isfile() else None
                if file and (text := readable(PurePath(member.name), file.read())):
                    yield text


def readable(name: PurePath, data: bytes) -> str:
    """The text of a file; "" if it has none."""
    if name.suffix in (".gz", ".dz"):
        name, data = name.with_suffix(""), gzip.decompress(data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    if name.suffix in LEFT_OUT or "\0" in text:
        return ""
    letters = sum(map(str.isalpha, text[:10_000]))
    return text.rstrip() + "\n\n" if letters > LETTERS * len(text[:10_000]) else ""


def _cut(text: str, size: int) -> bytes:
    """At most `size` bytes, cut between characters."""
    return text.encode()[:size].decode(errors="ignore").encode()
