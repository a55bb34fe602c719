"""Which files belong to whom, in the folders and zips that learning platforms give out."""

import io
import os
import re
import stat
import struct
import tarfile
import tracemalloc
import unicodedata
import zipfile
from pathlib import Path

import pytest

from coach.common.paths import REPOSITORY
from coach.exercises import modules
from coach.grading import archives
from coach.grading.names import PLATFORMS, file_name
from coach.grading.submissions import Submission, find_submissions, give_different_names, one_submission
from support.scarce import within

MODULE = modules()["04"]
CODE = "print(1)\n"
BPE = "class BPETokenizer:\n    pass\n"
FILE = "_assignsubmission_file_"


def zipped(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def class_of(files: dict[str, str | bytes], form: str, folder: Path) -> Path:
    """A class as a folder or as a zip."""
    if form == "folder":
        return write(folder / "class", files)
    (folder / "class.zip").write_bytes(zipped(files))
    return folder / "class.zip"


ODD_NAMES = ["Main", "Code", "g2c", "solutions", "course", "tests", "src", "submission", "04", "tokenizer", "hw_1_2_x"]
STUDENTS = [*ODD_NAMES, *(f"hw_1_2_{number}" for number in range(40 - len(ODD_NAMES)))]
LAYOUTS = {
    "a folder a student": "{student}/{file}",
    "under a common folder": "hw/{student}/{file}",
    "deeper in each": "{student}/g2c/tokenizer/{file}",
    "a folder a module": "{student}/04/{file}",
    "files": "{student}_{file}",
    "zips": "{student}.zip",
    "Moodle, folders": "{student}_{number}_assignsubmission_file_/{file}",
    "Moodle, files": "{student}_{number}_assignsubmission_file_{file}",
    "Canvas": "{student}_LATE_{number}_{of_file}_{file}",
    "Gradescope": "export/submission_{number}/{file}",
    "Brightspace": "1{number}-{of_file} - {student} - Nov 27, 2026 311 PM/{file}",
    "Blackboard": "HW_{student}_poging_2026-11-27-10-11-12_{file}",
    "Sakai": "HW/{student}, X(id{number})/Submission attachment(s)/{file}",
}


@pytest.mark.parametrize("form", ["folder", "zip"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_a_class_of_40_everybody_is_counted_with_all_files(layout, form, tmp_path):
    """Whatever they are called: like folders of the course, or as if Canvas had marked a number."""
    files, metadata = {}, ""
    has_marks = layout.partition(",")[0].lower() in PLATFORMS
    students = [name.replace("_", "") if has_marks else name for name in STUDENTS]
    for number, student in enumerate(students, 100):
        content = zipped({"x/bpe.py": CODE, "x/char_word.py": CODE}) if layout == "zips" else CODE
        for of_file, file in enumerate(("bpe.py", "char_word.py"), 2 * number):
            place = LAYOUTS[layout].format(student=student, number=number, of_file=of_file, file=file)
            files[place] = content
        metadata += f"submission_{number}:\n  :submitters:\n  - :name: {student}\n    :sid: '1'\n"
    files |= {"export/submission_metadata.yml": metadata} if layout == "Gradescope" else {}
    students = [f"{name}, X" for name in students] if layout == "Sakai" else students
    handed_in = find_submissions([class_of(files, form, tmp_path)])
    assert {each.name: [*each.files] for each in handed_in.submissions} == dict.fromkeys(students, ["bpe", "char_word"])
    assert " 40 students" in handed_in.summary() and "without" not in handed_in.summary()


ZIPPED = zipped({"src/bpe.py": CODE})
TWO = {"Ada L": ["bpe"], "Bob": []}
"""Ada has handed in alone."""
MALLORY = {"bob": ["bpe"], "mallory": ["bpe"]}
"""Platforms put their own part of a name before the student's, so the name of a file carries no other student."""
COPIES = ("bpe - Copy", "bpe - Copy (2)", "bpe - Kopie", "bpe - Copie", "bpe - copia", "bpe copy", "bpe copy 2")
CONTROLS = {"a\x1b[2J\nb/bpe.py": CODE, "eve/bpe.py": CODE, "\u202e\u061cyou/bpe.py": CODE}
ANONYMOUS = {f"LATE_anon_8wJSj_{file}.py": CODE for file in ("1_bpe", "2_char_word")} | {"anon_12345_3_bpe.py": CODE}
TEAMS = {f"hw/{files}/{name}/HW/bpe.py": CODE for files in ("Submitted files", "Working files") for name in "AB"}
BEFORE = {f"hw_{name}_l_attempt_2026-11-27-10-11-12_bpe.py": CODE for name in ("ada", "bob")}
OF_CLASS = zipped({"Ada L/bpe.py": CODE, "Bob/work.zip": zipped({"essay.txt": ""})})
# Zips do not say which code their names use, and macOS writes an umlaut as two characters.
MACOS = zipped({"Jo~~rg/bpe.py": CODE, "ada/bpe.py": CODE}).replace(b"Jo~~rg", "Jo\u0308rg".encode())
WINDOWS = zipped({"J~rg/bpe.py": CODE, "ada/bpe.py": CODE}).replace(b"J~rg", b"J\x94rg")
WHO = {
    "a text on Moodle": ({f"ada_9{FILE[:-1]}/bpe.py": CODE, "ada_9_assignsubmission_onlinetext/x": ""}, ["ada"]),
    "names that Moodle hides": (
        {f"Participant_{number}{FILE}/bpe.py": CODE for number in (471, 472)},
        ["Participant 471", "Participant 472"],
    ),
    "loose files": ({"ada.py": BPE, "bob_bpe.py": BPE, "Eve Li.py": BPE}, ["ada", "bob", "Eve Li"]),
    "Moodle, a zip": ({f"Ada L_471{FILE}/work.zip": ZIPPED, f"Bob_472{FILE}/essay.txt": "later"}, TWO),
    "Canvas, a zip": ({"Ada L_471_11_work.zip": ZIPPED, "Bob_472_12_essay.txt": "later"}, TWO),
    "Canvas, without names": (ANONYMOUS, {"anon_8wJSj": ["bpe", "char_word"], "anon_12345": ["bpe"]}),
    "Canvas, a text and an address": (
        {"ada_1_11_bpe.py": CODE, "bob_2_text.html": "", "cy_LATE_3_link.html": "", "anon_8wJSj_text.html": ""},
        {"ada": ["bpe"], "bob": [], "cy": [], "anon_8wJSj": []},
    ),
    "Canvas, numbered by a browser": ({"ada_1_11_bpe (1)-2.py": CODE, "bob_2_12_bpe-1.py": CODE}, ["ada", "bob"]),
    "copies, as systems name them": (
        {f"{name}/{name}.py": CODE for name in COPIES} | {"ada_1_11_bpe - Copy-2.py": CODE},
        ["ada", *COPIES],
    ),
    "Teams, with drafts": (TEAMS, ["A", "B"]),
    "Blackboard, names that differ before _": (BEFORE, ["l hw_ada_l", "l hw_bob_l"]),
    "a class's zip": ({"hw_3_2026_all.zip": OF_CLASS}, TWO),
    "Mallory on Canvas": ({"bob_102_2002_bpe.py": CODE, "mallory_101_2001_bob_102_2002_bpe-1.py": CODE}, MALLORY),
    "Mallory's zip": ({"bob_102_2002_bpe.py": CODE, "mallory_101_2001_bob_late_102_2002_.zip": ZIPPED}, MALLORY),
    "Mallory on Moodle": ({f"bob_102{FILE}bpe.py": CODE, f"mallory_101{FILE}bob_102{FILE}bpe.py": CODE}, MALLORY),
    # Of these, only the path that is the row's name is given to the grader.
    "ada/bpe.py": ({"ada/bpe.py": CODE}, ["ada"]),
    "ada_bpe.py": ({"ada_bpe.py": CODE}, ["ada"]),
    "ada.zip": ({"ada.zip": zipped({"../../bpe.py": CODE})}, ["ada"]),
    "class": ({"class/ada.zip": zipped({"my-solution/bpe.py": CODE})}, ["ada"]),
    "class.zip": ({"class.zip": zipped(CONTROLS)}, ["a\ufffd[2J b", "eve", "\ufffd\ufffdyou"]),
    "macOS.zip": ({"macOS.zip": MACOS}, ["ada", "J\xf6rg"]),
    "Windows.zip": ({"Windows.zip": WINDOWS}, ["ada", "J\xf6rg"]),
}
"""Files -> each student with the exercise files that were found, by default bpe.py."""


@pytest.mark.parametrize("name", WHO)
def test_each_student_has_their_own_files(name, tmp_path):
    files, students = WHO[name]
    handed_in = find_submissions([write(tmp_path, files) / (name if (tmp_path / name).exists() else "")]).submissions
    expected = students if isinstance(students, dict) else dict.fromkeys(students, ["bpe"])
    assert {each.name: sorted(each.files) for each in handed_in} == expected
    assert not any(each.forgiven for each in handed_in)
    assert [each.account.number for each in handed_in if each.name == "mallory"] == ["101"] * (students is MALLORY)


@pytest.mark.parametrize("around", ["", "hw/g2c-main/"])
def test_a_whole_clone_is_one_student_and_no_file_of_the_course_in_it_counts_as_handed_in(around, tmp_path):
    of_the_course = {
        path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8")
        for folder in ("coach", "g2c", "mistakes", "notebooks/checks", "notebooks/solutions", "tests")
        for path in (REPOSITORY / folder).rglob("*")
        if path.suffix in (".py", ".ipynb") and not path.name.startswith(".")
    }
    stubs = {module.exercise_path: module.exercise_file.read_text(encoding="utf-8") for module in modules().values()}
    stubs[MODULE.exercise_path] = stubs[MODULE.exercise_path].replace("\n", "\r\n")
    own = {"g2c/tokenizer/my_bpe.py": BPE, "notebooks/mine/04-tokenizer.ipynb": "{}", ".venv/lib/char_word.py": CODE}
    clone = {around + place: text for place, text in (of_the_course | stubs | own).items()}
    (ada,) = find_submissions([write(tmp_path / "ada", clone)]).submissions
    assert (ada.name, ada.files) == ("ada", {"bpe": BPE.encode(), "04-tokenizer.ipynb": b"{}"})
    assert not ada.forgiven and not ada.notes
    assert ada.untouched["ngram"] == "ngram.py is empty or as it was handed out, and counts as not handed in."


def test_a_notebook_in_mine_is_the_student_s_though_the_instructor_has_one_of_the_same_name(tmp_path, monkeypatch):
    course, clone = ({"g2c/tokenizer/bpe.py": BPE, "notebooks/mine/04-tokenizer.ipynb": text} for text in ("", "{}"))
    monkeypatch.setattr("coach.grading.archives.REPOSITORY", write(tmp_path / "course", course))
    (ada,) = find_submissions([write(tmp_path / "ada", clone)]).submissions
    assert ada.files == {"bpe": BPE.encode(), "04-tokenizer.ipynb": b"{}"}


def with_password(data: bytes) -> bytes:
    """A zip of one file, whose flags say that it is encrypted."""
    changed = bytearray(data)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[changed.index(mark) + place] |= 1
    return bytes(changed)


LARGE = zipped({"bpe.py": bytes(2**26)})
VARIED = zipped({"bpe.py": "".join(map(chr, range(40, 4000)))})


UNREADABLE = {
    "part": (VARIED[:-50], "bob.zip cannot be read: it is neither a zip nor a tar archive, or only a part of one."),
    "large file": (zipped({"bpe.py": b"x" * (2**24 + 1)}), "bpe.py cannot be read: it is larger than 16 MB."),
    "wrong size": (LARGE.replace(struct.pack("<I", 2**26), struct.pack("<I", 9)), "bpe.py cannot be read: Bad CRC-32"),
    "password": (with_password(zipped({"bpe.py": CODE})), "bpe.py cannot be read: it needs a password"),
    "damaged": (VARIED[:70] + bytes(200) + VARIED[270:], "bpe.py cannot be read: "),
}


@pytest.mark.parametrize(("content", "sentence"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_zip_that_cannot_be_read_is_a_sentence(content, sentence, tmp_path):
    write(tmp_path, {"ada/bpe.py": CODE, "eve/bpe.py": CODE, "bob.zip": content})
    tracemalloc.start()
    bob = next(submission for submission in find_submissions([tmp_path]).submissions if submission.name == "bob")
    assert bob.files == {} and re.match(sentence, bob.notes[0])
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


def test_a_link_in_a_zip_is_no_file(tmp_path):
    link = zipfile.ZipInfo("bpe.py")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        archive.writestr(link, "../course/g2c/tokenizer/bpe.py")
        archive.writestr("work/bpe.py", CODE)
    (ada,) = find_submissions([tmp_path / "ada.zip"]).submissions
    assert (ada.files, ada.notes) == ({"bpe": CODE.encode()}, [])


def test_what_cannot_be_read_is_its_student_s_alone_and_a_pipe_is_not_waited_for(tmp_path, monkeypatch):
    files = {f"{name}/bpe.py": CODE for name in ("ada", "bob", "di", "eve")}
    write(tmp_path, files | {f"di/{'x/' * 60}bpe.py": CODE, "fay/notes.txt": ""})
    os.mkfifo(tmp_path / "fay" / "bpe.py")
    closed = {"iterdir": tmp_path / "bob", "read_bytes": tmp_path / "eve" / "bpe.py"}

    # Root, who may read everything, runs this test, too.
    def closing(method, path):
        def call(self):
            if self == path:
                raise PermissionError(13, "Permission denied")
            return method(self)

        return call

    for name, path in closed.items():
        monkeypatch.setattr(Path, name, closing(getattr(Path, name), path))
    handed_in = find_submissions([tmp_path])
    notes = {each.name: each.notes for each in handed_in.submissions}
    assert notes == {
        "ada": [],
        "bob": ["The folder bob cannot be read (Permission denied)."],
        "di": ["The folder x cannot be read (more than 50 folders inside each other)."],
        "eve": ["bpe.py cannot be read: [Errno 13] Permission denied."],
        "fay": ["bpe.py cannot be read: it is neither a file nor a folder."],
    }
    assert "(bob: folder bob cannot be read (Permission denied); eve: " in handed_in.summary()


def tarred(files):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
        link = tarfile.TarInfo(".venv/bin/python3")
        link.type, link.linkname = tarfile.SYMTYPE, "/usr/bin/python3"
        archive.addfile(link)
    return stream.getvalue()


def test_archives_inside_each_other_are_opened_up_to_three(tmp_path):
    inside = zipped({"char_word.py": CODE})
    two, four = zipped({"x/more.zip": inside}), zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": inside})})})
    files = {"ada.tar.gz": tarred({"hw/bpe.py": CODE}), "bo.zip": two, "cy.zip": four, "di/hw.rar": b"Rar!"}
    files |= {"di/._hw.zip": "macOS's, not the student's"}
    ada, bo, cy, di = find_submissions([write(tmp_path, files)]).submissions
    assert (ada.name, ada.files, list(bo.files)) == ("ada", {"bpe": CODE.encode()}, ["char_word"])
    assert cy.notes == ["c.zip was not opened."] and di.notes == ["hw.rar was not opened."]


def test_of_more_files_than_memory_holds_the_first_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_TOTAL", 2**20)
    large = CODE + "#" * 2**19
    files = {"data/corpus.txt": "#" * 2**21, ".venv/x.py": "#" * 2**21, "a/bpe.py": large, "b/bpe.py": large}
    files |= {"a/04-tokenizer.ipynb": "#" * (2**24 + 1)}
    ada = one_submission(write(tmp_path / "ada", {"hw.zip": zipped({"more.zip": zipped(files)})}))
    limit = "a submission may contain 1 MB of code, notebooks and archives"
    assert ada.files == {"bpe": large.encode()}
    assert ada.notes[0] == f"b/bpe.py and the files after it were not read: {limit}."


TODO = f'{BPE}raise NotImplementedError("TODO: encode")\n'


@pytest.mark.parametrize(
    ("others", "graded"),
    [
        ({"bpe.py": TODO}, "bpe_v2_final.py"),
        ({"bpe_old.py": TODO}, "bpe.py"),
        ({"bpe.py": BPE}, "src/bpe.py"),
        ({"z/bpe.py": BPE}, "g2c/tokenizer/bpe.py"),
        (dict.fromkeys(("bpe (2).py", "bpe.py", "bpe (10).py"), BPE), "v2_bpe.py"),
        ({"bpe_final.py": BPE}, "bpe.py"),
        (dict.fromkeys(("bpe - Copy.py", "old_bpe.py", "bpe.py"), BPE), "final_bpe.py"),
        ({"newman_bpe.py": BPE}, "arnold_newman_bpe.py"),
    ],
)
def test_the_file_with_the_fewest_todos_then_the_right_name_or_the_newer_one_is_graded_and_told(
    others, graded, tmp_path
):
    """A student's own name says nothing of its age."""
    submission = one_submission(write(tmp_path / "ada", {**others, graded: f"{BPE}# graded"}))
    assert submission.files == {"bpe": f"{BPE}# graded".encode()}
    [note] = submission.notes
    assert note.startswith(f"There is more than one bpe.py: {graded} was graded, not ")
    assert all(name in note for name in others)


def test_a_file_that_lacks_exercises_is_not_better_than_one_with_a_todo(tmp_path):
    begun = f'{BPE}def decode(): ...\ndef encode():\n    raise NotImplementedError("TODO: encode")\n'
    assert one_submission(write(tmp_path, {"bpe.py": begun, "draft.py": BPE})).files == {"bpe": begun.encode()}


def test_no_two_students_share_a_folder_of_reports(tmp_path):
    long = "x" * 120
    names = ["\u6f22" * 100, "\u6f22" * 101, "ann", "ann!", "Ann", "an\u0303", "a\u00f1", "..", f"{long}1", f"{long}2"]
    kept = [Submission(name) for name in names]
    give_different_names(kept)
    folders = {unicodedata.normalize("NFC", file_name(each.name)).casefold() for each in kept}
    assert len(folders) == len(names)
    assert kept[2].name == "ann" and kept[3].name == "ann! (2)"
    assert all(len(folder.encode()) <= 255 for folder in folders)


def test_a_group_on_gradescope_has_the_names_of_its_members(tmp_path):
    people = "  - :name: Ada L\n    :sid: '0012'\n  - :name: ''\n  - :name: 'Eve O''B '\n"
    submitters = (
        f"---\nsubmission_5:\n  :submitters:\n{people}  :score: 1\n"
        "  :results:\n" + "    :output: all\n" * 100_000 + "submission_7:\n  - :name: 9" + " " * 100_000 + "9\n"
    )
    files = {"export/submission_metadata.yml": submitters, "export/submission_5/bpe.py": CODE}
    with within(1):
        group, unknown = find_submissions([write(tmp_path, files | {"export/submission_6/bpe.py": CODE})]).submissions
    assert (group.name, unknown.name) == ("Ada L and Eve O'B", "submission_6")


@pytest.mark.parametrize("is_damaged", [True, False])
def test_a_file_about_groups_that_cannot_be_read_or_is_a_student_s_names_nobody(is_damaged, tmp_path):
    text = "submission_5:\n  :submitters:\n  - :name: Ada\n"
    place = "submission_metadata.yml" if is_damaged else "submission_6/submission_metadata.yml"
    data = zipped({"submission_5/bpe.py": CODE, "submission_6/bpe.py": CODE, place: text}, zipfile.ZIP_STORED)
    write(tmp_path, {"export.zip": data.replace(text.encode(), text.upper().encode()) if is_damaged else data})
    names = [each.name for each in find_submissions([tmp_path / "export.zip"]).submissions]
    assert names == ["submission_5", "submission_6"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("_1" * 32_000 + "x0_bpe.py", CODE),
        ("bpe.py", "# coding: punycode\n-" + "a" * 10**6),
    ],
    ids=["long name", "punycode"],
)
def test_what_could_take_hours_takes_none(name, content, tmp_path):
    write(tmp_path, {"ada/bpe.py": CODE, "bob.zip": zipped({name: content, "char_word.py": CODE})})
    with within(5):
        students = {submission.name: submission for submission in find_submissions([tmp_path]).submissions}
    assert list(students["ada"].files) == ["bpe"] and "char_word" in students["bob"].files


# --- nobody is lost ---------------------------------------------------------------------------------------------------

BOTH = "2 entries: 2 students"
ENTRIES = {
    "a class": (
        {"ada/bpe.py": BPE, "bob.py": BPE, "carl/hw4.ipynb": "{}", "dora/": "", ".DS_Store": "x", "~$bob.py": "x"},
        "6 entries: 2 students, 2 without an exercise file (carl: hw4.ipynb; dora: nothing), "
        "2 ignored (.DS_Store, ~$bob.py)",
    ),
    "two in a tree": ({"hw4/hw4-ada/bpe.py": BPE, "hw4/hw4-bob/tokenizer.py": BPE}, BOTH),
    "folders of the course": ({"ada/course/g2c/tokenizer/bpe.py": BPE, "bob/solutions/bpe.py": BPE}, BOTH),
    "a stray file": ({"bpe.py": BPE, "ada/bpe.py": BPE, "bob/bpe.py": BPE}, "3 entries: 3 students"),
    "on Canvas": ({"bpe.py": BPE, "ada_101_2001_bpe.py": BPE, "bob_102_2002_bpe.py": BPE}, "3 entries: 3 students"),
    "one student": (
        {"bpe.py": BPE, "hw_3_2026_a.txt": "x", "hw_3_2026_b.txt": "x", "old/bpe.py": BPE},
        "1 entry: 1 student",
    ),
    "helpers": (
        {"ada/bpe.py": BPE + "def loss_mask(): 1", "bob/helper.py": "def loss_mask(): 1", "bob/bpe.py": BPE},
        BOTH,
    ),
    "macOS": (
        {"ada/__MACOSX/._bpe.py": "x", "ada/essay.pdf": "x", "bob/x/y/z/bpe.py": BPE, "__MACOSX/._ada": "x"},
        "3 entries: 1 student, 1 without an exercise file (ada: essay.pdf), 1 ignored (__MACOSX)",
    ),
    "untouched": (
        {"ada/bpe.py": "# later", "bob/bpe.py": MODULE.exercise_file.read_text(encoding="utf-8")},
        "2 entries: 0 students, 2 without an exercise file (ada: bpe.py; bob: bpe.py)",
    ),
    "Brightspace's page": (
        {"7-1 - Ada L - Nov 9, 2026 1159 PM/bpe.py": CODE, "index.html": "x"},
        "2 entries: 1 student, 1 ignored (index.html)",
    ),
    "Sakai's table": (
        {"Li, Eve(eli)/bpe.py": CODE, "Wu, Bo(bwu)/x.txt": "x", "grades.csv": "x", "grades.xls": "x"},
        "4 entries: 1 student, 1 without an exercise file (Wu, Bo: x.txt), 2 ignored (grades.csv, grades.xls)",
    ),
    "a folder, a zip and a file": ({"Wei/bpe.py": BPE, "Wei.zip": ZIPPED, "Wei.py": BPE}, "3 entries: 3 students"),
    "a text": ({"ada/bpe.py.txt": BPE, "bob_1_2_bpe.py.txt": BPE}, BOTH),
    "long": ({"ada/bpe.py": BPE, "\u6f22" * 100 + "/bpe.py": BPE, "x" * 300 + ".py": BPE}, "3 entries: 3 students"),
}
"""Name -> files of a class, and its summary."""


@pytest.mark.parametrize(("files", "summary"), ENTRIES.values(), ids=ENTRIES)
def test_every_entry_of_a_class_is_a_student_or_is_named_with_a_reason(files, summary, tmp_path):
    assert find_submissions([class_of(files, "zip", tmp_path)]).summary() == summary


def test_links_and_earlier_reports_are_named_and_belong_to_nobody(tmp_path):
    write(
        tmp_path, {"class/ada/bpe.py": BPE, "class/bob/bpe.py": BPE, "class/grades/grades.csv": "", "key/bpe.py": BPE}
    )
    (tmp_path / "class" / "eve").symlink_to(tmp_path / "key")
    (tmp_path / "class" / "bob" / "char_word.py").symlink_to(tmp_path / "key" / "bpe.py")
    handed_in = find_submissions([tmp_path / "class"], tmp_path / "class" / "grades")
    assert handed_in.summary() == "4 entries: 2 students, 2 ignored (eve (a link), grades (reports))"
    assert [sorted(each.files) for each in handed_in.submissions] == [["bpe"], ["bpe"]]


@pytest.mark.parametrize(
    ("name", "content", "note"),
    [
        ("BPE.py", BPE.encode(), "BPE.py was graded as bpe.py, which should be its name."),
        ("bpe.py", BPE.encode("utf-16"), "bpe.py is not in UTF-8; it was read as UTF-16."),
        ("bpe.py", f"{BPE}# ä".encode("latin-1"), "bpe.py is not in UTF-8; it was read as Latin-1."),
        ("bpe.py", BPE.encode("utf-16-le"), "bpe.py is not in UTF-8; it was read as UTF-16."),
        ("bpe.py", f"{BPE}\0".encode(), "bpe.py is not in UTF-8; it was read as text without its NUL bytes."),
    ],
)
def test_a_name_and_an_encoding_are_forgiven_and_told(name, content, note, tmp_path):
    (ada,) = find_submissions([write(tmp_path / "ada", {f"{name}": content, "notes.py": "x = 1"})]).submissions
    assert ada.forgiven == {"bpe": [note]} and not ada.notes and ada.files["bpe"].decode().startswith(BPE)


@pytest.mark.parametrize("version", ["Version {}", "Revision {} - On time"])
def test_of_the_versions_that_teams_or_schoology_keeps_the_last_is_graded_whatever_its_name(version, tmp_path):
    names = {9: "bpe.py", 10: "tokens.py"}
    files = {f"Ada/Homework/{version.format(number)}/{name}": BPE + name for number, name in names.items()}
    folder = write(tmp_path / "Submitted files", {**files, "Bob/Homework/Version 1/bpe.py": BPE})
    ada, _ = find_submissions([folder]).submissions
    assert ada.name == "Ada" and ada.files == {"bpe": f"{BPE}tokens.py".encode()}


METHODS = "class MyBPE:\n" + "".join(f"    def {each.name}(self): 1\n" for each in MODULE.exercises[:4])


def test_a_file_is_recognized_by_most_of_its_methods_and_a_notebook_by_its_name_or_cells(tmp_path):
    notebook = MODULE.notebook_file.read_text(encoding="utf-8")
    named = {"04-tokenizer-Copy1.ipynb": "{}", "04-tokenizer_final.ipynb": "{}", "Untitled1.ipynb": notebook}
    for number, (name, text) in enumerate(named.items()):
        folder = write(tmp_path / str(number), {name: text, "solution.py": METHODS})
        assert find_submissions([folder]).submissions[0].files == {
            "bpe": METHODS.encode(),
            "04-tokenizer.ipynb": text.encode(),
        }


# --- attempts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "account"),
    [
        ("7-2 - Ada L - Nov 27, 2026 110 PM", "7-1 - Ada L - Nov 27, 2026 200 PM", ("brightspace", "Ada L", "7")),
        ("7-2 - Ada - 9 November, 2026 1159 PM", "7-1 - Ada - 27 November, 2026 101 AM", ("brightspace", "Ada", "7")),
        ("4_ada_attempt_2026-11-09-10-11-12_x", "4_ada_attempt_2026-11-27-01-00-00_x", ("blackboard", "ada", "4_ada")),
    ],
)
def test_of_several_attempts_the_latest_is_graded(old, new, account, tmp_path):
    write(tmp_path, {f"{new}/bpe.py": "x = 2", f"{old}/bpe.py": "x = 1", "index.html": "", f"{new}/essay.txt": "x"})
    (ada,) = (each for each in find_submissions([tmp_path]).submissions if each.account)
    assert ada.account == account and ada.files == {"bpe": b"x = 2"}
    assert re.fullmatch(r"There is more than one .*\(2026-11-27 .*\) was graded, not .*\(2026-11-\d\d .*", ada.notes[0])
