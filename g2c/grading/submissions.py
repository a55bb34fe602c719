"""Finds the exercise files of a class in downloaded files, folders and zips, and in students' zips inside these.

Every entry of a class's folder or zip belongs to a student, whatever its name and content; entries that Moodle or
Canvas has marked with the same student's number are one entry. In an entry, an exercise file is recognized by its name,
with the additions of the platforms, or else by its definitions. Nothing is unpacked to disk.
"""

import io
import os
import re
import tokenize
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from g2c.common.errors import CourseError
from g2c.common.files import exists
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import Module, modules
from g2c.grading.processes import MEGABYTE
from g2c.grading.records import add_note, plain_line

MAX_SIZE = {".py": MEGABYTE, ".yml": 64 * MEGABYTE, ".ipynb": 16 * MEGABYTE, ".zip": 200 * MEGABYTE}
"""Ending -> largest file, in bytes. A notebook contains its figures, and Gradescope's file the results of the class."""
MAX_NAMES = 100_000
"""Files in a student's zip. A list of some millions takes minutes and gigabytes to read."""
ZIP_ENTRY = b"PK\x01\x02"
MAX_SEARCHED = 16 * MEGABYTE
"""Bytes of Python in a submission that are searched for an exercise file's definitions."""
MAX_DEPTH = 20
MAX_OTHERS = 3
"""How many files are named where a submission has no exercise file."""
LEFTOVERS = re.compile(r"\..*|~\$.*|__MACOSX|__pycache__|site-packages|node_modules|Thumbs\.db|desktop\.ini", re.I)
"""Names of files that no student wrote: hidden ones, and those of operating systems, editors and installed packages."""
COURSE_FOLDERS = {"benchmarks", "docs", "g2c", "mistakes", "notebooks", "scripts", "tests"}
"""Folders in every clone of the course. Few of their files are a student's, see `_without_the_course`."""
USUAL_FOLDERS = r"src|code|submissions?(?!_\d)|homework|hw|assignment|main|master|notebooks?|mine"
MAX_NAME = 255
UTF_16 = {b"\xff\xfe|\xfe\xff": "utf-16", b".\0": "utf-16-le", b"\0": "utf-16-be"}
"""First bytes of a file -> its encoding."""
MAX_FOLDER_NAME = 60
"""Characters in the name of a folder of reports, without the number that tells equal names apart."""
MARKED = re.compile(
    r"(?P<name>.*?)"
    r"(_(?P<moodle>\d+)_assignsubmission_(file|onlinetext)(_|$)"
    r"|(?P<late>(?i:_late))?_(?P<canvas>\d+)_(?P<number>\d+)_(?!assignsubmission_))",
    re.DOTALL,
)
"""The mark that a platform puts before a student's own file name: the student's name and number, and on Canvas the
number of the file. The first match is the platform's; the rest may look like another student's file."""
METADATA = "submission_metadata.yml"
"""The file in Gradescope's export that says who submitted which folder."""

FilePlace = tuple[str, ...]
"""The names of the folders around a file, and its own."""


class Account(NamedTuple):
    """Identifies a student on Moodle or Canvas."""

    platform: str
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
    """None where neither Moodle nor Canvas has marked the files."""
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


def file_name(student: str) -> str:
    """Return a folder name for a student.

    >>> file_name("Ada / Lovelace")
    'Ada Lovelace'
    >>> file_name("..")
    'student'
    """
    kept = re.sub(r"[^\w .,()@+-]+", "", student)
    return re.sub(r"\s+", " ", kept)[: MAX_FOLDER_NAME + 5].strip(" .") or "student"


def find_submissions(paths: Sequence[Path], reports: Path | None = None) -> HandedIn:
    """Find every submission in these files, folders and zips, sorted by name, and the entries that are ignored.

    The folder of an earlier run's reports is one of these. CourseError: a path does not exist.
    """
    found = HandedIn()
    reports = reports and reports.resolve()
    for path in paths:
        if path.resolve() != reports:
            _find_in(path, _files_of(path, reports), found)
    found.submissions = _with_different_names(sorted(found.submissions, key=lambda each: each.name.casefold()))
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

    @property
    def name(self) -> str:
        return self.place[-1]

    @property
    def ending(self) -> str:
        return PurePosixPath(self.name).suffix.lower()

    @property
    def exercise(self) -> str:
        """Return the exercise file or notebook that its name says it is, or ""."""
        return _exercise_file(self.name)[1]

    @property
    def is_work(self) -> bool:
        """Say whether it is a zip, or named like an exercise file."""
        return self.ending == ".zip" or self.ending == ".py" and self.exercise != ""

    def content(self) -> bytes:
        limit = MAX_SIZE[self.ending]
        if self.refused or self.size > limit:
            raise ValueError(f"it is {self.refused or f'larger than {limit // MEGABYTE} MB'}")
        return self.read()


def _files_of(path: Path, reports: Path | None = None) -> list[_File]:
    """Find the files in one of the paths."""
    if not exists(path):
        raise CourseError(f"{path} does not exist.")
    if path.is_dir():
        return _files_of_folder(path, reports)
    file = _File((path.name,), path.stat().st_size, path.read_bytes)
    if file.ending == ".zip":
        # A zip that cannot be read stays a file. It is then read as a student's, which notes the reason.
        with suppress(OSError, ValueError, zipfile.BadZipFile):
            return _files_of_zip(zipfile.ZipFile(path))
    return [file]


def _files_of_folder(folder: Path, reports: Path | None) -> list[_File]:
    found = []
    for where, names, files in os.walk(folder):
        parts = Path(where).relative_to(folder).parts
        found.append(_File((*parts, "")))
        for name in [*names, *files]:
            path, place = Path(where, name), (*parts, name)
            if path.is_symlink() or not (path.is_dir() or path.is_file()):
                found.append(_File(place, refused="a link" if path.is_symlink() else "not a file"))
            elif path.is_file():
                found.append(_File(place, path.stat().st_size, path.read_bytes))
            elif path.resolve() == reports or LEFTOVERS.fullmatch(name):
                names.remove(name)
                found.append(_File((*place, ""), refused="" if LEFTOVERS.fullmatch(name) else "reports"))
    return _without_the_course(found)


def _files_of_zip(archive: zipfile.ZipFile) -> list[_File]:
    found = []
    for member in archive.infolist():
        parts = PurePosixPath(member.filename.replace("\\", "/")).parts
        # Some thousands of names that no file system allows would take minutes to match.
        parts = tuple(
            part if len(part) <= MAX_NAME else f"{part[:60]}...{part[-60:]}"
            for part in parts
            if part not in ("/", "..", ".")
        )
        if parts:
            place = (*parts, "") if member.is_dir() else parts
            found.append(_File(place, member.file_size, partial(_content, archive, member)))
    return _without_the_course(found)


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Read a file in a zip, up to the size that the zip names. With unusual methods, a few bytes become gigabytes."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("it is compressed in an unusual way")
    with archive.open(member) as stream:
        return stream.read(member.file_size)


@cache
def _homes() -> set[FilePlace]:
    """Return the places of the exercise files in a clone of the course."""
    return {PurePosixPath(module.exercise_path).parts for module in modules().values()}


def _without_the_course(files: list[_File]) -> list[_File]:
    """Sort the files, without the course's own in a clone of it: its answers, tests and checks look like students'."""
    solved = _homes() | {module.key_file.relative_to(REPOSITORY).parts for module in modules().values()}
    clones = {file.place[: -len(home)] for file in files for home in solved if file.place[-len(home) :] == home}
    open_folders = {("notebooks",), *(home[:-1] for home in _homes())}

    def is_own(place: FilePlace) -> bool:
        """Tell whether a student may have written it: exercise files, notebooks, and whatever is in other folders."""
        return not any(
            inside[0] in COURSE_FOLDERS and inside[:-1] not in open_folders and inside[:2] != ("notebooks", "mine")
            for inside in (place[depth:] for depth in range(len(place)) if place[:depth] in clones)
        )

    return sorted((file for file in files if not clones or is_own(file.place)), key=itemgetter(0))


def _unpacked(file: _File, notes: list[str]) -> list[_File]:
    """Find the files in a student's zip. Any other file stays as it is."""
    if file.ending != ".zip":
        return [file]
    with _noted(file, notes):
        content = file.content()
        if content.count(ZIP_ENTRY) > MAX_NAMES:
            raise ValueError("it has too many files")
        return _files_of_zip(zipfile.ZipFile(io.BytesIO(content)))
    return []


@contextmanager
def _noted(file: _File, notes: list[str]) -> Iterator[None]:
    """Note why a file cannot be read. Damaged zips raise errors of many kinds."""
    try:
        yield
    except Exception as error:
        add_note(notes, f"{file.name} cannot be read: {error}.")


# --- what names say ---------------------------------------------------------------------------------------------------


@cache
def _no_names() -> re.Pattern[str]:
    """Match names of folders that are no student's name: usual ones, and the course's own."""
    packages = {re.escape(part) for module in modules().values() for part in module.package.split(".")}
    return re.compile(rf"({USUAL_FOLDERS}|g2c-\w+|{'|'.join(sorted(packages))})[-_ ]?\d*", re.IGNORECASE)


def _exercise_file(name: str) -> tuple[str, str]:
    """Split a file's name into its prefix and the exercise file without ".py", or the notebook; ("", "") for others.

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
    """Match names of exercise files and notebooks, with the additions of a learning platform."""
    files, notebooks = (
        "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        for names in zip(*((module.file, module.notebook_file.stem) for module in modules().values()))
    )
    files = files.replace("_", "[-_ ]")
    number = r"(?:[-_ ]?\(?\d{1,3}\)?)?"
    return re.compile(rf"(.*?[_ -])??(?:({files}){number}\.py|({notebooks}){number}\.ipynb)")


def _account(name: str) -> Account | None:
    """Find the student whose file a platform has marked.

    >>> _account("Ada Lovelace_4711_assignsubmission_file_")
    Account(platform='moodle', name='Ada Lovelace', number='4711')
    >>> _account("lovelaceada_LATE_4711_12_bpe.py")
    Account(platform='canvas', name='lovelaceada', number='4711')
    """
    if match := MARKED.match(name):
        return Account("moodle" if match["moodle"] else "canvas", match["name"], match["moodle"] or match["canvas"])
    return None


def shown(name: str) -> str:
    """Return a student's name as reports and tables show it."""
    return plain_line(name).strip(" _-")[: 2 * MAX_FOLDER_NAME]


def _name_of(path: Path, around: FilePlace) -> str:
    """Choose a student's name from the path and the folders around the work: the outermost useful one."""
    resolved = path.resolve()
    parts = [*around, resolved.name]
    if resolved.is_file():
        prefix, exercise = _exercise_file(resolved.name)
        own = [resolved.parent.name] if exercise and not prefix else []
        # A student's zip has their name; a platform's has the name inside.
        parts = [*own, prefix or resolved.stem, *around]
    accounts = [account.name for account in map(_account, around) if account]
    names = [shown(account.name if (account := _account(part)) else part) for part in (*accounts, *parts)]
    return next((name for name in names if name and not _no_names().fullmatch(name)), names[-1] or "student")


# --- who handed in what -----------------------------------------------------------------------------------------------


def _find_in(path: Path, files: list[_File], found: HandedIn, around: FilePlace = ()) -> None:
    """Find the submissions in one path. Folders and zips around a class, or around one submission, are opened."""
    entries: dict[str, list[_File]] = {}
    for file in files:
        entries.setdefault(file.place[0], []).append(file)
    entries.pop("", None)
    for name, (first, *_) in list(entries.items()):
        if name == METADATA or LEFTOVERS.fullmatch(name) or first.refused:
            found.ignored.append(plain_line(f"{name} ({first.refused})" if first.refused else name))
            del entries[name]
    boxes = [name for name, (first, *_) in entries.items() if len(first.place) > 1 or first.ending == ".zip"]
    own = [name for name, each in entries.items() if _is_own(name, each)]
    if any(file.place == (METADATA,) for file in files) or _is_class(entries, boxes, own):
        groups = _gradescope_groups(files)
        for student, handed_in in _by_student(entries).items():
            name = groups.get(student.name) or shown(student.name) or _name_of(path, around)
            found.submissions.append(_read(name, handed_in, student if student.platform else None))
    elif len(boxes) == 1 and not own and len(around) < MAX_DEPTH and (inside := _inside(entries[boxes[0]])):
        found.ignored += [plain_line(name) for name in entries if name not in boxes]
        _find_in(path, inside, found, (*around, boxes[0].removesuffix(".zip")))
    else:
        account = next(filter(None, map(_account, reversed(around))), None)
        found.submissions.append(_read(_name_of(path, around), files, account))


def _inside(files: list[_File]) -> list[_File]:
    """Return the files in an entry, with their places relative to it."""
    if len(files[0].place) == 1:
        return _unpacked(files[0], [])
    return [file._replace(place=file.place[1:]) for file in files]


def _is_own(name: str, files: list[_File]) -> bool:
    """Say whether an entry has an exercise file where one student has it: at the top, or in the course's folders."""
    prefix, exercise = _exercise_file(name)
    return bool(exercise and not prefix) or any(file.place in _homes() for file in files)


def _is_class(entries: Mapping[str, list[_File]], boxes: list[str], own: list[str]) -> bool:
    """Say whether entries belong to several students, or to one who is named, and are not one submission."""
    platforms = [account.platform for account in map(_account, entries) if account]
    work = [name for name, files in entries.items() if any(file.is_work for file in files)]
    if own and "moodle" not in platforms:
        # A student may keep older files in a folder beside these, but no work of several students.
        return len(set(work).difference(own)) > 1
    loose = _by_exercise(files[0] for name, files in entries.items() if name not in boxes)
    exercise_files = [file for module in modules().values() for file in loose.get(module.file, [])]
    is_named = "moodle" in platforms or any(file.exercise for file in exercise_files)
    return is_named or len(platforms) > 1 or len(boxes) + len(exercise_files) > 1


def _by_student(entries: Mapping[str, list[_File]]) -> dict[Account, list[_File]]:
    """Sort the files of a class by student. Without a platform, an account has only a name."""
    numbers = Counter(match["number"] for match in map(MARKED.match, entries) if match)
    students: dict[Account, list[_File]] = {}
    for name, files in entries.items():
        match, (prefix, exercise), is_folder = MARKED.match(name), _exercise_file(name), len(files[0].place) > 1
        own = name if is_folder else prefix if exercise else PurePosixPath(name).stem
        # Canvas hands out single files, and each has a number of its own.
        is_marked = match and (match["moodle"] or numbers[match["number"]] == 1 and not is_folder)
        student = is_marked and _account(name) or Account("", own, "")
        students.setdefault(student, []).extend(_inside(files) if is_folder else files)
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
    inside = [file for one in files for file in _unpacked(one, notes) if not any(map(LEFTOVERS.fullmatch, file.place))]
    for file in inside:
        if file.ending == ".zip" and file not in files:
            add_note(notes, f"{file.name} is a zip inside a zip, which is not opened.")
    work = _by_exercise(inside)
    for module in modules().values():
        _read_module(module, work.get(module.file, []), submission)
        if notebooks := work.get(module.notebook_file.name):
            with _noted(last := max(notebooks, key=_newness), notes):
                submission.files[last.exercise] = last.content()
    if not submission.has_exercise_file:
        names = [file.name for file in inside if file.name and file.size] or [file.name for file in files if file.name]
        submission.others = [plain_line(each)[:MAX_NAME] for each in names[:MAX_OTHERS]]
        submission.others += [f"{len(names) - MAX_OTHERS} more"] if len(names) > MAX_OTHERS else []
        if not notes and not submission.untouched:
            add_note(notes, "No exercise file was found in the submission.")
    marks = [match for file in files if account and (match := MARKED.match(file.name)) and match["canvas"]]
    of_canvas = [match.string for match in marks]
    submission.canvas_file = next((name for name in of_canvas if name.endswith(".py")), "".join(of_canvas[:1]))
    if any(match["late"] for match in marks):
        add_note(notes, "Handed in late, as Canvas says.")
    return submission


def _read_module(module: Module, files: list[_File], submission: Submission) -> None:
    """Read a module's exercise file: one that somebody has worked on, with its name or else with its definitions."""
    notes, worked, untouched = submission.notes, dict[_File, tuple[bytes, str]](), list[str]()
    for file in sorted(files, key=_newness):
        with _noted(file, notes):
            content, encoding = _in_utf8(file.content())
            if _is_work(module, content):
                worked[file] = content, encoding
            else:
                untouched.append(file.name)
    named = {content for file, (content, _) in worked.items() if file.exercise}
    if len(worked) > 1 and not named:
        rivals = ", ".join(file.name for file in worked)
        add_note(notes, f"Several files may be {module.file}.py, and none is graded: {rivals}.")
    elif worked:
        last, forgiven = [*worked][-1], list[str]()
        submission.files[module.file], encoding = worked[last]
        if not named and PurePosixPath(last.name).stem != submission.name:
            add_note(forgiven, f"{last.name} was graded as {module.file}.py, which should be its name.")
        if encoding:
            add_note(forgiven, f"{last.name} is not in UTF-8; it was read as {encoding}.")
        submission.forgiven |= {module.file: forgiven} if forgiven else {}
        if len(named) > 1:
            place = "/".join(last.place)
            add_note(notes, f"There is more than one {module.file}.py; the last one, {place}, was graded.")
    elif untouched:
        note = f"{untouched[0]} is empty or as it was handed out, and counts as not handed in."
        submission.untouched[module.file] = plain_line(note)


def _newness(file: _File) -> tuple[bool, bool, FilePlace, int, str]:
    """Give the order of files that may be the same exercise file. The last one counts.

    That is one with the right name, at the course's place, or else the newest in the last folder: "bpe (2).py" is newer
    than "bpe.py".
    """
    is_home = any(file.place[-len(home) :] == home for home in _homes())
    return file.exercise != "", is_home, file.place[:-1], len(file.name), file.name


def _by_exercise(files: Iterable[_File]) -> dict[str, list[_File]]:
    """Sort files by the exercise file or notebook that they are, judged by their names, or else by their definitions.

    At most MAX_SEARCHED bytes are searched for definitions, because a student may hand in a whole library.
    """
    found: dict[str, list[_File]] = {}
    left = MAX_SEARCHED
    for file in files:
        names = [file.exercise] if file.exercise else []
        is_code = file.ending == ".py" and not names and not file.name.startswith("test_")
        if is_code and (left := left - file.size) > 0:
            with _noted(file, []):
                code = _in_utf8(file.content())[0].decode(errors="replace")
                defined = set(re.findall(r"^(?:class|def)[ \t]+(\w+)", code, re.MULTILINE))
                names = [module.file for module in modules().values() if defined.issuperset(module.public_names)]
        for name in names:
            found.setdefault(name, []).append(file)
    return found


def _in_utf8(content: bytes) -> tuple[bytes, str]:
    """Return the code as Python reads it, and its encoding unless Python would have found it.

    >>> _in_utf8("é".encode()), _in_utf8("é".encode("latin-1"))[1], _in_utf8("x = 1".encode("utf-16"))
    ((b'\\xc3\\xa9', ''), 'Latin-1', (b'x = 1', 'UTF-16'))
    """
    for start, encoding in UTF_16.items():
        if re.match(start, content, re.DOTALL):
            return content.decode(encoding, errors="replace").encode(), "UTF-16"
    try:
        content.decode(tokenize.detect_encoding(io.BytesIO(content).readline)[0])
    except (SyntaxError, UnicodeError, LookupError):
        return content.decode("latin-1").encode(), "Latin-1"
    return content, ""


def _is_work(module: Module, content: bytes) -> bool:
    """Say whether somebody has worked on an exercise file, so that it has code that the handed-out file lacks."""
    todos = {f'raise NotImplementedError("TODO: {exercise.name}")' for exercise in module.exercises}
    texts = content.decode("utf-8-sig", errors="replace"), module.exercise_file.read_text(encoding="utf-8")
    written, handed_out = ({line.strip() for line in text.splitlines()} - {""} for text in texts)
    written = {line for line in written if not line.startswith("#")}
    return bool(written) and not (todos <= written <= todos | handed_out)


def _with_different_names(submissions: list[Submission]) -> list[Submission]:
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
    return submissions
