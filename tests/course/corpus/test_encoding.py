"""Encoding corpora: the IDs of encode whatever the shards and workers, after any stop; clear errors for bad input."""

import os
import shutil
import threading
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from g2c.common.errors import CorpusError, CourseError, SavingError
from g2c.common.files import sha256_of
from g2c.corpus import encoding, shards
from g2c.corpus.documents import corpus_input
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.shards import cut_into_shards
from g2c.corpus.unfinished import JOURNAL, unfinished_work
from g2c.corpus.verify import verify
from g2c.course import cli
from g2c.engine.parts import Cutter, cuts_under
from g2c.formats.tokenizer_json import save
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact
from support.corpus_files import stopped_after, write_documents
from support.scarce import full_disk

END = "<|endoftext|>"
TEXT = "\n\n".join(topics[name] for name in sorted(topics))
PATTERNS = ["gpt2", "gpt4", None, r"\w+\W?|\W"]
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


def work_folder(out: Path) -> Path:
    return out.with_name(f".{out.name}.encoding")


# --- the right IDs ----------------------------------------------------------------------------------------------------


def test_the_artifact_says_what_it_is_whatever_the_number_of_workers(tokenizer, corpus, tmp_path):
    one = encode(tokenizer, corpus, tmp_path / "one", train={"algorithm": "train_exact"})
    many = encode(tokenizer, corpus, tmp_path / "many", train={"algorithm": "train_exact"}, workers=5)
    for name in ("ids.uint32", "manifest.json", "tokenizer.json"):
        assert (one / name).read_bytes() == (many / name).read_bytes(), name
    artifact = load_artifact(many)
    assert artifact.tokenizer.merges == tokenizer.merges
    assert artifact.ids.tolist() == tokenizer.encode_fast(TEXT)
    data = corpus.read_bytes()
    assert artifact.manifest["corpus"] == {"name": "corpus.txt", "bytes": len(data), "sha256": sha256_of(data)}
    assert artifact.manifest["train"] == {"algorithm": "train_exact"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt", "many", "one"]


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        *((pattern, "stream") for pattern in PATTERNS),
        *(("gpt4", name) for name in ("work.jsonl", "work.jsonl.gz", "work.parquet")),
    ],
)
def test_documents_are_encoded_by_themselves_and_separated(tokenizers, tmp_path, pattern, kind):
    """Special tokens in a document are text: it is still one document."""
    tokenizer = tokenizers[pattern]
    documents = ["one ", " two\n", "", "x's", "'s", f"the {END} of it", "<|end|>", f"{END}{END}", *topics.values()][:40]
    corpus = iter(documents) if kind == "stream" else write_documents(tmp_path / kind, documents)
    artifact = load_artifact(encode(tokenizer, corpus, tmp_path / "out"))
    found = [text for text in documents if text or kind == "stream"]
    assert artifact.ids.tolist() == [i for text in found for i in [*tokenizer.encode_ordinary_fast(text), 256]]
    assert artifact.manifest["documents"] == {"count": sum(map(bool, documents)), "separator_id": 256}


@pytest.mark.parametrize("pattern", [None, "gpt4"])
def test_several_text_files_are_one_document_each(tokenizers, tmp_path, pattern):
    """Across their borders, there would be other tokens; `verify` accepts that."""
    texts = ["of th", "", "e other", TEXT[:50_000]]
    names = ["a.txt", "b.txt", os.fsdecode(b"\xff\x1b[2J.txt"), "c.txt"]
    paths = [write(tmp_path / name, text) for name, text in zip(names, texts)]
    out = encode(tokenizers[pattern], [paths[2], *paths], tmp_path / "out", train={"algorithm": "train_exact"})
    ids = [tokenizers[pattern].encode_fast(text) for text in [texts[2], *texts]]
    assert ids_of(out) == [token_id for several in ids for token_id in several]
    assert load_artifact(out).manifest["corpus"]["name"] == r"5 files, \udcff\x1b[2J.txt to c.txt"
    assert [check for check in verify(out) if check.passed is False] == []


@pytest.mark.parametrize("kind", ["a.jsonl", "a.txt.gz", "a.parquet"])
def test_several_files_of_documents_are_read_as_a_folder_of_them(tokenizer, tmp_path, kind):
    folder = tmp_path / "all"
    folder.mkdir()
    paths = [write_documents(folder / f"{part}{kind}", [f"{part} one", f"{part} two"]) for part in "xy"]
    found = ids_of(encode(tokenizer, paths, tmp_path / "files"))
    assert found == ids_of(encode(tokenizer, folder, tmp_path / "folder")) and found.count(256) == 4


def test_the_manifest_says_which_column_the_documents_are_in(tokenizer, tmp_path):
    corpus = write(tmp_path / "work.jsonl", '{"text": "-", "body": "one"}\n{"text": "-", "body": "two words"}\n')
    save(tokenizer, tmp_path / "tokenizer.json")
    command = ["encode", str(tmp_path / "tokenizer.json"), str(corpus), "--output", str(tmp_path / "out")]
    assert cli.main([*command, "--column", "body"]) == 0
    artifact = load_artifact(tmp_path / "out")
    assert artifact.tokenizer.decode(artifact.ids) == f"one{END}two words{END}"
    assert artifact.manifest["corpus"]["column"] == "body"


@pytest.mark.parametrize("name", ["page.csv", "notes", "page.html.gz"])
def test_a_file_of_another_kind_is_text_only_if_that_is_asked_for(tokenizer, tmp_path, name, capsys):
    save(tokenizer, tmp_path / "tokenizer.json")
    corpus = write(tmp_path / name, f"id,words{END}\n")
    output = ["--output", str(tmp_path / "out")]
    for command in (["encode", str(tmp_path / "tokenizer.json")], ["train", "--vocab-size", "300"]):
        assert cli.main([*command, str(corpus), *output]) == 1
        assert f"{name} has an unknown file type" in (told := capsys.readouterr().err) and "give --text" in told
        assert cli.main([*command, str(corpus), *output, "--text"]) == 0
        artifact = load_artifact(tmp_path / "out")
        assert artifact.tokenizer.decode(artifact.ids) == f"id,words{END}\n"


@pytest.mark.parametrize("name", ["work.jsonl", "work.jsonl.gz", "work.parquet", "folder"])
def test_a_report_says_how_much_of_the_files_is_read_and_how_many_documents(tokenizer, tmp_path, name):
    corpus, reports = write_documents(tmp_path / name, list(topics.values())), []
    source = corpus_input(corpus)
    encode(tokenizer, source, tmp_path / "out")  # `g2c train` reads its corpus twice.
    encode(tokenizer, source, tmp_path / "out", progress=reports.append)
    done = [report.done for report in reports]
    size = sum(file.stat().st_size for file in (corpus.iterdir() if corpus.is_dir() else [corpus]))
    assert done == sorted(done) and done[-1] == size and {report.total for report in reports} == {size}
    assert 0 < done[0] < size or name.endswith("gz"), "a small file is read at once"
    assert reports[-1].documents == len(topics) and reports[0].documents < 20


# --- cuts and shards --------------------------------------------------------------------------------------------------

SPECIAL = ["<|a", "<|a|>", "ab ba", "a1b2", "界"]
"""Of those that begin alike, the longest is the special token, wherever the text is cut."""
ANY_TEXT = st.text(st.sampled_from("ab1 2!'\n<|>中é"), max_size=40) | st.lists(
    st.sampled_from([*SPECIAL, "ab", " ", "a", "!", "中", "\n"]), max_size=12
).map("".join)


@pytest.fixture(scope="module")
def small_tokenizers() -> dict[str | None, BPETokenizer]:
    trained = {}
    for pattern in PATTERNS:
        trained[pattern] = BPETokenizer(SPECIAL, pattern=pattern)
        trained[pattern].train_exact("ab ab ba a1 b2 'a ! ab中中 " * 3, trained[pattern].base_vocab_size + 8)
    return trained


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4", None])
@given(text=ANY_TEXT)
def test_cutting_at_every_safe_place_changes_no_ids(small_tokenizers, pattern, text):
    tokenizer = small_tokenizers[pattern]
    cutter = Cutter(cuts_under(tokenizer.pattern, tokenizer.vocab.values()), SPECIAL)
    data = text.encode()
    borders = [0, *cutter.cuts(data).tolist(), len(data)]
    parts = [data[begin:end].decode() for begin, end in zip(borders, borders[1:])]
    assert [token_id for part in parts for token_id in tokenizer.encode(part)] == tokenizer.encode(text), parts


@given(ANY_TEXT.filter(bool), st.integers(1, 50), st.sampled_from(["allow", "ordinary"]), st.sampled_from(PATTERNS))
@example("\ufeff a\r\ntwo\rthree\n\0b\0\0c", 5, "allow", "gpt4")
def test_any_text_has_the_ids_of_encode_whatever_the_size_of_shards(
    small_tokenizers, tmp_path_factory, text, size, special, pattern
):
    tokenizer = small_tokenizers[pattern]
    folder = tmp_path_factory.mktemp("any")
    out = encode(tokenizer, write(folder / "a.txt", text), folder / "out", shard_bytes=size, special=special)
    assert ids_of(out) == (tokenizer.encode if special == "allow" else tokenizer.encode_ordinary)(text)
    assert tokenizer.decode(ids_of(out)) == text


@pytest.mark.parametrize("pattern", ["gpt4", None])
def test_shards_of_a_file_hold_it_and_are_of_the_size_asked_for(tokenizers, corpus, pattern):
    tokenizer = tokenizers[pattern]
    cutter = Cutter(cuts_under(tokenizer.pattern, tokenizer.vocab.values()), [END])
    shards = list(cut_into_shards(corpus_input(corpus), cutter, b"", SHARD))
    assert b"".join(shard.text for shard in shards) == corpus.read_bytes()
    assert len(shards) > 20 and all(0.9 * SHARD < len(shard.text) < 1.1 * SHARD for shard in shards[:-1])
    assert [shard.ends for shard in shards] == [[]] * (len(shards) - 1) + [[len(shards[-1].text)]]


# --- stopped and started again ----------------------------------------------------------------------------------------


@pytest.fixture
def stopped(tokenizer, corpus, tmp_path):
    """Work that stopped after seven shards; where it is."""
    out = tmp_path / "out"
    with stopped_after(7):
        encode(tokenizer, corpus, out)
    return out


def begin_of(shard) -> int:
    """The offset at which a shard of the corpus begins."""
    return TEXT.encode().index(shard.text)


def encoded_shards(monkeypatch) -> list:
    """The shards that are encoded from now on."""
    shards = []
    original = encoding.shard_encoder

    def watching(*settings):
        work = original(*settings)
        return lambda shard: shards.append(shard) or work(shard)

    monkeypatch.setattr(encoding, "shard_encoder", watching)
    return shards


def test_stopped_work_continues_at_the_next_shard(tokenizer, corpus, tmp_path, stopped, monkeypatch):
    assert not stopped.exists(), "an unfinished artifact must not look like a finished one"
    shards, reports = encoded_shards(monkeypatch), []
    out = encode(tokenizer, corpus, stopped, progress=reports.append)
    assert begin_of(shards[0]) > 6.5 * SHARD, "finished shards were encoded again"
    assert reports[6].done == begin_of(shards[0]), "a report for each finished shard comes first"
    whole = encode(tokenizer, corpus, tmp_path / "whole")
    assert (out / "ids.uint32").read_bytes() == (whole / "ids.uint32").read_bytes()
    assert (out / "manifest.json").read_bytes() == (whole / "manifest.json").read_bytes()


def test_documents_that_changed_meanwhile_are_noticed(tokenizer, tmp_path):
    documents = list(topics.values())
    with stopped_after(7):
        encode(tokenizer, iter(documents), tmp_path / "out")
    with pytest.raises(CorpusError, match="The corpus has changed since the encoding was interrupted"):
        encode(tokenizer, iter(documents[3:]), tmp_path / "out")
    with pytest.raises(CorpusError, match="has changed since"):
        encode(tokenizer, iter([]), tmp_path / "out")
    out = encode(tokenizer, iter(documents), tmp_path / "out")
    assert ids_of(out) == [token_id for text in documents for token_id in [*tokenizer.encode_fast(text), 256]]


@pytest.mark.parametrize("other", ["tokenizer", "special", "shard bytes"])
def test_stopped_work_of_another_kind_is_not_mixed(tokenizers, corpus, stopped, other):
    options = {"special": "ordinary", "shard_bytes": 999}
    options = {name: value for name, value in options.items() if name == other.replace(" ", "_")}
    tokenizer = tokenizers["gpt2" if other == "tokenizer" else "gpt4"]
    with pytest.raises(CourseError, match=f"with another {other}"):
        encode(tokenizer, corpus, stopped, **options)
    assert ids_of(encode(tokenizer, corpus, stopped, resume=False)) == tokenizer.encode_fast(TEXT)


def test_ctrl_c_leaves_no_worker_and_can_go_on(tokenizer, corpus, tmp_path):
    """The interruption comes after seven shards, while two workers are busy with the next ones."""
    reports, before = [], threading.active_count()

    def interrupt(report):
        reports.append(report)
        if len(reports) == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode(tokenizer, corpus, tmp_path / "out", workers=2, progress=interrupt)
    assert threading.active_count() == before
    assert len((work_folder(tmp_path / "out") / JOURNAL).read_bytes().splitlines()) == 8
    assert ids_of(encode(tokenizer, corpus, tmp_path / "out")) == tokenizer.encode_fast(TEXT)


def test_a_full_disk_loses_nothing(tokenizer, corpus, tmp_path):
    out = tmp_path / "out"
    with full_disk(300_000), pytest.raises(SavingError, match="Free some space"):
        encode(tokenizer, corpus, out)
    assert not out.exists()
    done = len((work_folder(out) / JOURNAL).read_bytes().splitlines()) - 1
    assert done >= 3
    assert ids_of(encode(tokenizer, corpus, out)) == tokenizer.encode_fast(TEXT)


def test_two_processes_do_not_write_into_one_folder(tokenizer, corpus, tmp_path):
    with unfinished_work(tmp_path / "out", {}, tokenizer):
        with pytest.raises(CourseError, match="Another process is already encoding"):
            encode(tokenizer, corpus, tmp_path / "out")


def test_refused_work_that_encoded_nothing_leaves_nothing_behind(tokenizer, corpus, tmp_path):
    write(corpus, b"\xff" * 100)
    with pytest.raises(CorpusError):
        encode(tokenizer, corpus, tmp_path / "out")
    assert not list(tmp_path.glob(".out.encoding/*"))


def test_an_artifact_may_be_a_link_to_a_folder_elsewhere(tokenizer, corpus, tmp_path):
    (tmp_path / "elsewhere" / "real").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "real")
    out = encode(tokenizer, corpus, tmp_path / "link")
    assert out.is_symlink() and ids_of(tmp_path / "elsewhere" / "real") == tokenizer.encode_fast(TEXT)
    assert os.listdir(tmp_path / "elsewhere") == ["real"]


def longer(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\n")


def of_the_same_time(file: Path) -> None:
    status = file.stat()
    file.write_bytes(file.read_bytes().replace(b"o", b"0"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("change", [longer, of_the_same_time])
@pytest.mark.parametrize("name", ["corpus.txt", "work.jsonl", "folder"])
def test_a_corpus_that_changes_while_it_is_read_is_noticed(tokenizer, tmp_path, name, change):
    corpus = write_documents(tmp_path / name, list(topics.values())[:60])
    file = next(corpus.iterdir()) if corpus.is_dir() else corpus
    with pytest.raises(CorpusError, match=f"The corpus {name} was changed while it was being read.*--again"):
        encode(tokenizer, corpus, tmp_path / "out", progress=lambda _: change(file))
    assert not (tmp_path / "out").exists()


def test_the_finished_file_is_on_the_disk(tokenizer, corpus, tmp_path, monkeypatch):
    flushed: set[int] = set()
    fsync = os.fsync

    def flush(descriptor: int) -> None:
        flushed.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", flush)
    ids = encode(tokenizer, corpus, tmp_path / "out") / "ids.uint32"
    assert ids.stat().st_ino in flushed


@pytest.mark.parametrize(("name", "removed"), [("ids.uint32", 999), (JOURNAL, 30)])
def test_what_a_power_failure_took_is_encoded_again_and_nothing_else(
    tokenizer, corpus, stopped, monkeypatch, name, removed
):
    path = work_folder(stopped) / name
    path.write_bytes(path.read_bytes()[:-removed])
    shards = encoded_shards(monkeypatch)
    assert ids_of(encode(tokenizer, corpus, stopped)) == tokenizer.encode_fast(TEXT)
    assert 5.5 * SHARD < begin_of(shards[0]) < 6.5 * SHARD


def test_whatever_is_damaged_between_two_runs_the_ids_are_right(tokenizer, corpus, stopped, tmp_path):
    work, kept, expected = work_folder(stopped), tmp_path / "kept", tokenizer.encode_fast(TEXT)
    work.rename(kept)

    def check(name, content):
        shutil.copytree(kept, work)
        (work / name).write_bytes(content)
        assert ids_of(encode(tokenizer, corpus, stopped)) == expected

    @given(st.sampled_from([JOURNAL, "ids.uint32"]), st.floats(0, 1), st.integers(0, 500), st.binary(max_size=9))
    def check_bytes(name, place, removed, new):
        data = (kept / name).read_bytes()
        begin = int(place * len(data))
        check(name, data[:begin] + new + data[begin + removed :])

    check_bytes()
    lines = (kept / JOURNAL).read_bytes().splitlines(keepends=True)
    for changed in (lines[1:], [lines[0], *lines], [*lines, lines[-1]]):
        check(JOURNAL, b"".join(changed))


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 30_000, -1])
def test_bytes_that_are_not_utf8(tokenizer, corpus, tmp_path, place):
    data = bytearray(TEXT.encode()[:60_000].decode(errors="ignore").encode())
    data[place] = 0xFF
    write(corpus, bytes(data))
    with pytest.raises(CorpusError, match=rf"corpus.txt is not UTF-8 text: byte {place % len(data)} \(0xff\)"):
        encode(tokenizer, corpus, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_documents_that_are_not_text(tokenizer, tmp_path):
    message = r"document 2 of documents contains a lone surrogate \(U\+D800\) at character 3"
    with pytest.raises(CorpusError, match=message):
        encode(tokenizer, iter(["fine", "not\ud800"]), tmp_path / "out")
    with pytest.raises(TypeError, match="document 2 of documents is of type bytes"):
        encode(tokenizer, iter(["fine", b"not"]), tmp_path / "out")


@pytest.mark.parametrize("pattern", ["gpt4", PATTERNS[-1]])
def test_text_that_cannot_be_cut(tokenizers, tmp_path, monkeypatch, pattern):
    monkeypatch.setattr(shards, "MAX_UNCUT_BYTES", 1 << 20)
    monkeypatch.setattr(shards, "MAX_UNCUT_BYTES_OF_OTHER_PATTERNS", 1 << 20)
    path = write(tmp_path / "corpus.txt", b"a " * 20_000 + b"\0" * (shards.MAX_UNCUT_BYTES + 2 * SHARD + 200_000))
    with pytest.raises(CorpusError, match="there is no offset at which the text can be cut.* Divide it into lines"):
        encode(tokenizers[pattern], path, tmp_path / "out")


def test_a_missing_file_and_what_is_not_a_corpus(tokenizer, tmp_path):
    for name in ("corpus.txt", "work.jsonl"):
        with pytest.raises(CorpusError, match=f"There is no document in {name}: every file in it is empty"):
            encode(tokenizer, write(tmp_path / name, ""), tmp_path / "out")
    with pytest.raises(CorpusError, match="nowhere.txt"):
        encode(tokenizer, tmp_path / "nowhere.txt", tmp_path / "out")
    with pytest.raises(CorpusError, match="no file or folder 'pydocs'; the named corpora, each given alone, are"):
        encode(tokenizer, [Path("pydocs"), tmp_path / "nowhere.txt"], tmp_path / "out")
    with pytest.raises(TypeError, match="not of type bytes"):
        encode(tokenizer, b"text", tmp_path / "out")
    with pytest.raises(ValueError, match="'allow', 'ordinary' or None"):
        encode(tokenizer, ["text"], tmp_path / "out", special="none")
    with pytest.raises(ValueError, match="workers=0"):
        encode(tokenizer, ["text"], tmp_path / "out", workers=0)
