"""Files are whole or not there, whatever happens while they are written, and JSON is checked before it is believed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from g2c.common.errors import CorpusError, FileFormatError, MissingFileError, SavingError
from g2c.common.files import locked, parse_json, read_file, replacing_folder, write_file, write_flushed
from support.scarce import full_disk

KILLER = Path(__file__).resolve().parents[1] / "support" / "kill_at_every_step.py"
NAME = Path("somewhere.json")


# --- kills ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", ["replace", "first", "again", "ids"])
def test_a_kill_at_any_step_leaves_the_old_or_the_new_whole(tmp_path, scenario):
    """The script asserts after each kill that what is there is whole, and after each save that there is no litter."""
    command = [sys.executable, KILLER, tmp_path / scenario, scenario]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    counts = json.loads(result.stdout)
    assert sum(counts.values()) >= 10
    # Otherwise the kills fell all on one side of the step that counts.
    assert counts.keys() == {"new", "nothing" if scenario == "first" else "old"}


# --- a file -----------------------------------------------------------------------------------------------------------


def test_write_file_makes_missing_folders_and_follows_a_symbolic_link(tmp_path):
    path, link = tmp_path / "new" / "folder" / "file", tmp_path / "link"
    write_file(path, [b"one ", b"two"])
    assert path.read_bytes() == b"one two"
    link.symlink_to(path)
    write_file(link, [b"new"])
    assert link.is_symlink() and path.read_bytes() == b"new"
    assert os.listdir(path.parent) == ["file"]


def test_write_file_keeps_the_old_file_when_its_content_cannot_be_made_or_the_disk_is_full(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def blocks():
        yield b"new"
        raise CorpusError("the corpus ended")

    with pytest.raises(CorpusError, match="the corpus ended"):
        write_file(path, blocks())
    with full_disk(), pytest.raises(SavingError, match="file could not be written: .* Free some space"):
        write_file(path, [bytes(1000)])
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


# --- a folder ---------------------------------------------------------------------------------------------------------


def test_replacing_folder_keeps_the_old_one_when_the_disk_is_full(tmp_path):
    folder = tmp_path / "folder"
    with replacing_folder(folder) as new:
        write_flushed(new / "file", [b"old"])
    with full_disk(), pytest.raises(SavingError, match="Free some space"), replacing_folder(folder) as new:
        write_flushed(new / "file", [bytes(1000)])
    assert (folder / "file").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["folder"]


def test_replacing_folder_puts_the_old_one_back_when_the_last_step_fails(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    with replacing_folder(folder) as new:
        write_flushed(new / "file", [b"old"])
    rename = os.rename

    def fails_for_the_new_one(source, target):
        if Path(source).name.endswith(".new"):
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "rename", fails_for_the_new_one)
    with pytest.raises(SavingError, match="Input/output error"), replacing_folder(folder) as new:
        write_flushed(new / "file", [b"new"])
    assert (folder / "file").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["folder"]


# --- several processes ------------------------------------------------------------------------------------------------


def test_a_second_process_waits_and_is_told_so(tmp_path):
    program = """
import sys
from pathlib import Path
from g2c.common.files import locked
with locked(Path(sys.argv[1]), lambda: print("waiting", flush=True)):
    print("inside", flush=True)
"""
    path = tmp_path / "thing"
    with locked(path):
        other = subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE, text=True)
        assert other.stdout.readline() == "waiting\n"
        assert other.poll() is None, "the other process went on although the lock is held"
    assert other.communicate()[0] == "inside\n"
    assert other.returncode == 0
    assert os.listdir(tmp_path) == []


# --- reading ----------------------------------------------------------------------------------------------------------


def test_read_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_file(path, limit=5) == b"12345"
    with pytest.raises(FileFormatError, match=r"file has 5 bytes, which exceeds the 4-byte limit"):
        read_file(path, limit=4)
    for missing in ("nothing", "file/nothing"):
        with pytest.raises(MissingFileError, match=f"There is no file .*{missing}"):
            read_file(tmp_path / missing, limit=5)
    with pytest.raises(FileFormatError, match="is a folder"):
        read_file(tmp_path, limit=5)


def test_parse_json_reads_json():
    assert parse_json('{"a": [1, -2, "é", null, true, 0.5]}'.encode(), NAME) == {"a": [1, -2, "é", None, True, 0.5]}
    assert parse_json(b'"\\ud83d\\udc4b"', NAME) == "\N{WAVING HAND SIGN}"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "line 1 column 1"),
        (b'{"a": 1}\n x', "line 2 column 2"),
        (b'{"a": 1, "a": 2}', "the name 'a' appears twice in one object"),
        (b"9" * 100_000, "Exceeds the limit"),
        (b'"\xff"', "can't decode byte 0xff in position 1"),
        (b"\xef\xbb\xbf{}", "column 1"),
        (b'"\\ud800"', "surrogates not allowed"),
        (b'{"\\udfff": 1}', "surrogates not allowed"),
        (b"[" * 40 + b"]" * 40, "nested too deeply"),
        (b"[" * 1_000_000, "nested too deeply"),
    ],
)
def test_parse_json_refuses_with_the_place(data, problem):
    with pytest.raises(FileFormatError) as error:
        parse_json(data, NAME)
    assert str(error.value).startswith("somewhere.json is not valid JSON: ")
    assert problem in str(error.value)
    assert len(str(error.value)) < 300
