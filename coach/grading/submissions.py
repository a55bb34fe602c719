"""Finds the exercise files of a class in downloaded files, folders and zips, and in students' zips inside these.

Every entry of a class's folder or zip belongs to a student, whatever its name and content; entries that a platform has
marked with the same account are one. PLATFORMS is the table of their names. In an entry, an exercise file is recognized
by its name, with the additions of the platforms, or else by its definitions. Nothing is unpacked to disk.
"""

import codecs
import errno
import io
import json
import re
import tarfile
import tokenize
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.files import exists
from coach.common.paths import REPOSITORY
from coach.exercises import Module, course_packages, modules
from coach.grading.records import add_note, plain_line


class Platform(NamedTuple):
    """Says how a learning platform names the entries of its downloads, before or around a student's own file names."""

    entry: re.Pattern[str]
    """Matches the beginning of an entry's name, with the groups name and account, perhaps date, late and file."""
    dates: tuple[str, ...] = ()
    """The forms of the date of an attempt, for `strptime`. The latest attempt counts."""
    own: str = ""
    """Matches the names of entries of the platform itself."""


METADATA = "submission_metadata.yml"
PLATFORMS = {
    "moodle": Platform(re.compile(r"(?s)(?P<name>.*?)_(?P<account>\d+)_assignsubmission_(file|onlinetext)(_|$)")),
    "canvas, without names": Platform(
        re.compile(r"(?i)(?P<late>late_)?(?P<name>(?P<account>anon_[^\W_]{5}))_(?P<file>\d+)_"),
    ),
    "canvas": Platform(
        re.compile(r"(?is)(?P<name>.*?)(?P<late>_late)?_(?P<account>\d+)_(?P<file>\d+)_(?!assignsubmission_)")
    ),
    # Gradescope's folders are called submission_1, and a file says whose they are.
    "gradescope": Platform(re.compile("(?!)"), own=METADATA),
    "teams": Platform(re.compile("(?!)"), own="Working files"),
    "brightspace": Platform(
        re.compile(
            r"(?P<account>\d+)-\d+ - (?P<name>.+?) - "
            r"(?P<date>([A-Z][a-z]{2} \d+|\d+ [A-Z][a-z]+), \d{4} \d+ [AP]M)"
        ),
        dates=("%b %d, %Y %I%M %p", "%d %B, %Y %I%M %p"),
        own=r"index\.html",
    ),
    "blackboard": Platform(
        # Two names that differ before an underscore are two accounts, which begin with the assignment's name.
        re.compile(r"(?P<account>.+?_(?P<name>[^_]+))_attempt_(?P<date>\d{4}(-\d\d){5})(_|\.txt$)"),
        dates=("%Y-%m-%d-%H-%M-%S",),
    ),
    "sakai": Platform(re.compile(r"(?P<name>[^()]+, [^()]+)\((?P<account>[^()]+)\)$"), own=r"grades\.(csv|xlsx?)"),
}
"""The platforms. A folder that none has marked, such as a clone, has its student's name."""

ARCHIVE_NAME = re.compile(r"\.(zip|tar|tgz|tar\.(gz|bz2|xz))$", re.IGNORECASE)
MAX_SIZE = {".py": 2**24, ".yml": 2**26, ".ipynb": 2**24, "archive": 200 * 2**20}
"""Ending -> largest file, in bytes. A notebook contains its figures, and Gradescope's file the results of the class."""
MAX_TOTAL = 2**28
"""Bytes of one student's code, notebooks and archives together. A zip of 3 MB may contain 20 GB of them."""
MAX_DEPTH = 3
"""How many archives that a student has packed into each other are opened."""
MAX_OTHERS = 3
"""How many files are named where a submission has no exercise file."""
MAX_FOLDERS = 50
"""Folders inside each other. A clone has five."""
MAX_NAME = 255
MAX_FOLDER_NAME = 60
"""Characters in the name of a folder of reports, without the number that tells equal names apart."""
LEFTOVERS = re.compile(r"\..*|~\$.*|__MACOSX|__pycache__|site-packages|node_modules|Thumbs\.db|desktop\.ini", re.I)
"""Names of files that no student wrote: hidden ones, and those of operating systems, editors and installed packages."""
COURSE_FOLDERS = {"benchmarks", "coach", "docs", "mistakes", "notebooks", "scripts", "tests"}
"""Folders in every clone of the course, beside those of its packages."""
USUAL_FOLDERS = r"src|code|submissions?(?!_\d)|homework|hw|assignment|main|master|notebooks?|mine"

_OUTSIDE = r"^(?:class|def)[ \t]+(\w+)"
_DEFINED = r"^[ \t]*(?:class|def)[ \t]+(\w+)"

FilePlace = tuple[str, ...]
"""The names of the folders around a file, and its own."""


class Account(NamedTuple):
    """Identifies a student on a platform."""

    platform: str
    """Empty where no platform has marked the files; then there is only a name."""
    name: str
    number: str


@dataclass
class Submission:
    """Holds the files that one student, or a group, handed in."""

    name: str
    files: dict[str, bytes] = field(default_factory=dict)
    """Exercise file without ".py", or notebook with ".ipynb" -> content."""
    notes: list[str] = field(default_factory=list)
    forgiven: dict[str, list[str]] = field(default_factory=dict)
    """Exercise file -> notes on a wrong name or encoding; the file is graded all the same."""
    untouched: dict[str, str] = field(default_factory=dict)
    """Exercise file that nobody has worked on -> a note that says so."""
    account: Account | None = None
    """None where no platform has marked the files."""
    canvas_file: str = ""
    """The file's name in Canvas's download; "" for other files."""
    others: list[str] = field(default_factory=list)
    """Names of a few files that were handed in, where none is an exercise file."""

    @property
    def has_exercise_file(self) -> bool:
        return any(not name.endswith(".ipynb") for name in self.files)


@dataclass
class HandedIn:
    """Holds the submissions of a class."""

    submissions: list[Submission] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    """Entries that belong to nobody, with the reason unless the name says it."""

    def summary(self, forgiven: Collection[str] = ()) -> str:
        """Account for every entry in one line. `forgiven`: students to whom a fault of form was forgiven."""
        without = [each for each in self.submissions if not each.has_exercise_file]
        names = [f"{each.name}: {', '.join(each.others) or 'nothing'}" for each in without]
        students, total = len(self.submissions) - len(without), len(self.submissions) + len(self.ignored)
        parts = [f"{students} student{'' if students == 1 else 's'}"]
        parts[0] += f" (forgiven: {', '.join(forgiven)})" if forgiven else ""
        parts += [f"{len(names)} without an exercise file ({'; '.join(names)})"] if names else []
        parts += [f"{len(self.ignored)} ignored ({', '.join(self.ignored)})"] if self.ignored else []
        return f"{total} {'entry' if total == 1 else 'entries'}: {', '.join(parts)}"


def find_submissions(paths: Sequence[Path], reports: Path | None = None) -> HandedIn:
    """Find every submission in these files, folders and zips, sorted by name, and the entries that are ignored.

    The folder of an earlier run's reports is one of these. CourseError: a path does not exist.
    """
    found = HandedIn()
    reports = reports and reports.resolve()
    for path in paths:
        if path.resolve() != reports:
            _find_in(path, _files_of(path, reports), found)
    found.submissions.sort(key=lambda each: each.name.casefold())
    give_different_names(found.submissions)
    return found


def one_submission(path: Path) -> Submission:
    """Read a folder or file as one submission, wherever in it the exercise files are."""
    return _read(_name_of(path, ()), _files_of(path))


# --- a tree of files --------------------------------------------------------------------------------------------------


class _File(NamedTuple):
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
        return _exercise_file(self.name)[1]

    def content(self) -> bytes:
        limit = MAX_SIZE[self.ending]
        if self.refused or self.size > limit:
            raise ValueError(f"it is {self.refused or f'larger than {limit >> 20} MB'}")
        return self.read()


def _files_of(path: Path, reports: Path | None = None) -> list[_File]:
    """Find the files in one of the paths."""
    if not exists(path):
        raise CourseError(f"{path} does not exist.")
    if path.is_dir():
        return sorted(_files_of_folder(path, (), reports), key=itemgetter(0))
    file = _File((path.name,), path.stat().st_size, path.read_bytes)
    if file.ending == "archive":
        # An archive that cannot be read stays a file. It is then read as a student's, which notes the reason.
        with suppress(OSError, ValueError, zipfile.BadZipFile, tarfile.TarError):
            return _files_of_archive(path)
    return [file]


def _files_of_folder(folder: Path, around: FilePlace, reports: Path | None) -> Iterator[_File]:
    yield _File((*around, ""))
    try:
        if len(around) > MAX_FOLDERS:
            raise OSError(errno.ENAMETOOLONG, f"more than {MAX_FOLDERS} folders inside each other")
        for path in folder.iterdir():
            place = (*around, path.name)
            if path.is_symlink() or path.resolve() == reports:
                yield _File(place, refused="a link" if path.is_symlink() else "reports")
            elif path.is_dir():
                yield from (
                    [_File((*place, ""))] if LEFTOVERS.fullmatch(path.name) else _files_of_folder(path, place, reports)
                )
            elif not _is_of_course(place):
                # Reading a pipe, for example, would not end.
                refused = "" if path.is_file() else "neither a file nor a folder"
                yield _File(place, path.stat().st_size, path.read_bytes, refused)
    except OSError as error:
        yield _File((*around, ""), refused=f"folder {folder.name} cannot be read ({error.strerror})")


class _Member(NamedTuple):
    """A file or a folder in an archive."""

    name: str
    size: int
    is_folder: bool
    content: Callable[[], bytes]


def _files_of_archive(source: Path | BinaryIO) -> list[_File]:
    """Find the files in a zip or a tar. Errors are of many kinds."""
    members: list[_Member] = []
    if zipfile.is_zipfile(source):
        archive = zipfile.ZipFile(source)
        for entry in archive.infolist():
            # At most as much is read as the zip says: with a small zip may come gigabytes.
            read = partial(lambda entry: archive.open(entry).read(entry.file_size), entry)
            members.append(_Member(entry.filename, entry.file_size, entry.is_dir(), read))
    else:
        if not isinstance(source, Path):
            source.seek(0)
        members = _members_of_tar(source)
    found = []
    for name, size, is_folder, content in members:
        parts = PurePosixPath(name.replace("\\", "/")).parts
        # No file system allows longer names, and some thousands of these would take minutes to match.
        short = [part if len(part) <= MAX_NAME else f"{part[:60]}...{part[-60:]}" for part in parts]
        place = tuple(part for part in short if part not in ("/", "..", "."))
        if place and not _is_of_course(place):
            found.append(_File((*place, "") if is_folder else place, size, content))
    return sorted(found, key=itemgetter(0))


def _members_of_tar(source: Path | BinaryIO) -> list[_Member]:
    """Return the members, whose content is read at once. ValueError: it is too large for that, or not a tar."""
    members = []
    with open(source, "rb") if isinstance(source, Path) else source as stream:
        try:
            archive = tarfile.open(fileobj=stream)
        except tarfile.ReadError:
            raise ValueError("it is neither a zip nor a tar archive, or only a part of one") from None
        for entry in archive:
            if entry.offset_data + entry.size > MAX_SIZE["archive"]:
                raise ValueError("it is too large")
            # A link may lead out of the archive, or many links to one large file.
            if entry.isfile() or entry.isdir():
                content = archive.extractfile(entry) if _File((entry.name,)).ending in MAX_SIZE else None
                read = partial(bytes, content.read() if content else b"")
                members.append(_Member(entry.name, entry.size, entry.isdir(), read))
    return members


@cache
def _homes() -> set[FilePlace]:
    """Return the places of the exercise files in a clone of the course."""
    return {PurePosixPath(module.exercise_path).parts for module in modules().values()}


def _is_of_course(place: FilePlace) -> bool:
    """Tell whether the course has a file at this place of a clone that is no student's: an answer, a test, a check."""
    folders = COURSE_FOLDERS.union(course_packages())
    inside = [place[depth:] for depth, name in enumerate(place) if name in folders]
    notebooks = {("notebooks",), ("notebooks", "mine")}  # An instructor's clone may have a copy, too.
    theirs = [each for each in inside if each in _homes() or each[:-1] in notebooks]
    return not theirs and any(Path(REPOSITORY, *each).is_file() for each in inside)


def _unpacked(file: _File, notes: list[str]) -> list[_File]:
    """Find the files in a student's archive. Any other file stays as it is."""
    if file.ending != "archive":
        return [file]
    with _noted(file, notes):
        inside = _files_of_archive(io.BytesIO(file.content()))
        return [each._replace(place=(*file.place[:-1], *each.place), date=file.date) for each in inside]
    return []


@contextmanager
def _noted(file: _File, notes: list[str]) -> Iterator[None]:
    """Note why a file cannot be read. Damaged zips raise errors of many kinds."""
    try:
        yield
    except Exception as error:
        add_note(notes, f"{file.name} cannot be read: {error}.")


# --- what names say ---------------------------------------------------------------------------------------------------


class _Mark(NamedTuple):
    """Says what a platform has put into the name of an entry."""

    account: Account
    date: str
    """Of the attempt, in a form that sorts; or ""."""
    file: str
    """Canvas's number of the file."""
    is_late: bool


@cache
def _mark(name: str) -> _Mark | None:
    """Read what a platform says in an entry's name. The first mark counts; the rest may look like another student's.

    >>> _mark("Ada Lovelace_4711_assignsubmission_file_").account
    Account(platform='moodle', name='Ada Lovelace', number='4711')
    >>> _mark("lovelaceada_LATE_4711_12_bpe.py")[:1]
    (Account(platform='canvas', name='lovelaceada', number='4711'),)
    """
    found = [(platform, match) for platform, form in PLATFORMS.items() if (match := form.entry.match(name))]
    if not found:
        return None
    platform, match = min(found, key=lambda each: each[1].end())
    said, date = match.groupdict(), ""
    for form in PLATFORMS[platform].dates:
        with suppress(ValueError):
            # Otherwise strptime would read "110 PM" as 11:00 PM.
            written = re.sub(r" (?=\d{3} [AP]M$)", " 0", said["date"])
            date = datetime.strptime(written, form).isoformat()
    return _Mark(Account(platform, said["name"], said["account"]), date, said.get("file", ""), bool(said.get("late")))


@cache
def _exercise_file(name: str) -> tuple[str, str]:
    """Split a file's name into its prefix and the exercise file without ".py", or the notebook; ("", "") for others.

    Platforms and browsers add prefixes and numbers.

    >>> _exercise_file("word-bpe.py"), _exercise_file("test_word_bpe.py")
    (('', 'word_bpe'), ('', ''))
    >>> _exercise_file("bpe.py"), _exercise_file("Ada_471_assignsubmission_file_bpe (2).py"), _exercise_file("notes.py")
    (('', 'bpe'), ('Ada_471_assignsubmission_file_', 'bpe'), ('', ''))
    >>> _exercise_file("lovelaceada_471_2_04-tokenizer-1.ipynb")
    ('lovelaceada_471_2_', '04-tokenizer.ipynb')
    """
    match = _handed_in().fullmatch(name)
    if match is None or (match[1] or "").endswith("test_"):
        return "", ""
    return match[1] or "", re.sub("[- ]", "_", match[2]) if match[2] else f"{match[3]}.ipynb"


@cache
def _handed_in() -> re.Pattern[str]:
    """Match names of exercise files and notebooks."""
    files, notebooks = (
        "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        for names in zip(*((module.file, module.notebook_file.stem) for module in modules().values()))
    )
    files = files.replace("_", "[-_ ]")
    number = r"(?:[-_ ]?\(?\d{1,3}\)?){0,2}"  # A browser's, then a platform's.
    notebook = rf"({notebooks})(?:[-_ (].*)?\.ipynb"
    return re.compile(rf"(.*?[_ -])??(?:({files}){number}\.py|{notebook})(?:\.txt)?")


def shown(name: str) -> str:
    """Return a student's name as reports and tables show it."""
    return plain_line(name).strip(" _-")[: 2 * MAX_FOLDER_NAME]


def file_name(student: str) -> str:
    """Return a folder name for a student.

    >>> file_name("Ada / Lovelace")
    'Ada Lovelace'
    >>> file_name("..")
    'student'
    """
    kept = re.sub(r"[^\w .,()@+-]+", "", student)
    return re.sub(r"\s+", " ", kept)[: MAX_FOLDER_NAME + 5].strip(" .") or "student"


def _name_of(path: Path, around: FilePlace) -> str:
    """Choose a student's name from the path and the folders around the work: the outermost useful one."""
    resolved = path.resolve()
    parts = [*around, resolved.name]
    if resolved.is_file():
        prefix, exercise = _exercise_file(resolved.name)
        own = [resolved.parent.name] if exercise and not prefix else []
        # A student's zip has their name; a platform's has the name inside.
        parts = [*own, prefix or ARCHIVE_NAME.sub("", resolved.name).removesuffix(".py"), *around]
    parts = [*filter(_mark, around), *parts]
    names = [shown(mark.account.name if (mark := _mark(part)) else part) for part in parts]
    packages = {re.escape(part) for module in modules().values() for part in module.package.split(".")}
    usual = re.compile(rf"({USUAL_FOLDERS}|{PROGRAM}-\w+|{'|'.join(packages)})[-_ ]?\d*", re.IGNORECASE)
    return next((name for name in names if name and not usual.fullmatch(name)), names[-1] or "student")


def give_different_names(submissions: Sequence[Submission]) -> None:
    """Number the names that would have the same folder of reports on some file system."""
    counts, taken = Counter(submission.name for submission in submissions), set[str]()
    for submission in submissions:
        # Where Moodle hides names, everybody is called "Participant", and only the number differs.
        if counts[submission.name] > 1 and submission.account:
            submission.name += f" {submission.account.number}"
    for submission in submissions:
        name, number = submission.name, 2
        while (folder := unicodedata.normalize("NFC", file_name(submission.name)).casefold()) in taken:
            submission.name = f"{name[:MAX_FOLDER_NAME]} ({number})"
            number += 1
        taken.add(folder)


# --- who handed in what -----------------------------------------------------------------------------------------------

Entries = dict[str, list[_File]]
"""The name of a file or folder at the top -> the files in it."""


def _find_in(path: Path, files: list[_File], found: HandedIn, around: FilePlace = ()) -> None:
    """Find the submissions in one path. Folders and zips around a class, or around one submission, are opened."""
    entries: Entries = {}
    for file in files:
        entries.setdefault(file.place[0], []).append(file)
    entries.pop("", None)
    platforms = {mark.account.platform for mark in map(_mark, entries) if mark}
    platforms |= {"gradescope", "teams"} if "Submitted files" in entries else {"gradescope"}
    own = "|".join(PLATFORMS[platform].own for platform in platforms)
    for name, (first, *_) in list(entries.items()):
        if re.fullmatch(own, name) or LEFTOVERS.fullmatch(name) or first.refused:
            found.ignored.append(plain_line(f"{name} ({first.refused})" if first.refused else name))
            del entries[name]
    boxes = [name for name, (first, *_) in entries.items() if len(first.place) > 1 or first.ending == "archive"]
    mine = [name for name, inside in entries.items() if _is_own(name, inside)]
    if any(file.place == (METADATA,) for file in files) or _is_class(entries, boxes, mine):
        groups = _gradescope_groups(files)
        for student, handed_in in _by_student(entries).items():
            name = groups.get(student.name) or shown(student.name) or _name_of(path, around)
            found.submissions.append(_read(name, handed_in, student if student.platform else None))
    elif len(boxes) == 1 and not mine and (inside := _opened(entries[boxes[0]])):
        found.ignored += [plain_line(name) for name in entries if name not in boxes]
        _find_in(path, inside, found, (*around, ARCHIVE_NAME.sub("", boxes[0])))
    else:
        mark = next(filter(None, map(_mark, reversed(around))), None)
        found.submissions.append(_read(_name_of(path, around), files, mark and mark.account))


def _opened(files: list[_File]) -> list[_File]:
    """Return the files in a folder, with their places in it, or in a zip."""
    if len(files[0].place) == 1:
        return _unpacked(files[0], [])
    return [file._replace(place=file.place[1:]) for file in files]


def _is_own(name: str, files: list[_File]) -> bool:
    """Say whether an entry has an exercise file where one student has it: at the top, or in the course's folders."""
    prefix, exercise = _exercise_file(name)
    return bool(exercise and not prefix) or any(file.place in _homes() for file in files)


def _is_class(entries: Entries, boxes: list[str], own: list[str]) -> bool:
    """Say whether entries belong to several students, or to one who is named, and are not one submission."""
    platforms = [mark.account.platform for mark in map(_mark, entries) if mark]
    is_sure = not {"canvas", "sakai"}.issuperset(platforms)  # The names of these two are not unusual enough.
    if own and not is_sure:
        # A student may keep older files in a folder beside these, but no work of several students.
        named = [
            name for name, files in entries.items() if any(file.exercise or file.ending == "archive" for file in files)
        ]
        return len({*named}.difference(own)) > 1
    loose = _by_exercise(files[0] for name, files in entries.items() if name not in boxes)
    work = [file for module in modules().values() for file in loose.get(module.file, [])]
    return is_sure or any(file.exercise for file in work) or len(platforms) > 1 or len(boxes) + len(work) > 1


def _by_student(entries: Entries) -> dict[Account, list[_File]]:
    """Sort the files of a class by student."""
    numbers = Counter(mark.file for mark in map(_mark, entries) if mark)
    students: dict[Account, list[_File]] = {}
    for name, files in entries.items():
        mark, is_folder = _mark(name), len(files[0].place) > 1
        # Canvas hands out single files, and each has a number of its own.
        if mark and (mark.account.platform != "canvas" or not is_folder and numbers[mark.file] == 1):
            account = mark.account
        else:
            prefix, exercise = _exercise_file(name)
            stem = PurePosixPath(name.removesuffix(".txt")).stem
            # A folder, a zip and a file of the same name may be several students'.
            kind = "folder" if is_folder else files[0].ending if files[0].ending == "archive" else ""
            names = {"folder": name, "archive": ARCHIVE_NAME.sub("", name), "": prefix if exercise else stem}
            account = Account("", names[kind], kind)
        inside = _opened(files) if is_folder else files
        students.setdefault(account, []).extend(file._replace(date=mark.date if mark else "") for file in inside)
    return students


def _gradescope_groups(files: list[_File]) -> dict[str, str]:
    """Read who submitted each folder, from the file in Gradescope's export."""
    text = ""
    # A student may have handed in another one, in a deeper folder.
    for file in [file for file in files if file.place == (METADATA,)]:
        with _noted(file, []):
            text = file.content().decode("utf-8", errors="replace")
    pieces = re.split(r"^(submission_\d+):[ \t]*$", text, flags=re.MULTILINE)
    names = [re.findall(r"^  - :name: (.*)", piece, re.MULTILINE) for piece in pieces[2::2]]
    people = [" and ".join(filter(None, (name.strip(" '\"") for name in group))) for group in names]
    return dict(zip(pieces[1::2], people))


# --- what is in a submission ------------------------------------------------------------------------------------------


def _read(name: str, files: list[_File], account: Account | None = None) -> Submission:
    """Read the exercise files and notebooks of one student."""
    submission = Submission(name, account=account)
    notes = submission.notes
    closed = [file.refused for file in files if file.refused and not file.name]
    for reason in closed:
        add_note(notes, f"The {reason}.")
    inside = files
    for _ in range(MAX_DEPTH):
        inside = _within_total((each for one in inside for each in _unpacked(one, notes)), notes)
    for file in inside:
        if file.ending in ("archive", ".rar", ".7z"):
            add_note(notes, f"{file.name} was not opened.")
    work = _by_exercise(inside)
    for module in modules().values():
        _read_module(module, work.get(module.file, []), submission)
        if notebooks := work.get(module.notebook_file.name):
            with _noted(last := max(notebooks, key=lambda file: (_attempt(file), *_newness(file))), notes):
                submission.files[module.notebook_file.name] = last.content()
    if not submission.has_exercise_file:
        names = [file.name for file in inside if file.name and file.size] or [file.name for file in files if file.name]
        names += closed
        submission.others = [plain_line(each)[:MAX_NAME] for each in names[:MAX_OTHERS]]
        submission.others += [f"{len(names) - MAX_OTHERS} more"] if len(names) > MAX_OTHERS else []
        if not notes and not submission.untouched:
            add_note(notes, "No exercise file was found in the submission.")
    marks = {file.name: mark for file in files if (mark := _mark(file.name)) and account == mark.account}
    if account and account.platform == "canvas":
        submission.canvas_file = next((name for name in marks if name.endswith(".py")), next(iter(marks), ""))
    if any(mark.is_late for mark in marks.values()):
        add_note(notes, "Handed in late, as Canvas says.")
    return submission


def _within_total(files: Iterable[_File], notes: list[str]) -> list[_File]:
    """Return the files up to MAX_TOTAL, without leftovers. The rest of the archives is not opened."""
    total, kept = 0, list[_File]()
    for file in files:
        if not any(map(LEFTOVERS.fullmatch, file.place)):
            total += file.size if file.size <= MAX_SIZE.get(file.ending, 0) else 0
            if total > MAX_TOTAL:
                limit = f"{MAX_TOTAL >> 20} MB of code, notebooks and archives"
                add_note(notes, f"{file.shown} and the files after it were not read: a submission may contain {limit}.")
                break
            kept.append(file)
    return kept


def _read_module(module: Module, files: list[_File], submission: Submission) -> None:
    """Read a module's exercise file: of those that somebody has worked on, the one that is done best."""
    notes, worked, untouched = submission.notes, dict[_File, tuple[bytes, str]](), list[str]()
    for file in files:
        with _noted(file, notes):
            content, encoding = _in_utf8(file.content())
            if _is_work(module, content):
                worked[file] = content, encoding
            else:
                untouched.append(file.name)
    if worked:
        last = max(worked, key=lambda file: (_attempt(file), -len(_todos_in(module, worked[file][0])), *_newness(file)))
        submission.files[module.file], encoding = worked[last]
        forgiven = list[str]()
        if not last.exercise and PurePosixPath(last.name).stem != submission.name:
            add_note(forgiven, f"{last.name} was graded as {module.file}.py, which should be its name.")
        if encoding:
            add_note(forgiven, f"{last.name} is not in UTF-8; it was read as {encoding}.")
        submission.forgiven |= {module.file: forgiven} if forgiven else {}
        if len({content for content, _ in worked.values()}) > 1:
            others = ", ".join(file.shown for file in worked if file != last)
            add_note(notes, f"There is more than one {module.file}.py: {last.shown} was graded, not {others}.")
    elif untouched:
        note = f"{untouched[0]} is empty or as it was handed out, and counts as not handed in."
        submission.untouched[module.file] = plain_line(note)


def _attempt(file: _File) -> tuple[str, int]:
    """Give the order of attempts: by the platform's date, or by the folder's name in Teams and Schoology."""
    form = r"(?:Version|Revision) (\d{1,9})(?: - .*)?"
    numbers = [found[1] for part in file.place[:-1] if (found := re.fullmatch(form, part))]
    return file.date, max(map(int, numbers), default=0)


def _newness(file: _File) -> tuple[bool, int, bool, FilePlace, int, str]:
    """Give the order of files that may be the same exercise file, and of which none is a later attempt or has fewer
    TODOs.

    The last one counts: with the right name, by what its name says of its age, at the course's place, or else in the
    last folder. "bpe (2).py" is newer than "bpe.py".
    """
    age = bool(re.search(r"final|new|v\d", file.name, re.I)) - bool(re.search(r"old|backup|copy|orig", file.name, re.I))
    is_home = any(file.place[-len(home) :] == home for home in _homes())
    return file.exercise != "", age, is_home, file.place[:-1], len(file.name), file.name


def _by_exercise(files: Iterable[_File]) -> dict[str, list[_File]]:
    """Sort files by the exercise file or notebook that they are by their names, or else by their content."""
    found: dict[str, list[_File]] = {}
    for file in files:
        names = [file.exercise] if file.exercise else []
        if file.ending in (".py", ".ipynb") and not names and not file.name.startswith("test_"):
            with _noted(file, []):
                text = _in_utf8(file.content())[0].decode(errors="replace")
                names = _notebooks_like(text) if file.ending == ".ipynb" else _modules_in(text)
        for name in names:
            found.setdefault(name, []).append(file)
    return found


def _modules_in(code: str) -> list[str]:
    """Return the exercise files whose classes and functions a file defines, or else the one of most exercises in it."""
    outside, inside = (set(re.findall(form, code, re.MULTILINE)) for form in (_OUTSIDE, _DEFINED))
    names = [module.file for module in modules().values() if outside.issuperset(module.public_names)]
    shares = {
        module.file: len(inside.intersection(wanted)) / len(wanted)
        for module in modules().values()
        if len(wanted := {each.name for each in module.exercises}) > 1
    }
    best = [name for name, share in shares.items() if share == max(shares.values()) > 0.5]
    return names or (best if len(best) == 1 else [])


def _notebooks_like(text: str) -> list[str]:
    """Return the course's notebook that shares most cells with a notebook of another name."""
    cells = {source for _, source in cells_of(text)}
    shared = {name: len(cells & ours) for name, ours in _cells_of_course().items()}
    return [name for name, count in shared.items() if count == max(shared.values()) > 2][:1]


@cache
def _cells_of_course() -> dict[str, set[str]]:
    files = {module.notebook_file.name: module.notebook_file for module in modules().values()}
    return {name: {source for _, source in cells_of(file.read_text(encoding="utf-8"))} for name, file in files.items()}


def cells_of(notebook: str) -> list[tuple[str, str]]:
    """Return the ID and the text of each cell of a notebook; nothing where it is damaged."""
    with suppress(ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return [(str(cell.get("id", "")), "".join(cell["source"]).strip()) for cell in json.loads(notebook)["cells"]]
    return []


def _in_utf8(content: bytes) -> tuple[bytes, str]:
    """Return the code as Python reads it, and its encoding unless Python would have found it.

    >>> _in_utf8("é".encode()), _in_utf8("é".encode("latin-1"))[1], _in_utf8("x = 1".encode("utf-16"))
    ((b'\\xc3\\xa9', ''), 'Latin-1', (b'x = 1', 'UTF-16'))
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace").encode(), "UTF-16"
    if content[1::2].count(0) > len(content) // 4:
        return content.decode("utf-16-le", errors="replace").encode(), "UTF-16"
    if b"\0" in content:
        return _in_utf8(content.replace(b"\0", b""))[0], "text without its NUL bytes"
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(content).readline)[0]
        if codecs.lookup(encoding).name != "punycode":  # It takes time that grows with the square of the length.
            content.decode(encoding)
    except (SyntaxError, UnicodeError, LookupError):
        return content.decode("latin-1").encode(), "Latin-1"
    return content, ""


def _todos_in(module: Module, content: bytes) -> list[str]:
    """Return the exercises that a file still has as they were handed out."""
    return [each.name for each in module.exercises if f'NotImplementedError("TODO: {each.name}")'.encode() in content]


def _is_work(module: Module, content: bytes) -> bool:
    """Say whether somebody has worked on an exercise file, so that it has code that the handed-out file lacks."""
    todos = {f'raise NotImplementedError("TODO: {exercise.name}")' for exercise in module.exercises}
    texts = content.decode("utf-8-sig", errors="replace"), module.exercise_file.read_text(encoding="utf-8")
    written, handed_out = ({line.strip() for line in text.splitlines()} - {""} for text in texts)
    written = {line for line in written if not line.startswith("#")}
    return bool(written) and not (todos <= written <= todos | handed_out)
