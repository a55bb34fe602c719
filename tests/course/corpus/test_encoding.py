"""Encoding corpora: the IDs of encode whatever the batches and workers; after any stop, the old artifact or the new."""

import os
import threading
from pathlib import Path
from pydoc_data.topics import topics

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coach.common.errors import SavingError
from coach.common.files import sha256_of
from g2c.common.errors import CorpusError
from g2c.corpus import batches
from g2c.corpus.documents import CorpusInput
from g2c.corpus.encoding import encode_corpus
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact, save_artifact
from g2c.tokenizer.patterns import PATTERNS
from support.corpus_files import write_documents
from support.scarce import full_disk
from support.tokenizer_files import state, trained

END = "<|endoftext|>"
TEXT = "\n\n".join(topics[name] for name in sorted(topics))
TOKENIZER = trained("gpt4")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """Some thirty for `TEXT`."""
    monkeypatch.setattr(batches, "BATCH_BYTES", 20_000)


@pytest.fixture
def corpus(tmp_path) -> Path:
    return write_documents(tmp_path / "corpus.txt", [TEXT])


def encode(tokenizer, corpus, out, **options) -> Path:
    return encode_corpus(tokenizer, corpus, out, **{"workers": 1, "progress": False, **options})


def ids_of(folder: Path) -> list[int]:
    return load_artifact(folder).ids.tolist()


def test_the_artifact_says_what_it_is_whatever_the_number_of_workers(corpus, tmp_path):
    one = encode(TOKENIZER, corpus, tmp_path / "one", train={"algorithm": "train_exact"})
    many = encode(TOKENIZER, corpus, tmp_path / "many", train={"algorithm": "train_exact"}, workers=5)
    for file in one.iterdir():
        assert file.read_bytes() == (many / file.name).read_bytes(), file.name
    tokenizer, ids, manifest, _ = load_artifact(many)
    assert (state(tokenizer), ids.tolist()) == (state(TOKENIZER), TOKENIZER.encode_fast(TEXT))
    data = corpus.read_bytes()
    assert manifest["corpus"] == {"name": "corpus.txt", "bytes": len(data), "sha256": sha256_of(data)}
    assert manifest["train"] == {"algorithm": "train_exact"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt", "many", "one"]


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [*((pattern, "stream") for pattern in ("gpt2", None, r"\w+\W?|\W")), ("gpt4", "a.jsonl"), ("gpt4", "a.parquet")],
)
def test_documents_are_encoded_by_themselves_and_separated(tmp_path, pattern, kind):
    """Special tokens in a document are text: it is still one document."""
    tokenizer = trained(pattern)
    documents = ["one ", " two\n", "", "x's", "'s", f"the {END} of it", "<|end|>", f"{END}{END}", *topics.values()][:40]
    given_documents = list(documents)
    corpus = given_documents if kind == "stream" else write_documents(tmp_path / kind, documents)
    artifact = load_artifact(encode(tokenizer, corpus, tmp_path / "out"))
    found = [text for text in documents if text or kind == "stream"]
    assert artifact.ids.tolist() == [i for text in found for i in [*tokenizer.encode_ordinary_fast(text), 256]]
    assert artifact.manifest["documents"] == {"count": sum(map(bool, documents)), "separator_id": 256}
    assert given_documents == documents, "the caller's list has changed"


@pytest.mark.parametrize("name", ["work.jsonl", "work.parquet", "folder"])
def test_a_report_says_how_much_of_the_files_is_read(tmp_path, name):
    corpus, reports = write_documents(tmp_path / name, list(topics.values())), []
    source = CorpusInput(corpus)
    encode(TOKENIZER, source, tmp_path / "out")  # `g2c train` reads its corpus twice.
    encode(TOKENIZER, source, tmp_path / "out", progress=reports.append)
    done = [report.done for report in reports]
    size = sum(file.stat().st_size for file in (corpus.iterdir() if corpus.is_dir() else [corpus]))
    assert done == sorted(done) and 0 < done[0] < done[-1] == size and {report.total for report in reports} == {size}


SPECIAL = ["<|a", "<|a|>", "ab ba", "a1b2", "界"]
"""Of those that begin alike, the longest is the special token, wherever the text is cut."""
ANY_TEXT = st.text(st.sampled_from("ab1 2!'\n<|>中é、"), max_size=40) | st.lists(
    st.sampled_from([*SPECIAL, "ab", " ", "a", "!", "中", "\n"]), max_size=12
).map("".join)


@settings(max_examples=100)
@given(
    ANY_TEXT.filter(bool),
    st.integers(1, 50),
    st.sampled_from([*PATTERNS, None, r"\w+\W?|\W"]),
)
@example("a \n b\n\nc中、中。!\n x", 3, "gpt4")
@example(" a\r\ntwo\rthree\n\0b\0\0c", 5, "gpt4")
@example("ab ab ba a1 b2 " * 3, 9, None)
@example("one two ab ba three <|a|> ab ba four\n" * 3, 9, "gpt2")
def test_any_text_has_the_ids_of_encode_whatever_the_size_of_batches(tmp_path_factory, text, size, pattern):
    tokenizer = BPETokenizer(SPECIAL, pattern=pattern)
    tokenizer.train_exact("ab ab ba a1 b2 'a ! ab中中 " * 3, tokenizer.base_vocab_size + 8)
    folder = tmp_path_factory.mktemp("any")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "BATCH_BYTES", size)
        out = encode(tokenizer, write_documents(folder / "a.txt", [text]), folder / "out")
    assert ids_of(out) == tokenizer.encode(text)
    assert tokenizer.decode(ids_of(out)) == text


@pytest.fixture
def old(tmp_path) -> Path:
    """An artifact that is there already."""
    return save_artifact(TOKENIZER, tmp_path / "out", [97])


def assert_nothing_has_changed(old: Path) -> None:
    assert ids_of(old) == [97]
    assert list(old.parent.glob(".*")) == []


def test_after_ctrl_c_no_worker_is_left_and_the_old_artifact_is_there(corpus, old):
    """The interruption comes after seven batches, while two workers are busy with the next ones."""
    reports, before = [], threading.active_count()

    def interrupt(report):
        reports.append(report)
        if len(reports) == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode(TOKENIZER, corpus, old, workers=2, progress=interrupt)
    assert threading.active_count() == before
    assert_nothing_has_changed(old)
    assert ids_of(encode(TOKENIZER, corpus, old)) == TOKENIZER.encode_fast(TEXT)


@pytest.mark.parametrize("name", ["corpus.txt", "work.jsonl", "work.parquet", "folder"])
def test_a_full_disk_or_a_corpus_that_changes_while_it_is_read_leaves_the_old_artifact(tmp_path, old, name):
    corpus = write_documents(tmp_path / name, list(topics.values())[:60])
    file = next(corpus.iterdir()) if corpus.is_dir() else corpus
    source = CorpusInput(corpus)
    with full_disk(50_000), pytest.raises(SavingError, match="Free some space"):
        encode(TOKENIZER, source, old)
    os.utime(file, (0, 0))
    with pytest.raises(CorpusError, match=f"{file.name} was changed while it was being read. Start again"):
        encode(TOKENIZER, source, old)
    assert_nothing_has_changed(old)


@pytest.mark.parametrize("place", [0, 30_000, -1])
def test_bytes_that_are_not_utf8(corpus, old, place):
    data = bytearray(TEXT.encode()[:60_000].decode(errors="ignore").encode())
    data[place] = 0xFF
    corpus.write_bytes(data)
    with pytest.raises(CorpusError, match=rf"corpus.txt is not UTF-8 text: byte {place % len(data)} \(0xff\)"):
        encode(TOKENIZER, corpus, old)
    assert_nothing_has_changed(old)


def test_what_is_not_a_corpus_is_refused_in_a_sentence(tmp_path):
    for corpus, error, problem in (
        (write_documents(tmp_path / "corpus.txt", [""]), CorpusError, "no document in corpus.txt: it is empty"),
        (write_documents(tmp_path / "work.jsonl", []), CorpusError, "no document in work.jsonl: it is empty"),
        (tmp_path / "nowhere.txt", CorpusError, "There is no file or folder .*nowhere.txt"),
        (iter([]), CorpusError, "no document in documents: it is empty, or an iterator that was read before"),
        (b"text", TypeError, "Document 1 of documents: .* is of type int"),
        (iter(["fine", "not\ud800"]), ValueError, r"Document 2 of documents: .* lone surrogate \(U\+D800\) at .* 3"),
        (iter(["fine", b"not"]), TypeError, "Document 2 of documents: .* is of type bytes"),
    ):
        with pytest.raises(error, match=problem):
            encode(TOKENIZER, corpus, tmp_path / "out")
    with pytest.raises(ValueError, match="workers=0"):
        encode(TOKENIZER, ["text"], tmp_path / "out", workers=0)
    assert not (tmp_path / "out").exists()
