"""Finds the files in downloaded folders, zips and tars, and in students' archives inside these.

Nothing is unpacked to disk.
"""

import errno
import io
import re
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from coach.common.errors import CourseError
from coach.common.files import exists
from coach.common.paths import REPOSITORY
from coach.exercises import course_packages, modules
from coach.grading.names import ARCHIVE_NAME, MAX_NAME, FilePlace, exercise_file_in
from coach.grading.records import add_note

MAX_SIZE = {".py": 2**24, ".yml": 2**26, ".ipynb": 2**24, "archive": 200 * 2**20}
"""Ending -> largest file, in bytes. A notebook contains its figures, and Gradescope's file the results of the class."""
MAX_TOTAL = 2**28
"""Bytes of one student's code, notebooks and archives together. A zip of 3 MB may contain 20 GB of them."""
MAX_FOLDERS = 50
"""Folders inside each other. A clone has five."""
LEFTOVERS = re.compile(r"\..*|~\$.*|__MACOSX|__pycache__|site-packages|node_modules|Thumbs\.db|desktop\.ini", re.I)
"""Names of files that no student wrote: hidden ones, and those of operating systems, editors and installed packages."""
_HAS_PASSWORD, _SAYS_UTF_8 = 0x1, 0x800
"""Flags of an entry of a zip: its content is encrypted; its name is in UTF-8."""
COURSE_FOLDERS = {"benchmarks", "coach", "docs", "mistakes", "notebooks", "scripts", "tests"}
"""Folders in every clone of the course, beside those of its packages."""


class File(NamedTuple):
    """Describes a file in a folder or zip. A folder has an entry with an empty name, so that none is lost."""

    place: FilePlace
    size: int = 0
    read: Callable[[], bytes] = bytes
    refused: str = ""
    """Why it is ignored, unless its name says it."""
    date: str = ""
    """When the attempt was handed in that it belongs to, in a form that sorts."""

    @property
    def name(self) -> str:
        return self.place[-1]

    @property
    def shown(self) -> str:
        return "/".join(self.place) + (f" ({self.date.replace('T', ' ')})" if self.date else "")

    @property
    def ending(self) -> str:
        # Some mail programs and editors add ".txt".
        name = re.sub(r"(\.py|\.ipynb)\.txt$", r"\1", self.name.lower())
        return "archive" if ARCHIVE_NAME.search(name) else PurePosixPath(name).suffix

    @property
    def exercise(self) -> str:
        """Return the exercise file or notebook that its name says it is, or ""."""
        return exercise_file_in(self.name)[1]

    def content(self) -> bytes:
        limit = MAX_SIZE[self.ending]
        if self.refused or self.size > limit:
            raise ValueError(f"it is {self.refused or f'larger than {limit >> 20} MB'}")
        return self.read()


def files_of(path: Path, reports: Path | None = None) -> list[File]:
    """Find the files in one of the paths."""
    if not exists(path):
        raise CourseError(f"{path} does not exist.")
    if path.is_dir():
        return sorted(_files_of_folder(path, (), reports), key=itemgetter(0))
    file = File((path.name,), path.stat().st_size, path.read_bytes)
    if file.ending == "archive":
        # An archive that cannot be read stays a file. It is then read as a student's, which notes the reason.
        with suppress(OSError, ValueError, zipfile.BadZipFile, tarfile.TarError):
            return files_of_archive(path.open("rb"))
    return [file]


def _files_of_folder(folder: Path, around: FilePlace, reports: Path | None) -> Iterator[File]:
    yield File((*around, ""))
    try:
        if len(around) > MAX_FOLDERS:
            raise OSError(errno.ENAMETOOLONG, f"more than {MAX_FOLDERS} folders inside each other")
        for path in folder.iterdir():
            place = (*around, path.name)
            if path.is_symlink() or path.resolve() == reports:
                yield File(place, refused="a link" if path.is_symlink() else "reports")
            elif path.is_dir():
                yield from (
                    [File((*place, ""))] if LEFTOVERS.fullmatch(path.name) else _files_of_folder(path, place, reports)
                )
            elif not _is_of_course(place):
                # Reading a pipe, for example, would not end.
                refused = "" if path.is_file() else "neither a file nor a folder"
                yield File(place, path.stat().st_size, path.read_bytes, refused)
    except OSError as error:
        yield File((*around, ""), refused=f"folder {folder.name} cannot be read ({error.strerror})")


Member = tuple[str, int, bool, Callable[[], bytes]]
"""The name of a file or a folder in an archive, its size, whether it is a folder, and what reads it."""


def files_of_archive(stream: BinaryIO) -> list[File]:
    """Find the files in a zip or a tar. Errors are of many kinds."""
    found = []
    for name, size, is_folder, read in _in_zip(stream) if zipfile.is_zipfile(stream) else _in_tar(stream):
        parts = PurePosixPath(name.replace("\\", "/")).parts
        # No file system allows longer names, and some thousands of these would take minutes to match.
        short = [part if len(part) <= MAX_NAME else f"{part[:60]}...{part[-60:]}" for part in parts]
        place = tuple(part for part in short if part not in ("/", "..", "."))
        if place and not _is_of_course(place):
            found.append(File((*place, "") if is_folder else place, size, read))
    return sorted(found, key=itemgetter(0))


def _in_zip(stream: BinaryIO) -> Iterator[Member]:
    archive = zipfile.ZipFile(stream)
    for entry in archive.infolist():
        if stat.S_ISLNK(entry.external_attr >> 16):
            continue  # Its content is only the path to another file.
        name = entry.filename
        if not entry.flag_bits & _SAYS_UTF_8:
            # macOS and others write UTF-8 without this flag, and Python then reads it as the DOS code page.
            with suppress(UnicodeError):
                name = name.encode("cp437").decode()
        yield name, entry.file_size, entry.is_dir(), partial(_read_from_zip, archive, entry)


def _read_from_zip(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.flag_bits & _HAS_PASSWORD:
        raise ValueError("it needs a password")
    # At most as much is read as the zip says: with a small zip may come gigabytes.
    return archive.open(entry).read(entry.file_size)


def _in_tar(stream: BinaryIO) -> Iterator[Member]:
    """Yield the members, whose content is read at once. ValueError: it is too large for that, or not a tar."""
    stream.seek(0)
    try:
        archive = tarfile.open(fileobj=stream)
    except tarfile.ReadError:
        raise ValueError("it is neither a zip nor a tar archive, or only a part of one") from None
    for entry in archive:
        if entry.offset_data + entry.size > MAX_SIZE["archive"]:
            raise ValueError("it is too large")
        # A link may lead out of the archive, or many links to one large file.
        if entry.isfile() or entry.isdir():
            content = archive.extractfile(entry) if File((entry.name,)).ending in MAX_SIZE else None
            yield entry.name, entry.size, entry.isdir(), partial(bytes, content.read() if content else b"")


@cache
def homes() -> set[FilePlace]:
    """Return the places of the exercise files in a clone of the course."""
    return {PurePosixPath(module.exercise_path).parts for module in modules().values()}


def _is_of_course(place: FilePlace) -> bool:
    """Tell whether the course has a file at this place of a clone that is no student's: an answer, a test, a check."""
    folders = COURSE_FOLDERS.union(course_packages())
    inside = [place[depth:] for depth, name in enumerate(place) if name in folders]
    notebooks = {("notebooks",), ("notebooks", "mine")}  # An instructor's clone may have a copy, too.
    theirs = [each for each in inside if each in homes() or each[:-1] in notebooks]
    return not theirs and any(Path(REPOSITORY, *each).is_file() for each in inside)


def unpacked(file: File, notes: list[str]) -> list[File]:
    """Find the files in a student's archive. Any other file stays as it is."""
    if file.ending != "archive":
        return [file]
    with noted(file, notes):
        inside = files_of_archive(io.BytesIO(file.content()))
        return [each._replace(place=(*file.place[:-1], *each.place), date=file.date) for each in inside]
    return []


@contextmanager
def noted(file: File, notes: list[str]) -> Iterator[None]:
    """Note why a file cannot be read. Damaged zips raise errors of many kinds."""
    try:
        yield
    except Exception as error:
        add_note(notes, f"{file.name} cannot be read: {error}.")


def within_total(files: Iterable[File], notes: list[str]) -> list[File]:
    """Return the files up to MAX_TOTAL, without leftovers. The rest of the archives is not opened."""
    total, kept = 0, list[File]()
    for file in files:
        if not any(map(LEFTOVERS.fullmatch, file.place)):
            total += file.size if file.size <= MAX_SIZE.get(file.ending, 0) else 0
            if total > MAX_TOTAL:
                limit = f"{MAX_TOTAL >> 20} MB of code, notebooks and archives"
                add_note(notes, f"{file.shown} and the files after it were not read: a submission may contain {limit}.")
                break
            kept.append(file)
    return kept
