"""Files and folders are whole or not there, whatever happens while they are written."""

import errno
import fcntl
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from coach.common.errors import FileFormatError, MissingFileError, SavingError
from coach.common.files import locked, parse_json, read_file, replacing_folder, write_file, write_flushed
from g2c.common.errors import CorpusError
from support.scarce import full_disk

NAME = Path("somewhere.json")


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


def test_a_file_system_without_locks_is_no_reason_to_stop(tmp_path, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", Mock(side_effect=OSError(errno.ENOLCK, "no locks available")))
    with locked(tmp_path / "data", print):
        pass


# --- a folder ---------------------------------------------------------------------------------------------------------


def test_replacing_folder_keeps_the_old_one_when_the_disk_is_full_or_the_last_step_fails(tmp_path, monkeypatch):
    folder, rename = tmp_path / "folder", os.rename
    with replacing_folder(folder) as new:
        write_flushed(new / "file", [b"old"])
    with full_disk(), pytest.raises(SavingError, match="Free some space"), replacing_folder(folder) as new:
        write_flushed(new / "file", [bytes(1000)])
    assert (folder / "file").read_bytes() == b"old" and os.listdir(tmp_path) == ["folder"]

    def fails_for_the_new_one(source, target):
        if Path(source).name.endswith(".new"):
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "rename", fails_for_the_new_one)
    with pytest.raises(SavingError, match="Input/output error"), replacing_folder(folder) as new:
        write_flushed(new / "file", [b"new"])
    assert (folder / "file").read_bytes() == b"old" and os.listdir(tmp_path) == ["folder"]


# --- reading ----------------------------------------------------------------------------------------------------------


def test_read_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_file(path) == b"12345"
    monkeypatch.setattr("coach.common.files.MAX_READ", 4)
    with pytest.raises(FileFormatError, match=r"file has 5 bytes, which exceeds the 4-byte limit"):
        read_file(path)
    for missing in ("nothing", "file/nothing"):
        with pytest.raises(MissingFileError, match=f"There is no file .*{missing}"):
            read_file(tmp_path / missing)
    with pytest.raises(FileFormatError, match="is a folder"):
        read_file(tmp_path)


def test_parse_json_refuses_with_the_place():
    assert parse_json('{"a": [1, -2, "é", null, true, 0.5]}'.encode(), NAME) == {"a": [1, -2, "é", None, True, 0.5]}
    for data, problem in (
        (b"", "line 1 column 1"),
        (b'{"a": 1}\n x', "line 2 column 2"),
        (b'"\xff"', "can't decode byte 0xff in position 1"),
        (b"[" * 1_000_000, "(recursion|Stack overflow)"),
    ):
        with pytest.raises(FileFormatError, match=f"somewhere.json is not valid JSON: .*{problem}"):
            parse_json(data, NAME)
