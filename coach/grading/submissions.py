"""Finds the exercise files of a class in downloaded files, folders and zips, and in students' zips inside these.

Every entry of a class's folder or zip belongs to a student, whatever its name and content; entries that a platform has
marked with the same account are one. In an entry, an exercise file is recognized by its name, with the additions of the
platforms (names.py), or else by its definitions.
"""

import codecs
import io
import json
import re
import tokenize
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath

from coach.exercises import Module, modules
from coach.grading.archives import LEFTOVERS, File, files_of, homes, noted, unpacked, within_total
from coach.grading.names import (
    ARCHIVE_NAME,
    COPY,
    MAX_FOLDER_NAME,
    MAX_NAME,
    METADATA,
    PLATFORMS,
    Account,
    FilePlace,
    exercise_file_in,
    file_name,
    mark_of,
    name_of,
    shown,
)
from coach.grading.records import add_note, plain_line

MAX_DEPTH = 3
"""How deep archives inside a student's archives are opened."""
MAX_OTHERS = 3
"""How many files are named where a submission has no exercise file."""
_OUTSIDE = r"^(?:class|def)[ \t]+(\w+)"
_DEFINED = r"^[ \t]*(?:class|def)[ \t]+(\w+)"


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
    marked_file: str = ""
    """The name of its file in the platform's download, if the platform has marked that, as Canvas does."""
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
            _find_in(path, files_of(path, reports), found)
    found.submissions.sort(key=lambda each: each.name.casefold())
    give_different_names(found.submissions)
    return found


def one_submission(path: Path) -> Submission:
    """Read a folder or file as one submission, wherever in it the exercise files are."""
    return _read(name_of(path, ()), files_of(path))


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


Entries = dict[str, list[File]]
"""The name of a file or folder at the top -> the files in it."""


def _find_in(path: Path, files: list[File], found: HandedIn, around: FilePlace = ()) -> None:
    """Find the submissions in one path. Folders and zips around a class, or around one submission, are opened."""
    entries: Entries = {}
    for file in files:
        entries.setdefault(file.place[0], []).append(file)
    entries.pop("", None)
    own = "|".join(platform.own for platform in PLATFORMS.values() if platform.own)
    for name, (first, *_) in list(entries.items()):
        if re.fullmatch(own, name) or LEFTOVERS.fullmatch(name) or first.refused:
            found.ignored.append(plain_line(f"{name} ({first.refused})" if first.refused else name))
            del entries[name]
    boxes = [name for name, (first, *_) in entries.items() if len(first.place) > 1 or first.ending == "archive"]
    mine = [name for name, inside in entries.items() if _is_own(name, inside)]
    if any(file.place == (METADATA,) for file in files) or _is_class(entries, boxes, mine):
        groups = _gradescope_groups(files)
        for student, handed_in in _by_student(entries).items():
            name = groups.get(student.name) or shown(student.name) or name_of(path, around)
            found.submissions.append(_read(name, handed_in, student if student.platform else None))
    elif len(boxes) == 1 and not mine and (inside := _opened(entries[boxes[0]])):
        found.ignored += [plain_line(name) for name in entries if name not in boxes]
        _find_in(path, inside, found, (*around, ARCHIVE_NAME.sub("", boxes[0])))
    else:
        mark = next(filter(None, map(mark_of, reversed(around))), None)
        found.submissions.append(_read(name_of(path, around), files, mark and mark.account))


def _opened(files: list[File]) -> list[File]:
    """Return the files in a folder, with their places in it, or in a zip."""
    if len(files[0].place) == 1:
        return unpacked(files[0], [])
    return [file._replace(place=file.place[1:]) for file in files]


def _is_own(name: str, files: list[File]) -> bool:
    """Say whether an entry has an exercise file where one student has it: at the top, or in the course's folders."""
    prefix, exercise = exercise_file_in(name)
    return bool(exercise and not prefix) or any(file.place in homes() for file in files)


def _is_class(entries: Entries, boxes: list[str], own: list[str]) -> bool:
    """Say whether entries belong to several students, or to one who is named, and are not one submission."""
    platforms = [mark.account.platform for mark in map(mark_of, entries) if mark]
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


def _by_student(entries: Entries) -> dict[Account, list[File]]:
    """Sort the files of a class by student."""
    numbers = Counter(mark.file for mark in map(mark_of, entries) if mark)
    students: dict[Account, list[File]] = {}
    for name, files in entries.items():
        mark, is_folder = mark_of(name), len(files[0].place) > 1
        # Canvas hands out single files, and each has a number of its own.
        if mark and (mark.account.platform != "canvas" or not is_folder and (not mark.file or numbers[mark.file] == 1)):
            account = mark.account
        else:
            prefix, exercise = exercise_file_in(name)
            stem = PurePosixPath(name.removesuffix(".txt")).stem
            # A folder, a zip and a file of the same name may be several students'.
            kind = "folder" if is_folder else files[0].ending if files[0].ending == "archive" else ""
            names = {"folder": name, "archive": ARCHIVE_NAME.sub("", name), "": prefix if exercise else stem}
            account = Account("", names[kind], kind)
        inside = _opened(files) if is_folder else files
        students.setdefault(account, []).extend(file._replace(date=mark.date if mark else "") for file in inside)
    return students


def _gradescope_groups(files: list[File]) -> dict[str, str]:
    """Read who submitted each folder, from the file in Gradescope's export."""
    text = ""
    # A student may have handed in another one, in a deeper folder.
    for file in [file for file in files if file.place == (METADATA,)]:
        with suppress(Exception):  # Damaged archives raise errors of many kinds.
            text = file.content().decode("utf-8", errors="replace")
    pieces = re.split(r"^(submission_\d+):[ \t]*$", text, flags=re.MULTILINE)
    names = [re.findall(r"^  - :name: (.*)", piece, re.MULTILINE) for piece in pieces[2::2]]
    people = [" and ".join(filter(None, (name.strip(" '\"").replace("''", "'") for name in group))) for group in names]
    return dict(zip(pieces[1::2], people))


# --- what is in a submission ------------------------------------------------------------------------------------------


def _read(name: str, files: list[File], account: Account | None = None) -> Submission:
    """Read the exercise files and notebooks of one student."""
    submission = Submission(name, account=account)
    notes = submission.notes
    closed = [file.refused for file in files if file.refused and not file.name]
    for reason in closed:
        add_note(notes, f"The {reason}.")
    inside = within_total(files, notes)
    for _ in range(MAX_DEPTH):
        inside = within_total((each for one in inside for each in unpacked(one, notes)), notes)
    for file in inside:
        if file.ending in ("archive", ".rar", ".7z"):
            add_note(notes, f"{file.name} was not opened.")
    work = _by_exercise(inside)
    for module in modules().values():
        _read_module(module, work.get(module.file, []), submission)
        if notebooks := work.get(module.notebook_file.name):
            with noted(last := max(notebooks, key=lambda file: (_attempt(file), *_newness(file))), notes):
                submission.files[module.notebook_file.name] = last.content()
    if not submission.has_exercise_file:
        names = [file.name for file in inside if file.name and file.size] or [file.name for file in files if file.name]
        names += closed
        submission.others = [plain_line(each)[:MAX_NAME] for each in names[:MAX_OTHERS]]
        submission.others += [f"{len(names) - MAX_OTHERS} more"] if len(names) > MAX_OTHERS else []
        if not notes and not submission.untouched:
            add_note(notes, "No exercise file was found in the submission.")
    marks = {file.name: mark for file in files if (mark := mark_of(file.name)) and account == mark.account}
    numbered = (name for name, mark in marks.items() if mark.file)
    submission.marked_file = max(numbered, key=lambda name: name.endswith(".py"), default="")
    if any(mark.is_late for mark in marks.values()):
        add_note(notes, "Handed in late, as Canvas says.")
    return submission


def _read_module(module: Module, files: list[File], submission: Submission) -> None:
    """Read a module's exercise file: of those that somebody has worked on, the one that is done best."""
    notes, worked, untouched = submission.notes, dict[File, tuple[bytes, str]](), list[str]()
    for file in files:
        with noted(file, notes):
            content, encoding = _in_utf8(file.content())
            if _is_work(module, content):
                worked[file] = content, encoding
            else:
                untouched.append(file.name)
    if worked:
        last = max(worked, key=lambda file: (_attempt(file), -_unwritten(module, worked[file][0]), *_newness(file)))
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


def _attempt(file: File) -> tuple[str, int]:
    """Give the order of attempts: by the platform's date, or by the number in a folder's name."""
    versions = "|".join(platform.version for platform in PLATFORMS.values() if platform.version)
    form = re.compile(rf"(?:{versions}) (\d{{1,9}})(?: - .*)?")
    numbers = [found[1] for part in file.place[:-1] if (found := form.fullmatch(part))]
    return file.date, max(map(int, numbers), default=0)


def _newness(file: File) -> tuple[bool, int, bool, FilePlace, int, str]:
    """Give the order of files that may be the same exercise file, and of which none is a later attempt or lacks
    fewer exercises.

    The last one counts: with the right name, by what words in its name say of its age, at the course's place, or else
    in the last folder. "bpe (2).py" is newer than "bpe.py".
    """
    newer, older = (
        bool(re.search(rf"(?<![a-z])({words})\d*(?![a-z])", file.name, re.IGNORECASE))
        for words in (r"final|new|v\d", f"old|backup|{COPY}|orig(inal)?")
    )
    is_home = any(file.place[-len(home) :] == home for home in homes())
    return file.exercise != "", newer - older, is_home, file.place[:-1], len(file.name), file.name


def _by_exercise(files: Iterable[File]) -> dict[str, list[File]]:
    """Sort files by the exercise file or notebook that they are by their names, or else by their content."""
    found: dict[str, list[File]] = {}
    for file in files:
        names = [file.exercise] if file.exercise else []
        if file.ending in (".py", ".ipynb") and not names and not file.name.startswith("test_"):
            with suppress(Exception):
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


def _unwritten(module: Module, content: bytes) -> int:
    """Count the exercises that a file still has as they were handed out, and those that it does not define."""
    names = [each.name.encode() for each in module.exercises]
    todos = sum(b'NotImplementedError("TODO: %b")' % name in content for name in names)
    return todos + sum(b"def %b(" % name not in content for name in names)


def _is_work(module: Module, content: bytes) -> bool:
    """Say whether somebody has worked on an exercise file, so that it has code that the handed-out file lacks."""
    todos = {f'raise NotImplementedError("TODO: {exercise.name}")' for exercise in module.exercises}
    texts = content.decode("utf-8-sig", errors="replace"), module.exercise_file.read_text(encoding="utf-8")
    written, handed_out = ({line.strip() for line in text.splitlines()} - {""} for text in texts)
    written = {line for line in written if not line.startswith("#")}
    return bool(written) and not (todos <= written <= todos | handed_out)
