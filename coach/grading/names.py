"""Reads what names say: of a platform's entries, of exercise files, and of students.

PLATFORMS is the table of learning platforms. A new one is a row and a test.
"""

import re
import unicodedata
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from coach.common.course_file import PROGRAM
from coach.exercises import modules
from coach.grading.records import plain_line


class Platform(NamedTuple):
    """Says how a learning platform names the entries of its downloads, before or around a student's own file names."""

    entry: re.Pattern[str] = re.compile("(?!)")
    """Matches the beginning of an entry's name, with the groups name and account, perhaps date, late and file; nothing
    where the name is only the student's."""
    dates: tuple[str, ...] = ()
    """The forms of the date of an attempt, for `strptime`. The latest attempt counts."""
    own: str = ""
    """Matches the names of entries of the platform itself."""
    version: str = ""
    """How the names of the folders of attempts begin, before a number. The highest counts."""


METADATA = "submission_metadata.yml"
_NO_FILE = r"(?:text|link)\.html$"
"""How an entry of Canvas ends that is a text or an address, handed in instead of a file. It has no number of a file."""
PLATFORMS = {
    "moodle": Platform(re.compile(r"(?s)(?P<name>.*?)_(?P<account>\d+)_assignsubmission_(file|onlinetext)(_|$)")),
    "canvas, without names": Platform(
        re.compile(rf"(?i)(?P<late>late_)?(?P<name>(?P<account>anon_[^\W_]{{5}}))_(?:(?P<file>\d+)_|{_NO_FILE})"),
    ),
    "canvas": Platform(
        re.compile(
            r"(?is)(?P<name>.*?)(?P<late>_late)?_(?P<account>\d+)_"
            rf"(?:(?P<file>\d+)_(?!assignsubmission_)|{_NO_FILE})"
        ),
    ),
    # Gradescope's folders are called submission_1, and a file says whose they are.
    "gradescope": Platform(own=METADATA),
    "teams": Platform(own="Working files", version="Version"),
    "schoology": Platform(version="Revision"),
    "brightspace": Platform(
        re.compile(
            r"(?P<account>\d+)-\d+ - (?P<name>.+?) - "
            r"(?P<date>([A-Z][a-z]{2} \d+|\d+ [A-Z][a-z]+), \d{4} \d+ [AP]M)"
        ),
        dates=("%b %d, %Y %I%M %p", "%d %B, %Y %I%M %p"),
        own=r"index\.html",
    ),
    "blackboard": Platform(
        # An account begins with the assignment's name. Before the date is the word "attempt", in any language.
        re.compile(r"(?P<account>.+?_(?P<name>[^_]+))_[^\W\d_]+_(?P<date>\d{4}(-\d\d){5})(_|\.txt$)"),
        dates=("%Y-%m-%d-%H-%M-%S",),
    ),
    "sakai": Platform(re.compile(r"(?P<name>[^()]+, [^()]+)\((?P<account>[^()]+)\)$"), own=r"grades\.(csv|xlsx?)"),
}
"""The platforms. A folder that none has marked, such as a clone, has its student's name."""

ARCHIVE_NAME = re.compile(r"\.(zip|tar|tgz|tar\.(gz|bz2|xz))$", re.IGNORECASE)
COPY = "cop(?:y|ie|ia)|kopie"
"""What Windows and macOS call a copy of a file, in some languages: "bpe - Copy.py", "bpe copy 2.py"."""
MAX_NAME = 255
MAX_FOLDER_NAME = 60
"""Characters in the name of a folder of reports, without the number that tells equal names apart."""

USUAL_FOLDERS = r"src|code|submissions?(?!_\d)|homework|hw|assignment|main|master|notebooks?|mine"

FilePlace = tuple[str, ...]
"""The names of the folders around a file, and its own."""


class Account(NamedTuple):
    """Identifies a student on a platform."""

    platform: str
    """Empty where no platform has marked the files; then there is only a name."""
    name: str
    number: str


class Mark(NamedTuple):
    """Says what a platform has put into the name of an entry."""

    account: Account
    date: str
    """Of the attempt, in a form that sorts; or ""."""
    file: str
    """Canvas's number of the file; or ""."""
    is_late: bool


@cache
def mark_of(name: str) -> Mark | None:
    """Read what a platform says in an entry's name. The first mark counts; the rest may look like another student's.

    >>> mark_of("Ada Lovelace_4711_assignsubmission_file_").account
    Account(platform='moodle', name='Ada Lovelace', number='4711')
    >>> mark_of("lovelaceada_LATE_4711_12_bpe.py")[:1]
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
    return Mark(Account(platform, said["name"], said["account"]), date, said.get("file") or "", bool(said.get("late")))


@cache
def exercise_file_in(name: str) -> tuple[str, str]:
    """Split a file's name into its prefix and the exercise file without ".py", or the notebook; ("", "") for others.

    Platforms and browsers add prefixes and numbers, and systems mark a copy.

    >>> exercise_file_in("word-bpe.py"), exercise_file_in("test_word_bpe.py")
    (('', 'word_bpe'), ('', ''))
    >>> files = "bpe.py", "Ada_471_assignsubmission_file_bpe (2).py", "notes.py"
    >>> tuple(map(exercise_file_in, files))
    (('', 'bpe'), ('Ada_471_assignsubmission_file_', 'bpe'), ('', ''))
    >>> exercise_file_in("lovelaceada_471_2_04-tokenizer-1.ipynb")
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
    added = rf"(?:(?: -)? (?i:{COPY}))?(?:[-_ ]?\(?\d{{1,3}}\)?){{0,2}}"  # A browser's number, then a platform's.
    notebook = rf"({notebooks})(?:[-_ (].*)?\.ipynb"
    return re.compile(rf"(.*?[_ -])??(?:({files}){added}\.py|{notebook})(?:\.txt)?")


def shown(name: str) -> str:
    """Return a student's name as reports and tables show it. macOS writes an umlaut as two characters, others as one.

    >>> shown("Jo\\u0308rg_") == "J\\xf6rg"
    True
    """
    return plain_line(unicodedata.normalize("NFC", name)).strip(" _-")[: 2 * MAX_FOLDER_NAME]


def file_name(student: str) -> str:
    """Return a folder name for a student.

    >>> file_name("Ada / Lovelace")
    'Ada Lovelace'
    >>> file_name("..")
    'student'
    """
    kept = re.sub(r"[^\w .,()@+-]+", "", student)
    return re.sub(r"\s+", " ", kept)[: MAX_FOLDER_NAME + 5].strip(" .") or "student"


def name_of(path: Path, around: FilePlace) -> str:
    """Choose a student's name from the path and the folders around the work: the outermost useful one."""
    resolved = path.resolve()
    parts = [*around, resolved.name]
    if resolved.is_file():
        prefix, exercise = exercise_file_in(resolved.name)
        own = [resolved.parent.name] if exercise and not prefix else []
        # A student's zip has their name; a platform's has the name inside.
        parts = [*own, prefix or ARCHIVE_NAME.sub("", resolved.name).removesuffix(".py"), *around]
    parts = [*filter(mark_of, around), *parts]
    names = [shown(mark.account.name if (mark := mark_of(part)) else part) for part in parts]
    packages = {re.escape(part) for module in modules().values() for part in module.package.split(".")}
    usual = re.compile(rf"({USUAL_FOLDERS}|{PROGRAM}-\w+|{'|'.join(packages)})[-_ ]?\d*", re.IGNORECASE)
    return next((name for name in names if name and not usual.fullmatch(name)), names[-1] or "student")
