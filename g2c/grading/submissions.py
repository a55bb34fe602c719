"""Find the exercise files of a class in downloaded files, folders and zips, and in the zips of students inside them.

Only files with the name of an exercise file or of a module's notebook are read. Their names may have the additions of
Moodle and Canvas, such as "Ada Lovelace_4711_assignsubmission_file_bpe.py" or "lovelaceada_4711_12_bpe-1.py". Nothing
is unpacked to disk.
"""

import io
import os
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, takewhile
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from g2c.common.errors import CourseError
from g2c.common.files import exists
from g2c.course.exercises import modules
from g2c.grading.plain_text import add_note, plain_line

MEGABYTE = 2**20
MAX_SIZE = {".py": MEGABYTE, ".yml": 64 * MEGABYTE, ".ipynb": 16 * MEGABYTE, ".zip": 200 * MEGABYTE}
"""Ending -> bytes in such a file. A notebook contains its figures, and Gradescope's file the results of the class."""
MAX_NAMES = 100_000
"""In a student's zip. A list of some millions of files takes minutes and gigabytes to read."""
ZIP_ENTRY = b"PK\x01\x02"
"""What every entry in a zip's list of files begins with."""
NOT_LOOKED_INTO = {"__MACOSX", "__pycache__", "solutions", "course", "site-packages", "node_modules"}
USUAL_FOLDERS = r"src|code|submissions?(?!_\d)|homework|hw|assignment|main|master|notebooks?|mine"
MAX_NAME = 255
"""Bytes in the name of a file or folder, as file systems have it. A longer one in a zip could take minutes to match."""
MAX_FOLDER_NAME = 60
"""Characters in the name of a folder of reports, without a number that makes it different."""
MARKED = re.compile(
    r"(?P<name>.*?)"
    r"(_(?P<moodle>\d+)_assignsubmission_(file|onlinetext)(_|$)"
    r"|(?i:_late)?_(?P<canvas>\d+)_\d+_(?!assignsubmission_))",
    re.DOTALL,
)
"""What a platform puts before a student's own name for a file: the student's name and number, and on Canvas the number
of the file. The first match is the platform's: what follows may look like the file of another student."""
METADATA = "submission_metadata.yml"
"""Gradescope's file about the folders in its export."""

Place = tuple[str, ...]
"""The names of the folders around a file, and its own."""


@dataclass
class Submission:
    """What one student, or a group, handed in."""

    name: str
    files: dict[str, bytes] = field(default_factory=dict)
    """Exercise file without ".py", or notebook with ".ipynb" -> content."""
    notes: list[str] = field(default_factory=list)
    """Notes on the files, a sentence each."""
    marked: str = ""
    """What Moodle or Canvas have put before the name of a file or folder: see MARKED. "" for other files."""


def file_name(student: str) -> str:
    """A folder name for a student.

    >>> file_name("Ada / Lovelace")
    'Ada Lovelace'
    >>> file_name("..")
    'student'
    """
    kept = re.sub(r"[^\w .,()@+-]+", "", student)
    return re.sub(r"\s+", " ", kept)[: MAX_FOLDER_NAME + 5].strip(" .") or "student"


def find_submissions(paths: list[Path], reports: Path | None = None) -> list[Submission]:
    """Every student's submission in these files, folders and zips, in order of name.

    Args:
        paths: where they are.
        reports: the folder of an earlier run's reports, which is nobody's submission.

    Raises:
        CourseError: a path does not exist.
    """
    reports = reports and reports.resolve()
    named = [path for path in paths if path.resolve() != reports]
    submissions = [submission for path in named for submission in _students(path, _files_of(path, reports))]
    return _with_different_names(sorted(submissions, key=lambda submission: submission.name.casefold()))


def one_submission(path: Path) -> Submission:
    """The one submission in a folder or file, wherever in it the exercise files are.

    Raises:
        CourseError: the path does not exist.
    """
    submission = Submission(_name_of(path, ()))
    _read_into(submission, _files_of(path))
    return submission


# --- a tree of files --------------------------------------------------------------------------------------------------


class _File(NamedTuple):
    """A file in a folder or zip. Each folder is one without a name: an empty folder belongs to a student, too."""

    place: Place
    size: int
    read: Callable[[], bytes]

    @property
    def name(self) -> str:
        return self.place[-1]

    @property
    def ending(self) -> str:
        return PurePosixPath(self.name).suffix.lower()

    @property
    def folder(self) -> Place:
        """The names of the folders around it. A zip is like a folder."""
        return (*self.place[:-1], *([PurePosixPath(self.name).stem] if self.ending == ".zip" else []))

    def content(self) -> bytes:
        limit = MAX_SIZE[self.ending]
        if self.size > limit:
            raise ValueError(f"it is larger than {limit // MEGABYTE} MB")
        return self.read()


def _files_of(path: Path, reports: Path | None = None) -> list[_File]:
    """The files in one of the paths."""
    if not exists(path):
        raise CourseError(f"{path} does not exist.")
    if path.is_dir():
        return _files_of_folder(path, reports)
    file = _File((path.name,), path.stat().st_size, path.read_bytes)
    if file.ending == ".zip":
        # One that cannot be read is left as it is: reading it as a student's notes why.
        with suppress(OSError, ValueError, zipfile.BadZipFile):
            return _files_of_zip(zipfile.ZipFile(path))
    return [file]


def _files_of_folder(folder: Path, reports: Path | None) -> list[_File]:
    found = []
    for place, names, files in os.walk(folder):
        names[:] = [name for name in names if not _is_ignored((name,)) and Path(place, name).resolve() != reports]
        parts = Path(place).relative_to(folder).parts
        found.append(_File((*parts, ""), 0, bytes))
        for name in files:
            path = Path(place, name)
            if not _is_ignored((name,)) and not path.is_symlink() and path.is_file():
                found.append(_File((*parts, name), path.stat().st_size, path.read_bytes))
    return sorted(found, key=itemgetter(0))


def _files_of_zip(archive: zipfile.ZipFile) -> list[_File]:
    """Like `_files_of_folder`."""
    found = []
    for member in archive.infolist():
        parts = PurePosixPath(member.filename.replace("\\", "/")).parts
        parts = tuple(part for part in parts if part not in ("/", "..", "."))
        parts += ("",) if member.is_dir() else ()
        if parts and not _is_ignored(parts):
            found.append(_File(parts, member.file_size, partial(_content, archive, member)))
    return sorted(found, key=itemgetter(0))


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """A file in a zip, of the size that the zip gives. Of other methods, a few bytes can become gigabytes at once."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("it is compressed in an unusual way")
    with archive.open(member) as stream:
        return stream.read(member.file_size)


def _unpacked(file: _File, notes: list[str]) -> list[_File]:
    """The files in a student's zip, or the file itself if it is no zip."""
    if file.ending != ".zip":
        return [file]
    inside: list[_File] = []
    with _noted(file, notes):
        content = file.content()
        if content.count(ZIP_ENTRY) > MAX_NAMES:
            raise ValueError("it has too many files")
        inside = _files_of_zip(zipfile.ZipFile(io.BytesIO(content)))
    return [each._replace(place=(*file.folder, *each.place)) for each in inside]


@contextmanager
def _noted(file: _File, notes: list[str]) -> Iterator[None]:
    """Note why a file cannot be read, whatever it is: damaged zips raise errors of many kinds."""
    try:
        yield
    except Exception as error:
        add_note(notes, f"{file.name} cannot be read: {error}.")


def _is_ignored(parts: Place) -> bool:
    return any(
        part.startswith(".") or part in NOT_LOOKED_INTO or len(part.encode("utf-8", errors="replace")) > MAX_NAME
        for part in parts
    )


@cache
def _no_names() -> re.Pattern[str]:
    """Names of folders inside a submission that are not a student's name: usual ones, and the course's own."""
    packages = {re.escape(part) for module in modules().values() for part in module.package.split(".")}
    return re.compile(rf"({USUAL_FOLDERS}|g2c-\w+|{'|'.join(sorted(packages))})[-_ ]?\d*", re.IGNORECASE)


def _exercise_file(name: str) -> tuple[str, str] | None:
    """(the prefix, the exercise file without ".py", or the notebook) of a file name; None for any other file.

    >>> _exercise_file("word_bpe.py"), _exercise_file("test_word_bpe.py")
    (('', 'word_bpe'), None)
    >>> _exercise_file("bpe.py"), _exercise_file("Ada_471_assignsubmission_file_bpe (2).py"), _exercise_file("notes.py")
    (('', 'bpe'), ('Ada_471_assignsubmission_file_', 'bpe'), None)
    >>> _exercise_file("lovelaceada_471_2_04-tokenizer-1.ipynb")
    ('lovelaceada_471_2_', '04-tokenizer.ipynb')
    """
    match = _handed_in().fullmatch(name)
    if match is None or (match[1] or "").endswith("test_"):
        return None
    return match[1] or "", match[2] or f"{match[3]}.ipynb"


@cache
def _handed_in() -> re.Pattern[str]:
    """Names of exercise files and of notebooks, with the additions of a learning platform."""
    files, notebooks = (
        "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        for names in zip(*((module.file, module.notebook_file.stem) for module in modules().values()))
    )
    number = r"(?:[-_ ]?\(?\d{1,3}\)?)?"
    return re.compile(rf"(.*?[_ -])??(?:({files}){number}\.py|({notebooks}){number}\.ipynb)")


# --- who handed in what -----------------------------------------------------------------------------------------------


def _students(path: Path, files: list[_File]) -> list[Submission]:
    """Group the files in one path by student, and read them."""
    work = _work(files)
    beside = [file for file in files if file is not work[0]] if len(work) == 1 else []
    if len(work) == 1 and (inside := _unpacked(work[0], [])):
        # A zip alone may be that of a class.
        files, work = [*beside, *inside], _work(inside)
    groups = _gradescope_groups(files)
    # What comes after the common beginning of all places is a student's own, as is a folder that a platform has named.
    common = tuple(os.path.commonprefix([file.folder for file in work]))
    # A zip beside files that Canvas has marked belongs to one student.
    own = MARKED if any(MARKED.match(file.name) for file in beside) else re.compile(".*_assignsubmission_")
    common = tuple(takewhile(lambda part: part not in groups and not own.match(part), common))
    students: dict[str, list[_File]] = {}
    for file in work:
        students.setdefault(_student(file, common), []).append(file)
    if set(students) != {""}:
        # Beside the work of other students, a folder belongs to a student too, and a file that a platform has marked.
        for file in files:
            if file.folder[: len(common)] == common and (key := _student(file, common)):
                students.setdefault(key, [])
    submissions = []
    for key, handed_in in students.items() or [("", [])]:
        name = groups.get(key) or plain_name(key) or _name_of(path, common)
        marked = [_of_platform(part) for part in (key, *reversed(common)) if MARKED.match(part)]
        submissions.append(Submission(name, marked=next(iter(marked), "")))
        _read_into(submissions[-1], handed_in)
    return submissions


def _work(files: list[_File]) -> list[_File]:
    """Those that may be, or contain, what a student has written."""
    return [file for file in files if file.ending == ".zip" or _exercise_file(file.name)]


def _student(file: _File, common: Place) -> str:
    """Whose file this is: the outermost folder that not all files have in common, or what comes before the file's name.
    Empty for what belongs to the path itself, as a folder of a usual name does."""
    inner, exercise = file.folder[len(common) :], _exercise_file(file.name)
    own = exercise[0] if exercise else file.name if MARKED.match(file.name) else ""
    name = inner[0] if inner else own
    return "" if name in modules() or _no_names().fullmatch(name) else _of_platform(name)


def _of_platform(name: str) -> str:
    """A name without the student's own part, if a platform has marked it: alike for all files of a student."""
    match = MARKED.match(name)
    if match is None:
        return name
    return f"{match['name']}_{match['moodle'] or match['canvas']}_{'assignsubmission_file' if match['moodle'] else 0}_"


def _read_into(submission: Submission, files: list[_File]) -> None:
    """Read the exercise files and notebooks among these: of several with one name, the last in the last folder."""
    found: dict[str, list[_File]] = {}
    for file in chain.from_iterable(_unpacked(one, submission.notes) for one in files):
        if exercise := _exercise_file(file.name):
            found.setdefault(exercise[1], []).append(file)
        elif file.ending == ".zip":
            add_note(submission.notes, f"{file.name} is a zip inside a zip, which is not opened.")
    for name, same in found.items():
        # "bpe (2).py" is newer than "bpe.py".
        last = max(same, key=lambda file: (file.folder, len(file.name), file.name))
        if len(same) > 1 and last.ending == ".py":
            place = "/".join(last.place)
            add_note(submission.notes, f"There is more than one {name}.py; the last one, {place}, was graded.")
        with _noted(last, submission.notes):
            submission.files[name] = last.content()
    if not submission.files and not submission.notes:
        add_note(submission.notes, "No exercise file was found in the submission.")


def _gradescope_groups(files: list[_File]) -> dict[str, str]:
    """Folder -> the names of those who submitted it, from the file that Gradescope exports."""
    exported = sorted((file for file in files if file.name == METADATA), key=lambda file: len(file.place))
    text = ""
    # One in a deeper folder was handed in by a student.
    for file in exported[:1]:
        with _noted(file, []):
            text = file.content().decode("utf-8", errors="replace")
    pieces = re.split(r"^(submission_\d+):[ \t]*$", text, flags=re.MULTILINE)
    names = [re.findall(r"^  - :name: (.*)", piece, re.MULTILINE) for piece in pieces[2::2]]
    people = [" and ".join(filter(None, (name.strip(" '\"") for name in group))) for group in names]
    return dict(zip(pieces[1::2], people))


def plain_name(name: str) -> str:
    """A student's name without the additions of a learning platform.

    >>> plain_name("Ada Lovelace_4711_assignsubmission_file_"), plain_name("lovelaceada_4711_12_")
    ('Ada Lovelace', 'lovelaceada')
    """
    match = MARKED.match(name)
    return plain_line(match["name"] if match else name).strip(" _-")


def _name_of(path: Path, place: Place) -> str:
    """The name of a student, from the path of the work and the place of the files in it: the outermost useful name."""
    resolved = path.resolve()
    if not resolved.is_file():
        parts = [*place, resolved.name]
    elif _exercise_file(resolved.name) and not place:
        parts = [resolved.parent.name, resolved.stem]
    else:
        # A zip of one submission has the student's name; one of a platform has it inside.
        marked = [part for part in place if plain_name(part) != part]
        parts = [*marked, resolved.stem, *place]
    useful = (name for part in parts if (name := plain_name(part)) and not _no_names().fullmatch(name))
    return next(useful, parts[-1])


def _with_different_names(submissions: list[Submission]) -> list[Submission]:
    """Number the names that would have the same folder of reports, on any file system."""
    counts = Counter(submission.name for submission in submissions)
    for submission in submissions:
        # On Moodle, everybody is called "Participant" where names are hidden, and the number says who it is.
        if counts[submission.name] > 1 and (match := MARKED.match(submission.marked)):
            submission.name += f" {match['moodle'] or match['canvas']}"
    taken: set[str] = set()
    for submission in submissions:
        name, number = submission.name, 2
        while (folder := unicodedata.normalize("NFC", file_name(submission.name)).casefold()) in taken:
            submission.name = f"{name[:MAX_FOLDER_NAME]} ({number})"
            number += 1
        taken.add(folder)
    return submissions
