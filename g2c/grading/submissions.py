"""Find the exercise files of a class in downloaded files, folders and zips, also in zips inside zips.

Only files with the name of an exercise file or of a module's notebook are read. Their names may have the additions of
Moodle and Canvas, such as "Ada Lovelace_4711_assignsubmission_file_bpe.py" or "lovelaceada_4711_12_bpe-1.py". Nothing
is unpacked to disk.
"""

import io
import os
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from g2c.common.errors import CourseError
from g2c.common.files import exists
from g2c.course.exercises import modules
from g2c.grading.plain_text import add_note, plain_line

MEGABYTE = 2**20
MAX_SIZE = {".py": MEGABYTE, ".yml": MEGABYTE, ".ipynb": 16 * MEGABYTE, ".zip": 200 * MEGABYTE}
"""Ending -> bytes in such a file. A notebook contains its figures."""
MAX_ZIP = MAX_SIZE[".zip"]
"""For all that is read from a student's zip together with the zips inside it."""
NAME_SIZE, MIN_SIZE = 2**11, 2**16
"""What a name in a zip's list of files counts, and a file at least: very many small ones take long to read, too."""
ZIP_ENTRY = b"PK\x01\x02"
"""What every entry in a zip's list of files begins with."""
NOT_LOOKED_INTO = {"__MACOSX", "__pycache__", "solutions", "course", "site-packages", "node_modules"}
USUAL_FOLDERS = r"src|code|submissions?(?!_\d)|homework|hw|assignment|main|master|notebooks?|mine"
MAX_NAME = 255
"""Bytes in the name of a file or folder, as file systems have it. A longer one in a zip could take minutes to match."""
MAX_STUDENT_NAME = 150
MAX_FOLDER_NAME = 200
"""Bytes in the name of a student, and in that of a folder of reports."""
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
    return _cut(re.sub(r"\s+", " ", kept).strip(" ."), MAX_FOLDER_NAME) or "student"


def _cut(text: str, size: int) -> str:
    """The beginning of a text, at most so many bytes."""
    return text.encode("utf-8", errors="replace")[:size].decode("utf-8", errors="ignore")


def find_submissions(paths: list[Path]) -> list[Submission]:
    """Every student's submission in these files, folders and zips, in order of name.

    Raises:
        CourseError: a path does not exist.
    """
    submissions = [submission for path in paths for submission in _students(path, list(_look_at(path)))]
    return _with_different_names(sorted(submissions, key=lambda submission: submission.name.casefold()))


def one_submission(path: Path) -> Submission:
    """The one submission in a folder or file, wherever in it the exercise files are.

    Raises:
        CourseError: the path does not exist.
    """
    submission = Submission(_name_of(path, ()))
    for entry in _look_at(path):
        _add(submission, entry)
    return _with_note_if_empty(submission)


# --- a tree of files --------------------------------------------------------------------------------------------------


class _Found(NamedTuple):
    """A file: with its content if it may count, or the problem with it."""

    place: Place
    content: bytes | None = None
    problem: str = ""

    @property
    def exercise(self) -> tuple[str, str] | None:
        return None if self.content is None else _exercise_file(self.place[-1])


class _Quota:
    """How many bytes may still be read from a student's zip, together with the zips inside it."""

    def __init__(self) -> None:
        self.left = MAX_ZIP

    def take(self, size: int, problem: str) -> None:
        if size > self.left:
            raise ValueError(problem)
        self.left -= size


_File = tuple[Place, int, Callable[[], bytes]]
"""A file in a folder or zip: its place there, its size, and the function that reads it. For each folder there is one
without a name: an empty folder belongs to a student, too."""


def _look_at(path: Path) -> Iterator[_Found]:
    """The files in one of the paths, also in zips."""
    if not exists(path):
        raise CourseError(f"{path} does not exist.")
    if path.is_dir():
        yield from _look((), _files_of_folder(path), None)
    elif path.suffix.lower() != ".zip":
        yield from _look((), [((path.name,), path.stat().st_size, path.read_bytes)], None)
    else:
        try:
            # The zip of a class contains the files of many students, so there is no limit.
            with zipfile.ZipFile(path) as archive:
                yield from _look((), _files_of_zip(archive), None)
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            yield _Found((path.name,), problem=f"{path.name} cannot be read: {error}.")


def _files_of_folder(folder: Path) -> Iterator[_File]:
    found: list[Place] = []
    for place, names, files in os.walk(folder):
        names[:] = [name for name in names if not _is_ignored((name,))]
        found += ((*Path(place).relative_to(folder).parts, name) for name in ("", *files))
    for parts in sorted(found):
        path = folder.joinpath(*parts)
        if not parts[-1]:
            yield parts, 0, bytes
        elif not path.is_symlink() and path.is_file():
            yield parts, path.stat().st_size, path.read_bytes


def _files_of_zip(archive: zipfile.ZipFile) -> list[_File]:
    """In the order of a folder: of several files with one name, the last is graded."""
    found = []
    for member in archive.infolist():
        parts = PurePosixPath(member.filename.replace("\\", "/")).parts
        parts = tuple(part for part in parts if part not in ("/", "..", "."))
        parts += ("",) if member.is_dir() else ()
        found.append((parts, member.file_size, partial(archive.read, member)))
    return sorted(found, key=itemgetter(0))


def _look(place: Place, files: Iterable[_File], quota: _Quota | None) -> Iterator[_Found]:
    for parts, size, read in files:
        if not parts or _is_ignored(parts):
            continue
        folder, name, ending = (*place, *parts[:-1]), parts[-1], PurePosixPath(parts[-1]).suffix.lower()
        if ending == ".zip":
            # A zip that cannot be read belongs to the same student as what is in it.
            folder = (*folder, PurePosixPath(name).stem)
        content, problem = None, ""
        try:
            if ending == ".zip" or _exercise_file(name) or name == METADATA:
                if size > MAX_SIZE[ending]:
                    raise ValueError(f"it is larger than {MAX_SIZE[ending] // MEGABYTE} MB")
                if quota:
                    quota.take(max(size, MIN_SIZE), "the files in its zip are too many or too large together")
                if ending == ".zip":
                    yield from _look_into_zip(folder, read(), quota or _Quota())
                else:
                    content = read()
        except Exception as error:  # Damaged zips raise errors of many kinds.
            problem = f"{name} cannot be read: {error}."
        yield _Found((*folder, name), content, problem)


def _look_into_zip(place: Place, content: bytes, quota: _Quota) -> Iterator[_Found]:
    # Before the list of files is read: one of some millions takes minutes and gigabytes.
    quota.take(content.count(ZIP_ENTRY) * NAME_SIZE, "it has too many files")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        yield from _look(place, _files_of_zip(archive), quota)


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


def _students(path: Path, found: list[_Found]) -> list[Submission]:
    """Group what was found in one path by student."""
    groups = _gradescope_groups(found)
    owners = {entry: _owner(entry) for entry in found if entry.exercise or entry.problem}
    # What comes after the common beginning of all students' places is a student's own.
    common = tuple(os.path.commonprefix(list(owners.values())))
    is_one_student = any(entry.exercise and owner == common for entry, owner in owners.items())
    submissions: dict[str, Submission] = {}

    def submission(owner: Place) -> Submission:
        key = owner[len(common)] if len(owner) > len(common) else ""
        if key not in submissions:
            name = groups.get(key) or plain_name(key) or _name_of(path, common)
            marked = [part for part in (key, *reversed(owner)) if MARKED.match(part)]
            submissions[key] = Submission(name, marked=next(iter(marked), ""))
        return submissions[key]

    for entry, owner in owners.items():
        _add(submission(common if entry.problem and is_one_student else owner), entry)
    if len(submissions) > 1 or not owners:
        # A folder beside those of other students belongs to a student too, whatever it contains.
        for place in dict.fromkeys(entry.place[:-1] for entry in found):
            folder = tuple(map(_of_platform, place))
            is_beside = len(folder) > len(common) and folder[: len(common)] == common
            if is_beside and not _no_names().fullmatch(folder[len(common)]):
                submission(folder)
    return [_with_note_if_empty(each) for each in submissions.values() or [Submission(_name_of(path, ()))]]


def _owner(entry: _Found) -> Place:
    """The place of the student whose file this is: its folder, without folders inside the submission, and what comes
    before the name of the file."""
    folder = [_of_platform(name) for name in entry.place[:-1]]
    while folder and (folder[-1] in modules() or _no_names().fullmatch(folder[-1])):
        folder.pop()
    before = _of_platform(entry.exercise[0]) if entry.exercise else ""
    return (*folder, before) if before else tuple(folder)


def _of_platform(name: str) -> str:
    """A name without the student's own part, if a platform has marked it: alike for all files of a student."""
    match = MARKED.match(name)
    if match is None:
        return name
    return f"{match['name']}_{match['moodle'] or match['canvas']}_{'assignsubmission_file' if match['moodle'] else 0}_"


def _add(submission: Submission, entry: _Found) -> None:
    """Add a file to a submission, or a note on what is wrong with it."""
    if entry.problem:
        add_note(submission.notes, entry.problem)
    if entry.exercise is None or entry.content is None:
        return
    _, file = entry.exercise
    if _notebooks_handed_out().get(file) == entry.content:
        return  # In a clone, it is beside the student's own.
    if submission.files.get(file, entry.content) != entry.content:
        name = file if file.endswith(".ipynb") else f"{file}.py"
        add_note(submission.notes, f"There is more than one {name}; the last one, {'/'.join(entry.place)}, was graded.")
    submission.files[file] = entry.content


def _with_note_if_empty(submission: Submission) -> Submission:
    if not submission.files and not submission.notes:
        add_note(submission.notes, "No exercise file was found in the submission.")
    return submission


@cache
def _notebooks_handed_out() -> dict[str, bytes]:
    """File name -> content."""
    paths = [module.notebook_file for module in modules().values()]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def _gradescope_groups(found: list[_Found]) -> dict[str, str]:
    """Folder -> the names of those who submitted it, from the file that Gradescope exports."""
    exported = [entry for entry in found if entry.place and entry.place[-1] == METADATA and entry.content]
    # One in a deeper folder was handed in by a student.
    entry = min(exported, key=lambda entry: len(entry.place), default=_Found((), b""))
    text = (entry.content or b"").decode("utf-8", errors="replace")
    pieces = re.split(r"^(submission_\d+):[ \t]*$", text, flags=re.MULTILINE)
    names = [re.findall(r"^  - :name: *['\"]?(.*?)['\"]? *$", piece, re.MULTILINE) for piece in pieces[2::2]]
    return {folder: " and ".join(filter(None, people)) for folder, people in zip(pieces[1::2], names)}


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
    taken: set[str] = set()
    for submission in submissions:
        name, number = _cut(submission.name, MAX_STUDENT_NAME), 2
        while (folder := unicodedata.normalize("NFC", file_name(submission.name)).casefold()) in taken:
            submission.name = f"{name} ({number})"
            number += 1
        taken.add(folder)
    return submissions
