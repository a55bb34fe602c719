"""Encoding corpora: the IDs of encode whatever the shards and workers, after any stop; clear errors for bad input."""

import gzip
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.common.errors import CorpusError, CourseError
from g2c.corpus import encoding, shards
from g2c.corpus.encoding import JOURNAL, encode_corpus
from g2c.corpus.shards import Cutter, document_shards, file_shards
from g2c.corpus.workers import run
from g2c.formats.tokenizer_json import save
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact
from support.worker_tasks import multiplying

END = "<|endoftext|>"
TEXT = "\n\n".join(topics[name] for name in sorted(topics))
PATTERNS = ["gpt2", "gpt4", None, r"\S+|\s+"]
SHARD = 20_000
"""Bytes of a shard in these tests: some thirty shards for `TEXT`."""


@pytest.fixture(scope="module")
def tokenizers() -> dict[str | None, BPETokenizer]:
    trained = {}
    for pattern in PATTERNS:
        trained[pattern] = BPETokenizer([END, "<|end|>"], pattern=pattern)
        trained[pattern].train_exact(TEXT[:100_000], 900)
    return trained


@pytest.fixture
def tokenizer(tokenizers) -> BPETokenizer:
    return tokenizers["gpt4"]


@pytest.fixture
def corpus(tmp_path) -> Path:
    return write(tmp_path / "corpus.txt", TEXT)


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def encode(tokenizer, corpus, out, **options) -> Path:
    return encode_corpus(tokenizer, corpus, out, **{"workers": 1, "shard_bytes": SHARD, "progress": False, **options})


def ids_of(folder: Path) -> list[int]:
    return np.fromfile(folder / "ids.uint32", "<u4").tolist()


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def work_folder(out: Path) -> Path:
    return out.with_name(f".{out.name}.encoding")


# --- the right IDs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_text_file_has_the_ids_of_encode(tokenizers, corpus, tmp_path, pattern):
    out = encode(tokenizers[pattern], corpus, tmp_path / "out")
    assert ids_of(out) == tokenizers[pattern].encode_fast(TEXT)


@pytest.mark.parametrize("workers", [2, 5])
def test_any_number_of_workers_gives_the_same_files(tokenizer, corpus, tmp_path, workers):
    one = encode(tokenizer, corpus, tmp_path / "one")
    many = encode(tokenizer, corpus, tmp_path / "many", workers=workers)
    for name in ("ids.uint32", "manifest.json", "tokenizer.json"):
        assert (one / name).read_bytes() == (many / name).read_bytes(), name


def test_the_artifact_loads_and_says_what_it_is(tokenizer, corpus, tmp_path):
    out = encode(tokenizer, corpus, tmp_path / "out", train={"algorithm": "train_exact"})
    artifact = load_artifact(out)
    assert artifact.tokenizer.merges == tokenizer.merges
    size = corpus.stat().st_size
    assert artifact.manifest["corpus"] == {"name": "corpus.txt", "bytes": size, "sha256": sha256(corpus)}
    assert artifact.manifest["train"] == {"algorithm": "train_exact"}
    assert not work_folder(out).exists()


def test_a_new_corpus_takes_the_place_of_the_old_artifact(tokenizer, corpus, tmp_path):
    encode(tokenizer, corpus, tmp_path / "out")
    out = encode(tokenizer, write(tmp_path / "other.txt", "other"), tmp_path / "out")
    assert ids_of(load_artifact(out).path) == tokenizer.encode("other")


def test_special_tokens_in_the_text(tokenizer, tmp_path):
    text = f"Hi there{END} 's up<|end|><|end|>\n\n{END}" * 50
    path = write(tmp_path / "chat.txt", text)
    for pieces in (1000, 60):
        allowed = encode(tokenizer, path, tmp_path / f"allowed{pieces}", shard_bytes=pieces)
        assert ids_of(allowed) == tokenizer.encode(text)
        ordinary = encode(tokenizer, path, tmp_path / f"ordinary{pieces}", shard_bytes=pieces, special="ordinary")
        assert ids_of(ordinary) == tokenizer.encode_ordinary(text)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_documents_are_encoded_by_themselves_and_separated(tokenizers, tmp_path, pattern):
    documents = ["one ", " two\n", "", "x's", "'s", *topics.values()][:40]
    out = encode(tokenizers[pattern], iter(documents), tmp_path / "out")
    expected = [ids for text in documents for ids in [*tokenizers[pattern].encode_fast(text), 256]]
    assert ids_of(out) == expected
    assert load_artifact(out).manifest["documents"]["separator_id"] == 256


def test_without_separators_documents_still_do_not_touch(tokenizer, tmp_path):
    out = encode(tokenizer, iter(["don", "'t", "a ", " b"]), tmp_path / "out", append_separator=False)
    assert ids_of(out) == [token_id for text in ["don", "'t", "a ", " b"] for token_id in tokenizer.encode(text)]


def test_several_text_files_are_one_document_each(tokenizer, tmp_path):
    texts = ["a ", "", " b\n", TEXT[:50_000]]
    paths = [write(tmp_path / f"{number}.txt", text) for number, text in enumerate(texts)]
    out = encode(tokenizer, paths, tmp_path / "out", append_separator=True)
    # The empty file is no document.
    expected = [token_id for text in texts if text for token_id in [*tokenizer.encode_fast(text), 256]]
    assert ids_of(out) == expected


def test_named_and_compressed_corpora_are_documents(tokenizer, tmp_path):
    path = tmp_path / "stories.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in ("Once", "upon a time"))
    out = encode(tokenizer, path, tmp_path / "out")
    assert ids_of(out) == [*tokenizer.encode("Once"), 256, *tokenizer.encode("upon a time"), 256]
    named = load_artifact(encode(tokenizer, "pydocs", tmp_path / "named"))
    assert named.manifest["corpus"]["name"] == "pydocs"
    assert named.manifest["documents"]["count"] == len(topics)


@pytest.mark.parametrize(
    "text", ["", "\ufeffwith a mark", "one\r\ntwo\rthree\n", "a\0b\0\0c", "中文。\n" * 9000, "\n" * 9000, "a" * 9000]
)
@pytest.mark.parametrize("pattern", ["gpt4", None])
def test_every_byte_is_kept(tokenizers, tmp_path, text, pattern):
    tokenizer = tokenizers[pattern]
    out = encode(tokenizer, write(tmp_path / "corpus.txt", text), tmp_path / "out", shard_bytes=500)
    assert tokenizer.decode(ids_of(out)) == text
    assert ids_of(out) == tokenizer.encode_fast(text)


def test_text_of_all_different_words_in_bounded_memory(tokenizer, tmp_path):
    chance = random.Random(1)
    words = (" " + "".join(chance.choices("bcdfghjklmnprst", k=9)) for _ in range(100_000))
    path = write(tmp_path / "corpus.txt", "".join(words))
    out = encode(tokenizer, path, tmp_path / "out", shard_bytes=1 << 20)
    assert ids_of(out) == tokenizer.encode_fast(path.read_text())


# --- cuts and shards --------------------------------------------------------------------------------------------------

SPECIAL = ["<|a|>", "ab ba", "a1b2", "界"]
ANY_TEXT = st.text(st.sampled_from("ab1 2!'\n<|>中é"), max_size=40) | st.lists(
    st.sampled_from([*SPECIAL, "ab", " ", "a", "!", "中", "\n"]), max_size=12
).map("".join)


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4", None])
@given(text=ANY_TEXT)
def test_cutting_at_every_safe_place_changes_no_ids(tokenizers, pattern, text):
    tokenizer = BPETokenizer(SPECIAL, pattern=pattern)
    tokenizer.train_exact("ab ab ba a1 b2 'a ! ab中中 " * 3, 256 + 3 + 8)
    cutter = Cutter(tokenizer.pattern, tokenizer.vocab.values(), SPECIAL)
    data = text.encode()
    borders = [0, *cutter.cuts(data).tolist(), len(data)]
    parts = [data[begin:end].decode() for begin, end in zip(borders, borders[1:])]
    assert [token_id for part in parts for token_id in tokenizer.encode(part)] == tokenizer.encode(text), parts


def test_there_are_cuts_without_a_pattern_too(tokenizers):
    tokenizer = tokenizers[None]
    cuts = Cutter(None, tokenizer.vocab.values()).cuts(TEXT.encode())
    assert len(cuts) > len(TEXT) / 1000


@pytest.mark.parametrize("pattern", ["gpt4", None])
def test_file_shards_hold_the_file_and_are_of_the_size_asked_for(tokenizers, corpus, pattern):
    tokenizer = tokenizers[pattern]
    shards = list(file_shards([corpus], Cutter(tokenizer.pattern, tokenizer.vocab.values(), [END]), SHARD))
    assert b"".join(shard.read() for shard in shards) == corpus.read_bytes()
    assert all(SHARD <= shard.size < 2 * SHARD for shard in shards[:-1])
    assert [bool(shard.document_ends) for shard in shards] == [False] * (len(shards) - 1) + [True]


@pytest.mark.timeout(60)
def test_a_special_token_may_be_longer_than_the_stretch_that_is_searched_for_a_cut(tmp_path):
    special = f"<{'x ' * 50_000}>"
    path = tmp_path / "corpus.txt"
    path.write_text(f"{'word ' * 40_000}{special}{'word ' * 40_000}")
    begin = path.read_text().index(special)
    shards = list(file_shards([path], Cutter(BPETokenizer(pattern="gpt4").pattern, (), [special]), SHARD))
    assert b"".join(shard.read() for shard in shards) == path.read_bytes()
    borders = np.cumsum([shard.size for shard in shards])
    assert len(borders) > 10
    assert not [border for border in borders if begin < border < begin + len(special)]


@given(st.lists(st.text("ab 1", max_size=60), max_size=10))
def test_document_shards_hold_the_documents(documents):
    shards = list(
        document_shards([(text, True) for text in documents], Cutter(BPETokenizer(pattern="gpt4").pattern), "test", 20)
    )
    found, text = [], b""
    for shard in shards:
        for part, is_complete in shard.documents(shard.read()):
            text += part
            if is_complete:
                found.append(text.decode())
                text = b""
    assert found == documents
    assert text == b""


def test_a_document_in_parts_has_the_ids_of_the_whole(tokenizer, tmp_path):
    path = tmp_path / "documents.txt.gz"
    text = "Größe 中文。 word " * 5000
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(f"one{END}{text}{END}two")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("g2c.corpus.documents._BLOCK", 1000)
        out = encode(tokenizer, path, tmp_path / "out", shard_bytes=3000)
    expected = [token_id for part in ("one", text, "two") for token_id in [*tokenizer.encode_fast(part), 256]]
    assert ids_of(out) == expected


# --- stopped and started again ----------------------------------------------------------------------------------------


class Stop(Exception):
    pass


def stop_after(monkeypatch, count: int, method: str = "add") -> None:
    """Make the work end with an error after so many shards."""
    original = getattr(encoding._Job, method)
    done = []

    def stopping(*arguments):
        if len(done) == count:
            raise Stop
        done.append(1)
        return original(*arguments)

    monkeypatch.setattr(encoding._Job, method, stopping)


@pytest.fixture
def stopped(tokenizer, corpus, tmp_path):
    """Work that stopped after seven shards; the function that goes on with it, and where."""
    out = tmp_path / "out"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Stop):
        stop_after(patch, 7)
        encode(tokenizer, corpus, out)
    return out


def encoded_shards(monkeypatch) -> list:
    """The shards that are encoded from now on."""
    shards = []
    original = encoding.shard_encoder

    def watching(settings):
        work = original(settings)

        def watched(shard):
            shards.append(shard)
            return work(shard)

        return watched

    monkeypatch.setattr(encoding, "shard_encoder", watching)
    return shards


def test_stopped_work_goes_on_at_the_next_shard(tokenizer, corpus, tmp_path, stopped, monkeypatch):
    assert not stopped.exists(), "an unfinished artifact must not look like a finished one"
    shards = encoded_shards(monkeypatch)
    out = encode(tokenizer, corpus, stopped)
    assert shards[0].text[1] > 7 * SHARD, "finished shards were encoded again"
    whole = encode(tokenizer, corpus, tmp_path / "whole")
    assert (out / "ids.uint32").read_bytes() == (whole / "ids.uint32").read_bytes()
    assert (out / "manifest.json").read_bytes() == (whole / "manifest.json").read_bytes()


def test_stopping_keeps_the_old_artifact(tokenizer, corpus, tmp_path, monkeypatch):
    out = encode(tokenizer, write(tmp_path / "old.txt", "old"), tmp_path / "out")
    stop_after(monkeypatch, 3)
    with pytest.raises(Stop):
        encode(tokenizer, corpus, out)
    assert ids_of(load_artifact(out).path) == tokenizer.encode("old")


@pytest.mark.parametrize("damage", ["half a shard more", "half a shard less", "other bytes", "half a line"])
def test_what_the_journal_does_not_vouch_for_is_done_again(tokenizer, corpus, stopped, damage):
    ids, journal = work_folder(stopped) / "ids.uint32", work_folder(stopped) / JOURNAL
    data = ids.read_bytes()
    if damage == "half a shard more":
        ids.write_bytes(data + b"\1" * 999)
    elif damage == "half a shard less":
        ids.write_bytes(data[:-999])
    elif damage == "other bytes":
        ids.write_bytes(data[: len(data) // 2] + b"\0" * (len(data) - len(data) // 2))
    else:
        journal.write_bytes(journal.read_bytes()[:-30])
    assert ids_of(encode(tokenizer, corpus, stopped)) == tokenizer.encode_fast(TEXT)


def test_a_corpus_that_changed_meanwhile_is_noticed(tokenizer, corpus, stopped):
    write(corpus, TEXT.replace("statement", "STATEMENT", 1))
    with pytest.raises(
        CorpusError,
        match="has changed since the encoding was interrupted: the text of .*corpus.txt, bytes 0 to .* is different",
    ):
        encode(tokenizer, corpus, stopped)
    out = encode(tokenizer, corpus, stopped, resume=False)
    assert ids_of(out) == tokenizer.encode_fast(corpus.read_text())


def test_documents_that_changed_meanwhile_are_noticed(tokenizer, tmp_path, monkeypatch):
    documents = list(topics.values())
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Stop):
        stop_after(patch, 7)
        encode(tokenizer, iter(documents), tmp_path / "out")
    with pytest.raises(CorpusError, match="has changed since"):
        encode(tokenizer, iter(documents[3:]), tmp_path / "out")
    with pytest.raises(CorpusError, match="it has become shorter"):
        encode(tokenizer, iter([]), tmp_path / "out")
    out = encode(tokenizer, iter(documents), tmp_path / "out")
    assert ids_of(out) == [token_id for text in documents for token_id in [*tokenizer.encode_fast(text), 256]]


def test_a_corpus_that_grows_meanwhile_is_noticed(tokenizer, corpus, stopped):
    write(corpus, TEXT + "more")
    with pytest.raises(CourseError, match="contains interrupted work with another corpus"):
        encode(tokenizer, corpus, stopped)


@pytest.mark.parametrize("other", ["tokenizer", "special", "append_separator", "shard_bytes"])
def test_stopped_work_of_another_kind_is_not_mixed(tokenizers, corpus, stopped, other):
    values = {"special": "ordinary", "append_separator": True, "shard_bytes": 999}
    options = {other: values[other]} if other in values else {}
    tokenizer = tokenizers["gpt2" if other == "tokenizer" else "gpt4"]
    with pytest.raises(CourseError, match=f"with another {other.replace('_', ' ')}"):
        encode(tokenizer, corpus, stopped, **options)
    out = encode(tokenizer, corpus, stopped, resume=False)
    assert ids_of(out) == tokenizer.encode_fast(TEXT)


def test_a_corpus_that_changes_while_it_is_encoded_is_noticed(tokenizer, corpus, tmp_path, monkeypatch):
    original = encoding._Job.add

    def add(*arguments):
        original(*arguments)
        os.utime(corpus, (1, 1))

    monkeypatch.setattr(encoding._Job, "add", add)
    with pytest.raises(CorpusError, match="was changed while it was being read"):
        encode(tokenizer, corpus, tmp_path / "out")


def in_a_process(tokenizer, corpus: Path, out: Path, *, limit: int = 0) -> subprocess.Popen:
    """Encode with two workers in another process, in which no file may become larger than `limit` bytes."""
    tokenizer_file = corpus.with_name("tokenizer.json")
    if not tokenizer_file.exists():
        save(tokenizer, tokenizer_file)
    code = f"""
import resource
if {limit}: resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
from g2c.corpus.encoding import encode_corpus
from g2c.tokenizer import load
tokenizer = load({str(tokenizer_file)!r})
encode_corpus(tokenizer, {str(corpus)!r}, {str(out)!r}, workers=2, shard_bytes={SHARD}, progress=False)
"""
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, start_new_session=True)


def test_ctrl_c_leaves_no_worker_and_can_go_on(tokenizer, corpus, tmp_path):
    out = tmp_path / "out"
    process = in_a_process(tokenizer, corpus, out)
    journal = work_folder(out) / JOURNAL
    while process.poll() is None and not (journal.exists() and journal.stat().st_size > 600):
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in errors and b"Worker" not in errors
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert ids_of(encode(tokenizer, corpus, out)) == tokenizer.encode_fast(TEXT)


def test_a_full_disk_loses_nothing(tokenizer, corpus, tmp_path):
    out = tmp_path / "out"
    process = in_a_process(tokenizer, corpus, out, limit=300_000)
    _, errors = process.communicate(timeout=60)
    last_line = errors.decode().strip().splitlines()[-1]
    assert "SavingError" in last_line and "Free some space" in last_line, last_line
    assert not out.exists()
    done = len((work_folder(out) / JOURNAL).read_bytes().splitlines()) - 1
    assert done >= 3
    assert ids_of(encode(tokenizer, corpus, out)) == tokenizer.encode_fast(TEXT)


@pytest.mark.parametrize("can_link", [True, False])
def test_the_finished_file_is_on_the_disk_also_where_files_cannot_be_linked(
    tokenizer, corpus, tmp_path, monkeypatch, can_link
):
    flushed: set[int] = set()
    fsync = os.fsync

    def flush(descriptor: int) -> None:
        flushed.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def refuse(*paths: Path) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "fsync", flush)
    if not can_link:
        monkeypatch.setattr(os, "link", refuse)
    ids = encode(tokenizer, corpus, tmp_path / "out") / "ids.uint32"
    assert ids.stat().st_ino in flushed
    assert ids_of(ids.parent) == tokenizer.encode_fast(TEXT)


def test_two_processes_do_not_write_into_one_folder(tokenizer, corpus, tmp_path):
    with encoding.working_folder(tmp_path / "out"):
        with pytest.raises(CourseError, match="Another process is already encoding"):
            encode(tokenizer, corpus, tmp_path / "out")


def test_a_damaged_line_of_the_journal_costs_only_what_follows(tokenizer, corpus, stopped, monkeypatch, capsys):
    journal = work_folder(stopped) / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]) + b"\0" * len(lines[4]) + b"\n" + b"".join(lines[5:]))
    shards = encoded_shards(monkeypatch)
    assert ids_of(encode(tokenizer, corpus, stopped, progress=True)) == tokenizer.encode_fast(TEXT)
    assert 3 * SHARD <= shards[0].text[1] < 4 * SHARD, "the work goes on after the third shard"
    assert "Line 5 of" in capsys.readouterr().err


def test_a_file_of_ids_that_disappears_meanwhile_is_noticed(tokenizer, corpus, tmp_path, monkeypatch):
    out = tmp_path / "out"
    original = encoding._Job.add

    def add(job, *arguments):
        original(job, *arguments)
        (work_folder(out) / "ids.uint32").unlink(missing_ok=True)

    with monkeypatch.context() as patch:
        patch.setattr(encoding._Job, "add", add)
        with pytest.raises(CourseError, match="Another program removed or changed .*ids.uint32"):
            encode(tokenizer, corpus, out)
    assert not out.exists()
    assert ids_of(encode(tokenizer, corpus, out)) == tokenizer.encode_fast(TEXT)


@pytest.mark.parametrize("at_the_end", [False, True])
def test_a_byte_of_the_ids_that_another_program_changes_meanwhile_is_noticed(
    tokenizer, corpus, tmp_path, monkeypatch, at_the_end
):
    out = tmp_path / "out"
    method = "place_ids" if at_the_end else "add"
    original = getattr(encoding._Job, method)

    def change_before(job, *arguments):
        if job.summary.count > 1000:
            monkeypatch.setattr(encoding._Job, method, original)
            # Not within the same tick of the clock of the file system.
            time.sleep(0.02)
            with (work_folder(out) / "ids.uint32").open("r+b") as file:
                file.write(b"\1")
        return original(job, *arguments)

    monkeypatch.setattr(encoding._Job, method, change_before)
    with pytest.raises(CourseError, match="Another program removed or changed .*ids.uint32"):
        encode(tokenizer, corpus, out)
    assert not out.exists()
    assert ids_of(encode(tokenizer, corpus, out)) == tokenizer.encode_fast(TEXT)


def test_what_is_in_the_journal_is_what_was_encoded(tokenizer, corpus, tmp_path, monkeypatch):
    """An edit of the same size between reading and writing a shard: neither the first run nor the next is wrong."""
    other = TEXT.replace("statement", "STATEMENT")
    original = encoding._Job.add

    def add(job, shard, result):
        write(corpus, other)
        original(job, shard, result)

    out = tmp_path / "out"
    with monkeypatch.context() as patch, pytest.raises(CorpusError):
        patch.setattr(encoding._Job, "add", add)
        encode(tokenizer, corpus, out)
    with pytest.raises(CorpusError, match="has changed since the encoding was interrupted"):
        encode(tokenizer, corpus, out)
    assert ids_of(encode(tokenizer, corpus, out, resume=False)) == tokenizer.encode_fast(other)


@pytest.mark.timeout(60)
def test_a_file_that_becomes_shorter_while_it_is_cut_is_an_error(tokenizer, tmp_path):
    path = write(tmp_path / "corpus.txt", "word " * 40_000)
    shards = file_shards([path], Cutter(tokenizer.pattern), SHARD)
    next(shards)
    os.truncate(path, SHARD // 2)
    with pytest.raises(CorpusError, match="corpus.txt became shorter while it was being read"):
        list(shards)


def test_refused_work_that_encoded_nothing_leaves_nothing_behind(tokenizer, corpus, tmp_path):
    write(corpus, b"\xff" * 100)
    with pytest.raises(CorpusError):
        encode(tokenizer, corpus, tmp_path / "out")
    assert not list(tmp_path.glob(".out.encoding/*"))


@pytest.mark.sample(4)
@pytest.mark.parametrize("character", ["é", "中", "😀"])
@pytest.mark.parametrize("before", range(4))
def test_characters_of_every_width_at_every_border(tokenizer, tmp_path, monkeypatch, character, before):
    """Windows, shards and parts that begin and end inside characters."""
    monkeypatch.setattr(shards, "_FIRST_WINDOW", 13)
    monkeypatch.setattr(shards, "_WINDOW", 17)
    text = "x" * before + f"{character * 9} word " * 60
    path = write(tmp_path / "corpus.txt", text)
    for size in (31, 32, 33, 34, 35):
        out = encode(tokenizer, path, tmp_path / f"out{size}", shard_bytes=size)
        assert ids_of(out) == tokenizer.encode_fast(text), size


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 30_000, -1])
@pytest.mark.parametrize("workers", [1, 2])
def test_bytes_that_are_not_utf8(tokenizer, corpus, tmp_path, place, workers):
    data = bytearray(TEXT.encode()[:60_000].decode(errors="ignore").encode())
    data[place] = 0xFF
    write(corpus, bytes(data))
    with pytest.raises(CorpusError, match=rf"corpus.txt is not UTF-8 text: byte {place % len(data)} \(0xff\)"):
        encode(tokenizer, corpus, tmp_path / "out", workers=workers)
    assert not (tmp_path / "out").exists()


def test_a_lone_surrogate_in_a_document(tokenizer, tmp_path):
    with pytest.raises(
        CorpusError, match=r"document 2 of documents contains a lone surrogate \(U\+D800\) at character 3"
    ):
        encode(tokenizer, iter(["fine", "not\ud800"]), tmp_path / "out")


def test_a_document_that_is_no_text(tokenizer, tmp_path):
    with pytest.raises(TypeError, match="document 2 of documents is of type bytes"):
        encode(tokenizer, iter(["fine", b"not"]), tmp_path / "out")


@pytest.mark.parametrize("workers", [1, 2])
def test_text_that_cannot_be_cut(tokenizers, tmp_path, workers, monkeypatch):
    monkeypatch.setattr(shards, "LONGEST_UNCUT", 4 << 20)
    path = write(tmp_path / "corpus.txt", b"a " * 20_000 + b"\0" * (shards.LONGEST_UNCUT + 2 * SHARD + 200_000))
    with pytest.raises(CorpusError, match="there is no offset at which the text can be cut.* Divide it into lines"):
        encode(tokenizers["gpt4"], path, tmp_path / "out", workers=workers)
    monkeypatch.setattr(shards, "LONGEST_DOCUMENT", 1000)
    with pytest.raises(
        CorpusError, match="in one document, which exceeds the limit of .* under which documents cannot be cut"
    ):
        encode(tokenizers[r"\S+|\s+"], path, tmp_path / "other")


def test_a_missing_file_and_what_is_no_corpus(tokenizer, tmp_path):
    with pytest.raises(CorpusError, match="nowhere.txt"):
        encode(tokenizer, tmp_path / "nowhere.txt", tmp_path / "out")
    with pytest.raises(CorpusError, match="nowhere.txt"):
        encode(tokenizer, [tmp_path / "nowhere.txt"], tmp_path / "out")
    with pytest.raises(TypeError, match="not of type bytes"):
        encode(tokenizer, b"text", tmp_path / "out")
    with pytest.raises(ValueError, match="'allow', 'ordinary' or None"):
        encode(tokenizer, ["text"], tmp_path / "out", special="none")
    with pytest.raises(ValueError, match="has no special token"):
        encode(BPETokenizer(), ["text"], tmp_path / "out", append_separator=True)
    with pytest.raises(ValueError, match="workers=0"):
        encode(tokenizer, ["text"], tmp_path / "out", workers=0)


def test_a_folder_with_other_files_is_not_replaced(tokenizer, corpus, tmp_path):
    (tmp_path / "out").mkdir()
    write(tmp_path / "out" / "thesis.tex", "my life's work")
    with pytest.raises(CourseError, match="thesis.tex"):
        encode(tokenizer, corpus, tmp_path / "out")


# --- workers ----------------------------------------------------------------------------------------------------------


def test_results_come_in_the_order_of_the_tasks():
    for workers in (1, 3):
        assert list(run(multiplying, 2, range(12), workers)) == [(task, 2 * task) for task in range(12)]


def test_errors_of_workers_are_told():
    with pytest.raises(CorpusError, match="fourteen"):
        list(run(multiplying, 2, [1, 2, 14, 3], 2))


PAGES = ["the <|endoftext|> of the page", "<|end|>", "<|endoftext|><|endoftext|>", "the end"]


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "stream"])
def test_a_page_that_contains_a_special_token_is_still_one_document(tmp_path, kind):
    tokenizer = BPETokenizer(["<|endoftext|>", "<|end|>"], pattern="gpt4")
    corpus = iter(PAGES)
    if kind == "jsonl":
        corpus = tmp_path / "pages.jsonl"
        corpus.write_text("".join(json.dumps({"text": page}) + "\n" for page in PAGES))
    elif kind == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        corpus = tmp_path / "pages.parquet"
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table({"text": PAGES}), corpus)
    artifact = load_artifact(encode_corpus(tokenizer, corpus, tmp_path / "out", progress=False))
    assert artifact.ids.tolist() == [token for page in PAGES for token in [*tokenizer.encode_ordinary(page), 256]]
    assert artifact.manifest["documents"]["count"] == len(PAGES)
