"""Source that is made to cost the grader time or memory: it ends in a report, and the class stays complete."""

import csv
import json
import struct
import sys
import time
import zipfile
from pathlib import Path

import pytest

from g2c.course.exercises import modules
from g2c.grading.notebook_code import NotANotebook
from g2c.grading.source_reader import TOO_MUCH, SourceReader, source_of
from g2c.grading.submissions import MOST_NOTES, find_submissions
from support.clones import copy_small_course, make_template
from support.hostile_small import RIGHT

OWN_SECONDS = 0.5
"""Processor time that one file may cost the process that reads nothing itself."""
FIELDS = b'f"' + b"{a}" * 300_000 + b'"'
"""An f-string for which Python 3.11 needs minutes, and 3.13 a quarter of a minute."""
SLOW_PARSER = pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="Python 3.14 reads any file of 1 MB within 2 seconds; run this with 3.13."
)
NUMBERS = b"x = [" + b"1," * 500_000 + b"]"

NOT_PYTHON = {
    "brackets": b"(" * 200_000,
    "nested calls": b"f(" * 90 + b")" * 90,
    "a NUL": b"x = 1\0",
    "a sum of half a million": b"x = " + b"+".join([b"1"] * 500_000),
    "half a million calls": b"x = a" + b"()" * 490_000,
    "an integer of a million digits": b"x = " + b"9" * 1_000_000,
    "hexadecimal digits": b"x = 0x" + b"f" * 1_000_000,
    "names of characters": b'x = "' + rb"\N{LATIN SMALL LETTER A}" * 40_000 + b'"',
    "names of no characters": b'x = "' + rb"\N{x}" * 190_000 + b'"',
    "prefixes of strings": b"x = " + b'rb"" ' * 200_000,
    "quotes that never end": b'"""' + b"a\n" * 490_000,
    "one line": b'x = "' + b"a" * 1_000_000 + b'"',
    "a codec that is not for text": b"# coding: rot13\nx = 1\n",
    "an unknown codec": b"# coding: nothing\nx = 1\n",
    "UTF-7": b"# coding: utf-7\nx = '+AGE-'\n",
    "UTF-16": "x = 1".encode("utf-16"),
    "tabs": b"\t" * 1_000_000 + b"x",
}
"""Unusual files that are read quickly, whether or not they are Python."""
COSTLY = {
    "a list": NUMBERS,
    "lines": b"1\n" * 500_000,
    "functions": b"def f(): pass\n" * 70_000,
    "Punycode": b"# coding: punycode\n" + b"a" * 500_000 + b"-" + b"a" * 400_000 + b"\n",
    "nested functions": b"x = " + b"lambda: " * 120_000 + b"1",
}
NOTEBOOKS = {
    "lists": (b'{"cells": [' + b"[]," * 5_000_000 + b"[]]}", "Python's parser cannot|one of its cells|it is not JSON"),
    "brackets": (b"[" * 16_000_000, "it is not JSON"),
    "a number": (b'{"cells": ' + b"1" * 16_000_000 + b"}", "it is not JSON"),
    "a cell of fields": (None, "Python's parser cannot"),
}


@pytest.fixture(scope="module")
def reader():
    with SourceReader() as found:
        yield found


def notebook(source: bytes) -> bytes:
    return json.dumps({"cells": [{"cell_type": "code", "source": source.decode("latin-1")}]}).encode()


def problem_of(reader: SourceReader, content: bytes) -> str:
    """Why a file is not read, after a look at what it cost this process."""
    before = time.process_time()
    problem = reader.exercise_file("bpe", content).problem
    assert time.process_time() - before < OWN_SECONDS
    return problem


@pytest.mark.whole
@SLOW_PARSER
def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_is_read(reader):
    content = modules()["04"].key_file.read_bytes()
    assert problem_of(reader, FIELDS) == TOO_MUCH
    before = time.monotonic()
    assert problem_of(reader, FIELDS) == TOO_MUCH and time.monotonic() - before < 0.5, "each file is read once"
    found = reader.exercise_file("bpe", content)
    assert found == source_of("bpe", content)
    assert "BPETokenizer.encode" in found.functions and found.lines["BPETokenizer.encode"]


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", NOT_PYTHON)
def test_an_unusual_file_is_read(reader, name):
    assert problem_of(reader, NOT_PYTHON[name]) == ""


@pytest.mark.whole
@pytest.mark.parametrize("name", COSTLY)
def test_a_costly_file_is_read_within_the_limits_or_given_up(reader, name):
    """It depends on the machine and on the version of Python."""
    assert problem_of(reader, COSTLY[name]) in ("", TOO_MUCH)


@pytest.mark.whole
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=SLOW_PARSER) if content is None else name for name, (content, _) in NOTEBOOKS.items()],
)
def test_a_costly_notebook_is_refused_with_the_reason(reader, name):
    content, reason = NOTEBOOKS[name]
    before = time.process_time()
    with pytest.raises(NotANotebook, match=reason):
        reader.notebook_code(content or notebook(FIELDS))
    assert time.process_time() - before < OWN_SECONDS


def test_a_notebook_is_read_once(reader, monkeypatch):
    content = notebook(b"def f(x):\n    return x")
    code = reader.notebook_code(content)
    assert b"def f(x):" in code
    monkeypatch.setattr(reader, "_answer", lambda *question: pytest.fail(f"asked again: {question}"))
    assert reader.notebook_code(content) == code


# --- zips -------------------------------------------------------------------------------------------------------------


def write_zip(path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def list_of_files(entries: int) -> bytes:
    """A zip that consists of its list of files alone."""
    entry = b"PK\1\2" + struct.pack("<6H3L5H2L", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    size = len(entry) * entries
    return entry * entries + b"PK\5\6" + struct.pack("<4H2LH", 0, 0, 65_535, 65_535, size, 0, 0)


ZIPS = {
    "a list of two million files": (lambda: {"in.zip": list_of_files(2_000_000)}, "it has too many files"),
    "20 notebooks of 16 MB": (
        lambda: {f"{number}/04-tokenizer.ipynb": b" " * (16 * 2**20) for number in range(20)},
        "too many or too large together",
    ),
    "zips of 150 MB in a zip": (
        lambda: {f"{number}.zip": b"\0" * (150 * 2**20) for number in range(3)},
        "too many or too large together",
    ),
}
"""Name -> what makes the files in the zip, and a reason. They are large, so they are made when they are needed."""


@pytest.mark.whole
@pytest.mark.parametrize("name", ZIPS)
def test_a_zip_that_is_made_to_cost_much_is_a_note_and_the_class_is_complete(tmp_path, name):
    make_files, reason = ZIPS[name]
    for student in ("ada", "eve"):
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "bpe.py").write_text("x = 1", encoding="utf-8")
    write_zip(tmp_path / "class" / "bob.zip", make_files())
    before = time.process_time()
    found = {submission.name: submission for submission in find_submissions([tmp_path / "class"])}
    assert time.process_time() - before < 5
    assert {"ada", "bob", "eve"} <= set(found)
    assert found["ada"].files == found["eve"].files == {"bpe": b"x = 1"}
    assert any(reason in note for note in found["bob"].notes) and len(found["bob"].notes) <= MOST_NOTES


def test_files_that_are_not_read_are_noted_once(tmp_path):
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "bpe.py").write_text("x = 1", encoding="utf-8")
    write_zip(tmp_path / "class" / "bob.zip", {f"{number}/bpe.py": b"x" for number in range(5000)})
    bob = next(submission for submission in find_submissions([tmp_path / "class"]) if submission.name == "bob")
    assert bob.notes == ["bpe.py was not read: the files in its zip are too many or too large together."]


def test_who_submitted_is_not_taken_from_a_file_that_a_student_handed_in(tmp_path):
    forged = ":submitters:\n  - :name: Eve\n"
    for place, text in {
        "submission_1/bpe.py": "x = 1",
        "submission_2/bpe.py": "x = 2",
        "submission_2/submission_metadata.yml": f"submission_1:\n  {forged}",
        "submission_metadata.yml": "submission_1:\n  :submitters:\n  - :name: Ada\n"
        "submission_2:\n  :submitters:\n  - :name: Bob\n",
    }.items():
        path = tmp_path / "export" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert [submission.name for submission in find_submissions([tmp_path / "export"])] == ["Ada", "Bob"]


# --- a class ----------------------------------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.timeout(300)
def test_a_class_with_costly_files_is_complete(tmp_path):
    course = copy_small_course(make_template(tmp_path / "template"), tmp_path / "course", ["91"])
    files = {"ada": RIGHT.encode(), "fields": FIELDS, "list": NUMBERS + b"\n" + RIGHT.encode(), "zed": RIGHT.encode()}
    files |= {name.replace(" ", "_"): NOT_PYTHON[name] for name in ("a NUL", "brackets", "UTF-16")}
    for name, content in files.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "doubling.py").write_bytes(content)
    done = course.g2c("grade", str(tmp_path / "class"), "--output", str(tmp_path / "reports"))
    assert done.returncode == 0, done.stderr
    with (tmp_path / "reports" / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert set(rows) == set(files)
    assert {name for name, row in rows.items() if float(row["score"]) == 100} >= {"ada", "zed"}
    assert float(rows["fields"]["score"]) == 0
    if sys.version_info < (3, 14):
        assert TOO_MUCH in rows["fields"]["notes"]
        assert TOO_MUCH in (tmp_path / "reports" / "class.html").read_text(encoding="utf-8").replace("&#x27;", "'")
