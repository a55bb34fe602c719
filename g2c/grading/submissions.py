"""Find the exercise files of a class in downloaded files, folders and zips, also in zips inside zips.

Only files with the name of an exercise file or of a module's notebook are read. Their names may have the additions of
Moodle and Canvas, such as "Ada Lovelace_4711_assignsubmission_file_bpe.py" or "lovelaceada_4711_12_bpe-1.py". Nothing
is unpacked to disk.
"""

import io
import lzma
import os
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath

from g2c.common.errors import CourseError
from g2c.common.files import exists
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.grading.plain_text import plain_line
from g2c.grading.policy import COURSE

MAX_FILE = 2**20
MAX_NOTEBOOK = 16 * 2**20
"""A notebook holds its figures."""
MAX_ZIP = 200 * 2**20
MAX_CLASS = 2 * 2**30
MAX_FILES = 100_000
MAX_FILES_OF_CLASS = 2_000_000
MIN_SIZE = 2**16
"""What a file that is read from a zip counts at least: reading very many small ones takes long, too."""
ZIP_ENTRY = b"PK\x01\x02"
"""What every entry in a zip's list of files begins with."""
PART = 2**20
MAX_DEPTH = 3
NOT_LOOKED_INTO = {"__MACOSX", "__pycache__", "solutions", "course", "site-packages", "node_modules"}
USUAL_FOLDERS = ("src", "code", "submissions?", "homework", "hw", "assignment", "main", "master", "notebooks?", "mine")
MAX_STUDENTS = 5000
ENCRYPTED = 1
"""The bit of a zip's flags."""
MAX_NAME = 255
"""Bytes in the name of a file or folder, as file systems have it. Longer ones occur in zips alone."""
MAX_STUDENT_NAME = 150
MAX_FOLDER_NAME = 200
"""Bytes in the name of a student, and in that of a folder of reports."""
MAX_NOTES = 20
MAX_NOTE = 300
MOODLE = re.compile(r"_(?P<id>\d+)_assignsubmission_(file|onlinetext)(_.*)?$", re.S)
"""The number of the participant, and what the student has named the file."""
CANVAS = re.compile(r"(?P<late>_late)?_(?P<id>\d+)_\d+(_.*_\d+_\d+)?_?$", re.I | re.S)
"""The student's number, then the number of the file. A student may name a file like that of another student, so the
first numbers are the platform's."""
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    ValueError,
    MemoryError,
)
"""What a damaged zip raises, or one that its maker has damaged."""


@dataclass(frozen=True)
class Person:
    """Who handed in, as the learning platform knows them; "" for what it does not say."""

    name: str
    student_id: str = ""
    """Moodle's number of the participant, Canvas's of the student, or the SID that Gradescope has."""
    email: str = ""


@dataclass
class Submission:
    """What one student handed in."""

    name: str
    files: dict[str, bytes] = field(default_factory=dict)
    """Exercise file without ".py", or notebook with ".ipynb" -> content."""
    notes: list[str] = field(default_factory=list)
    """Notes on the files, a sentence each."""
    platform: str = ""
    """"moodle", "canvas" or "gradescope"; "" for other files."""
    people: tuple[Person, ...] = ()
    """The student, or the students of a group; empty where no platform names them."""
    is_late: bool = False
    """The platform says that it was handed in late."""
    submitted_at: str = ""
    """When, as Gradescope's export has it."""

    def note(self, sentence: str) -> None:
        """Add a note, unless it is there already or there are too many."""
        sentence = plain_line(sentence)[:MAX_NOTE]
        if sentence not in self.notes and len(self.notes) < MAX_NOTES:
            self.notes.append(sentence)


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


@dataclass(frozen=True)
class _Found:
    """A file or folder at a place of the tree, or a problem with it."""

    place: tuple[str, ...]
    file: str | None = None
    content: bytes = b""
    problem: str = ""

    @property
    def exercise(self) -> tuple[str, str] | None:
        """What `_exercise_file` finds in the file's name; None for a test suite, whose name may end in the same way."""
        return _exercise_file(self.file) if self.file and not _is_suite(self.place) else None


def find_submissions(paths: list[Path]) -> list[Submission]:
    """Every student's submission in these files, folders and zips, in order of name.

    Raises:
        CourseError: a path does not exist, or is far more than the submissions of a class.
    """
    submissions: list[Submission] = []
    for path in paths:
        if not exists(path):
            raise CourseError(f"{path} does not exist.")
        found = list(_look_at(path))
        submissions += _students(path, found)
        if len(submissions) > MAX_STUDENTS:
            raise CourseError(
                f"{path} has folders for more than {MAX_STUDENTS:,} students. "
                "Name the folder that holds the submissions."
            )
    return _with_different_names(sorted(submissions, key=lambda submission: submission.name.casefold()))


def one_submission(path: Path) -> Submission:
    """The one submission in a folder or file, wherever in it the exercise files are.

    Raises:
        CourseError: the path does not exist.
    """
    if not exists(path):
        raise CourseError(f"{path} does not exist.")
    submission = Submission(_name_of(path, ()))
    for entry in _look_at(path):
        if entry.problem:
            submission.note(entry.problem)
        elif entry.exercise:
            _add(submission, entry)
        elif entry.file and _is_suite(entry.place):
            _compare_suite(submission, entry)
    if not submission.files:
        submission.note("No exercise file was found in the submission.")
    return submission


# --- a tree of files --------------------------------------------------------------------------------------------------


def _look_at(path: Path) -> Iterator[_Found]:
    if path.is_dir():
        for inside in _tree(path):
            place = inside.relative_to(path).parts
            try:
                if inside.is_dir():
                    if inside.parent == path and not _is_hidden(place):
                        yield _Found(place)
                elif inside.is_file() and not inside.is_symlink() and not _is_hidden(place):
                    yield from _one_file(place, inside)
            except OSError as error:
                yield _Found(place, problem=f"{place[-1]} cannot be read: {error.strerror}.")
    elif path.suffix.lower() == ".zip":
        yield from _zip((), path.name, path, 1, _Quota(MAX_CLASS, MAX_FILES_OF_CLASS))
    else:
        yield from _one_file((path.name,), path)


def _tree(folder: Path) -> list[Path]:
    """Everything in a folder that may be looked into.

    Raises:
        CourseError: it is far more than the submissions of a class.
    """
    found: list[Path] = []
    for place, names, files in os.walk(folder):
        names[:] = [name for name in names if not _is_hidden((name,))]
        found += (Path(place, name) for name in (*names, *files))
        if len(found) > MAX_FILES:
            raise CourseError(
                f"{folder} has more than {MAX_FILES:,} files. Name the folder that holds the submissions."
            )
    return sorted(found)


def _one_file(place: tuple[str, ...], path: Path) -> Iterator[_Found]:
    if path.suffix.lower() == ".zip":
        yield from _zip((*place[:-1], path.stem), path.name, path, 1, _Quota())
    elif _exercise_file(place[-1]) or _is_suite(place):
        if path.stat().st_size > _largest(place[-1]):
            yield _Found(place, problem=_too_large(place[-1]))
            return
        yield _Found(place, place[-1], path.read_bytes())
    elif place[-1] == "submission_metadata.yml":
        with path.open("rb") as file:
            yield _Found(place, place[-1], file.read(MAX_ZIP))


@dataclass
class _Quota:
    """What may still be read from a zip together with the zips inside it."""

    size: int = MAX_ZIP
    files: int = MAX_FILES
    outer: "_Quota | None" = None
    """The quota of the zip that this one is in."""

    def take(self, size: int, files: int = 0) -> bool:
        """Whether there is quota for so many bytes and entries in lists of files, which it then has no more."""
        if size > self.size or files > self.files or not (self.outer is None or self.outer.take(size, files)):
            return False
        self.size -= size
        self.files -= files
        return True


def _zip(place: tuple[str, ...], name: str, source: Path | io.BytesIO, depth: int, quota: _Quota) -> Iterator[_Found]:
    if place:
        yield _Found(place)
    if depth > MAX_DEPTH:
        yield _Found(place, problem=f"{name} is a zip nested too deeply and was not opened.")
        return
    try:
        # Before the list of files is read: one of some millions takes minutes and gigabytes.
        entries = _entries(source)
        if entries > MAX_FILES or not quota.take(0, entries):
            raise zipfile.BadZipFile("it has too many files")
        with zipfile.ZipFile(source) as archive:
            # In the order of a folder: of several files with one name, the last is graded.
            for member in sorted(archive.infolist(), key=_place_in_zip):
                yield from _member(place, archive, member, depth, quota)
    except UNREADABLE as error:
        yield _Found(place, problem=f"{name} cannot be opened: {error}.")


def _entries(source: Path | io.BytesIO) -> int:
    """The most files that a zip can have, without the few whose entries cross the border of two parts."""
    with source.open("rb") if isinstance(source, Path) else io.BytesIO(source.getvalue()) as file:
        return sum(part.count(ZIP_ENTRY) for part in iter(lambda: file.read(PART), b""))


def _place_in_zip(member: zipfile.ZipInfo) -> tuple[str, ...]:
    """The place of an entry in its zip."""
    parts = PurePosixPath(member.filename.replace("\\", "/")).parts
    return tuple(part for part in parts if part not in ("/", "..", "."))


def _member(
    place: tuple[str, ...], archive: zipfile.ZipFile, member: zipfile.ZipInfo, depth: int, quota: _Quota
) -> Iterator[_Found]:
    parts = _place_in_zip(member)
    if any(len(part.encode("utf-8", errors="replace")) > MAX_NAME for part in parts):
        # Before any pattern sees it: a name of 64 kB may take minutes.
        shown = tuple(_cut(part, MAX_STUDENT_NAME) for part in parts)
        yield _Found((*place, *shown), problem=f"A file was not read: its name has more than {MAX_NAME} bytes.")
        return
    if not parts or _is_hidden(parts):
        return
    inside = (*place, *parts)
    if member.is_dir():
        if len(parts) == 1:
            yield _Found(inside)
        return
    nested = parts[-1].lower().endswith(".zip")
    if not nested and not (_exercise_file(parts[-1]) or _is_suite(parts) or parts[-1] == "submission_metadata.yml"):
        if len(parts) > 1:
            yield _Found(inside[: len(place) + 1])
        return
    if member.file_size > _largest(parts[-1]):
        yield _Found(inside, problem=_too_large(parts[-1]))
        return
    if member.flag_bits & ENCRYPTED:
        yield _Found(inside, problem=f"{parts[-1]} is protected by a password and was not read.")
        return
    if not quota.take(max(member.file_size, MIN_SIZE)):
        problem = f"{parts[-1]} was not read: the files in its zip are too many or too large together."
        yield _Found(inside, problem=problem)
        return
    try:
        content = archive.read(member)
    except UNREADABLE as error:
        yield _Found(inside, problem=f"{parts[-1]} cannot be read: {error}.")
        return
    if nested:
        place = (*inside[:-1], PurePosixPath(parts[-1]).stem)
        yield from _zip(place, parts[-1], io.BytesIO(content), depth + 1, _Quota(outer=quota))
    else:
        yield _Found(inside, parts[-1], content)


def _largest(name: str) -> int:
    """How many bytes a file with this name may have."""
    return {".zip": MAX_ZIP, ".ipynb": MAX_NOTEBOOK}.get(PurePosixPath(name).suffix.lower(), MAX_FILE)


def _too_large(name: str) -> str:
    return f"{name} is too large and was not read: the limit is {_largest(name) // 2**20} MB."


@cache
def _no_names() -> re.Pattern[str]:
    """Names of folders inside a submission that are not a student's name: usual ones, and the course's own."""
    packages = {part for module in modules().values() for part in module.package.split(".")}
    names = [*USUAL_FOLDERS, *sorted(packages), rf"{COURSE}-\w+"]
    return re.compile(rf"({'|'.join(names)})[-_ ]?\d*", re.IGNORECASE)


def _is_hidden(place: tuple[str, ...]) -> bool:
    return any(part.startswith(".") or part in NOT_LOOKED_INTO for part in place)


def _is_suite(place: tuple[str, ...]) -> bool:
    return "/".join(place[-2:]) in {module.suite for module in modules().values()}


def _exercise_file(name: str) -> tuple[str, str] | None:
    """(the prefix, the exercise file without ".py", or the notebook) of a file name; None for any other file.

    >>> _exercise_file("word_bpe.py")
    ('', 'word_bpe')
    >>> _exercise_file("bpe.py"), _exercise_file("Ada_471_assignsubmission_file_bpe (2).py"), _exercise_file("notes.py")
    (('', 'bpe'), ('Ada_471_assignsubmission_file_', 'bpe'), None)
    >>> _exercise_file("lovelaceada_471_2_04-tokenizer-1.ipynb")
    ('lovelaceada_471_2_', '04-tokenizer.ipynb')
    """
    ending = os.path.splitext(name)[1]
    if ending not in (".py", ".ipynb"):
        return None
    match = _names_with(ending).fullmatch(name)
    return (match[1] or "", match[2] + ending.removesuffix(".py")) if match else None


@cache
def _names_with(ending: str) -> re.Pattern[str]:
    """Names of exercise files, or of notebooks, with the additions of a learning platform."""
    known = [module.file if ending == ".py" else module.notebook_file.stem for module in modules().values()]
    files = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    return re.compile(rf"(.*?[_ -])??({files})([-_ ]?\(?\d{{1,3}}\)?)?{re.escape(ending)}")


# --- who handed in what -----------------------------------------------------------------------------------------------


def _students(path: Path, found: list[_Found]) -> list[Submission]:
    """Group what was found in one path by student."""
    metadata = _gradescope_metadata(found)
    owners = {entry: _owner(entry, entry.exercise[0]) for entry in found if entry.exercise}
    # A zip or exercise file that cannot be read belongs to somebody as well.
    unread = [tuple(entry.place[:-1] or entry.place) for entry in found if entry.problem]
    common = _common([*owners.values(), *unread])
    submissions: dict[str, Submission] = {}

    def submission(owner: tuple[str, ...]) -> Submission:
        key = owner[len(common)] if len(owner) > len(common) else ""
        if key not in submissions:
            known = metadata.get(key) or _from_name(key or next(iter(reversed(owner)), ""))
            name = known.name or _plain_name(key) or _name_of(path, common)
            submissions[key] = replace(known, name=name)
        return submissions[key]

    for entry, owner in owners.items():
        _add(submission(owner), entry)
    places = {place[: len(common) + 1] for place in (*owners.values(), *unread)}
    has_others = common not in places and len(places) > 1
    for entry in found:
        folder = entry.place[:-1] if entry.file else entry.place
        if folder[: len(common)] != common or (len(folder) == len(common) and not entry.problem):
            continue
        # A folder beside those of other students belongs to a student too, whatever it contains.
        is_class = len(submissions) > 1 or not owners or has_others
        owner = folder if is_class else common
        if entry.problem:
            submission(owner).note(entry.problem)
        elif is_class and entry.file is None and not _no_names().fullmatch(folder[len(common)]):
            submission(owner)
        if entry.file and _is_suite(entry.place) and not entry.exercise:
            _compare_suite(submission(owner), entry)
    if not submissions:
        submissions[""] = Submission(_name_of(path, ()))
    for each in submissions.values():
        if not each.files and not each.notes:
            each.note("No exercise file was found in the submission.")
    return list(submissions.values())


def _owner(entry: _Found, before: str) -> tuple[str, ...]:
    """The place of the student whose file this is: its folder, without folders inside the submission.

    Args:
        before: what the learning platform put before the name of the exercise file.
    """
    folder = list(entry.place[:-1])
    while folder and (_no_names().fullmatch(folder[-1]) and not _is_gradescope(folder[-1]) or folder[-1] in modules()):
        folder.pop()
    if MOODLE.search(before):
        before = MOODLE.sub(r"_\g<id>_assignsubmission_file_", before)
    return (*folder, CANVAS.sub(r"\g<late>_\g<id>_0_", before)) if before else tuple(folder)


def _common(owners: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The common beginning of all students' places."""
    return tuple(os.path.commonprefix(owners))


def _add(submission: Submission, entry: _Found) -> None:
    if entry.exercise is None:
        return
    _, file = entry.exercise
    if _is_untouched_notebook(file, entry.content):
        return
    if file in submission.files and submission.files[file] != entry.content:
        name = file if file.endswith(".ipynb") else f"{file}.py"
        submission.note(f"There is more than one {name}; the last one, {'/'.join(entry.place)}, was graded.")
    submission.files[file] = entry.content


def _is_untouched_notebook(file: str, content: bytes) -> bool:
    """Whether this is a notebook as it is handed out, which lies beside the student's own in a clone."""
    return file.endswith(".ipynb") and _notebooks_handed_out().get(file) == content


@cache
def _notebooks_handed_out() -> dict[str, bytes]:
    """File name -> content."""
    paths = [module.notebook_file for module in modules().values()]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def _compare_suite(submission: Submission, entry: _Found) -> None:
    suite = "/".join(entry.place[-2:])
    original = REPOSITORY / suite
    if original.is_file() and original.read_bytes().split() != entry.content.split():
        submission.note(f"The submission has a {suite} of its own. The course's own was used.")


def _gradescope_metadata(found: list[_Found]) -> dict[str, Submission]:
    """Folder -> who submitted it and when, from the file that Gradescope exports, without its files."""
    known: dict[str, Submission] = {}
    exported = [entry for entry in found if entry.file == "submission_metadata.yml"]
    outermost = min((len(entry.place) for entry in exported), default=0)
    for entry in exported:
        # One that lies deeper was handed in by a student.
        if len(entry.place) == outermost:
            for folder, text in _parts(entry.content.decode("utf-8", errors="replace")):
                people = tuple(
                    Person(fields["name"], fields.get("sid", ""), fields.get("email", ""))
                    for fields in _submitters(text)
                    if fields.get("name")
                )
                created = re.search(r"^  :created_at:(.+)$", text, re.MULTILINE)
                known[folder] = Submission(
                    " and ".join(person.name for person in people),
                    platform="gradescope",
                    people=people,
                    submitted_at=_unquoted(created[1].strip(" ")) if created else "",
                )
    return known


def _parts(text: str) -> list[tuple[str, str]]:
    """(folder, its lines) for each submission in Gradescope's metadata."""
    pieces = re.split(r"^(submission_\d+):[ \t]*$", text, flags=re.MULTILINE)
    return list(zip(pieces[1::2], pieces[2::2]))


def _submitters(text: str) -> Iterator[dict[str, str]]:
    """The fields of each person in the list under `:submitters:`."""
    fields: dict[str, str] = {}
    match = re.search(r"^  :submitters:[ \t]*\n((?:  (?:-|  ).*\n?)*)", text, re.MULTILINE)
    for line in match[1].splitlines() if match else ():
        if line.startswith("  - "):
            yield fields
            fields = {}
        if pair := re.fullmatch(r" *-? *:(\w+): *(.*?) *", line):
            fields[pair[1]] = _unquoted(pair[2])
    yield fields


def _unquoted(text: str) -> str:
    return text[1:-1] if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1 else text


def _from_name(name: str) -> Submission:
    """What Moodle and Canvas put into the names of folders and files, as a submission without name and files."""
    for platform, pattern in (("moodle", MOODLE), ("canvas", CANVAS)):
        if match := pattern.search(name):
            person = Person(_plain_name(name), match["id"])
            return Submission("", platform=platform, people=(person,), is_late=bool(match.groupdict().get("late")))
    return Submission("")


def _is_gradescope(folder: str) -> bool:
    return re.fullmatch(r"submission_\d+", folder) is not None


def _plain_name(name: str) -> str:
    """A student's name without the additions of a learning platform.

    >>> _plain_name("Ada Lovelace_4711_assignsubmission_file_"), _plain_name("lovelaceada_4711_12_")
    ('Ada Lovelace', 'lovelaceada')
    """
    return CANVAS.sub("", MOODLE.sub("", plain_line(name))).strip(" _-")


def _name_of(path: Path, place: tuple[str, ...]) -> str:
    """The name of a student, from the path of the work and the place of the files in it: the outermost useful name."""
    resolved = path.resolve()
    if not resolved.is_file():
        parts = [*place, resolved.name]
    elif _exercise_file(resolved.name) and not place:
        parts = [resolved.parent.name, resolved.stem]
    else:
        # A zip of one submission has the student's name; one of a platform has it inside.
        marked = [part for part in place if _plain_name(part) != part]
        parts = [*marked, resolved.stem, *place]
    useful = (name for part in parts if (name := _plain_name(part)) and not _no_names().fullmatch(name))
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
