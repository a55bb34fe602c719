"""Corpora: what is in the table, what `load_corpus` checks, and what `documents` makes of files, valid or not."""

import tracemalloc
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coach.common.files import sha256_of
from g2c.common.errors import CorpusError
from g2c.common.text import Corpus
from g2c.corpus import documents as documents_module
from g2c.corpus.corpora import CORPORA, TABLES, Dataset, RemoteFile, corpus_files, corpus_is_here, load_corpus
from g2c.corpus.documents import documents
from support.corpus_files import write_documents

TEXT = "To be, or not to be: that is the question.\nNaïve? Ünïcode, 你好 👋\n"
END = "<|endoftext|>"


@pytest.fixture
def data(tmp_path, monkeypatch):
    """An empty data folder."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("G2C_DATA", str(folder))
    return folder


def test_nearly_every_file_has_a_published_checksum_and_pydocs_is_always_there():
    sources = {source for entry in [*CORPORA.values(), *TABLES.values()] for source in entry.files}
    assert [source.file for source in sources if source.sha256 is None] == ["fineweb-edu-shuffled-00000.parquet"]
    corpus = load_corpus("pydocs")
    assert corpus.size == len(corpus.text.encode()) > 300_000
    assert corpus_is_here("pydocs") and corpus_files("pydocs") == []
    assert "\n\n".join(documents("pydocs")) == corpus.text


def test_a_corpus_is_the_published_file_character_for_character_or_replaced_with_a_warning(data, monkeypatch):
    content = TEXT.encode()
    source = RemoteFile("play.txt", "https://example.org/play.txt", len(content), sha256_of(content))
    monkeypatch.setitem(CORPORA, "play", Dataset("a play", (source,)))

    for found, problem in ((None, "play is not here .*missing.*"), (content + b"More.", "not the published file.*")):
        if found:
            (data / "play.txt").write_bytes(found)
        with pytest.raises(CorpusError, match=rf"{problem}\./datasets\.sh play"):
            load_corpus("play")
        with pytest.warns(UserWarning, match=rf"uses the corpus pydocs instead.*{problem}\./datasets\.sh play"):
            assert load_corpus("play", fallback="pydocs").name == "pydocs"
    (data / "play.txt").write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_corpus("play", fallback="pydocs") == Corpus("play", TEXT, len(content), source.sha256)


def test_g2c_is_the_full_corpus_when_it_is_there_and_else_the_small_one(data):
    with pytest.raises(CorpusError, match=r"g2c is not here.*\./datasets\.sh g2c"):
        next(documents("g2c"))
    for source in CORPORA["g2c-full"].files:
        (data / source.file).write_bytes(b"x")
    with pytest.raises(CorpusError, match=r"use documents\('g2c'\)"):
        load_corpus("g2c")
    with pytest.raises(CorpusError, match="no corpus named 'shakespeer'.*tinyshakespeare, pydocs"):
        load_corpus("shakespeer")


KEPT = ["the end", "the\0end\0", "a\r\nb\rc", "\x01\x1a\x7f\x85\u2028", "\ufffe\U0001ffff", "e\u0301 é", "<|end|>"]


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.parquet"])
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1))
@example(texts=KEPT)
def test_every_kind_of_file_gives_the_documents_character_for_character(tmp_path_factory, name, texts):
    if name == "a.txt":
        # Line ends around a separator belong to it.
        texts = [text.strip("\r\n").replace(END, "") for text in texts]
    path = write_documents(tmp_path_factory.getbasetemp() / name, texts)
    if expected := [text for text in texts if text]:
        assert list(documents(path)) == expected
    else:
        with pytest.raises(CorpusError, match="There is no document in"):
            list(documents(path))


@given(
    st.lists(st.sampled_from(["\n", "\r", END, END[:7], "你", "👋", "a"]), max_size=12).map("".join),
    st.sampled_from([1, 2, 3, 13, 14, 99]),
)
def test_a_text_is_split_at_separators_wherever_blocks_end(tmp_path_factory, text, block):
    first, *rest = text.split(END)
    trimmed = [first, *(part.lstrip("\r\n") for part in rest)]
    expected = [part.rstrip("\r\n") for part in trimmed[:-1]] + trimmed[-1:]
    path = tmp_path_factory.getbasetemp() / "blocks.txt"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents_module, "_READ_BYTES", block)
        if any(expected):
            assert list(documents(path)) == [part for part in expected if part]


def test_of_a_parquet_file_only_a_part_is_in_memory(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow: pip install -e '.[corpora]'")
    # Two kilobytes that stand for 500 MB.
    texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 5000, "int32"), ["a" * 100_000])
    options = {"compression": "zstd", "store_schema": False, "write_statistics": False}
    path = write_documents(tmp_path / "web.parquet", texts, **options)
    tracemalloc.start()
    assert sum(1 for _ in documents(path)) == 5000
    peak = tracemalloc.get_traced_memory()[1] + pyarrow.default_memory_pool().max_memory()
    tracemalloc.stop()
    assert peak < 50_000_000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"text": "x"}\n{"text": \n', r"a\.jsonl, line 2: not valid JSON"),
        ("a.jsonl", b'{"text": null}', r'a\.jsonl, line 1: not a JSON object whose "text" is a string\.'),
        ("a.jsonl", b'{"text": "x"}\n\n{"body": "x", "n": 1}', r"line 3: .* is a string\. docs/corpora.md shows"),
        ("a.jsonl", b'{"text": "x"}\n{"text": "\xff"}\n', r"a\.jsonl, line 2: not valid JSON .*0xff"),
        ("a.txt", b"\n<|endoftext|>\n", "There is no document in"),
        ("a.jsonl.gz", b"text", r"a\.jsonl\.gz is of another kind: a corpus is a \.txt, .*docs/corpora.md shows how"),
    ],
)
def test_a_bad_file_is_refused_with_the_place(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=message) as error:
        list(documents(tmp_path / name))
    assert "\n" not in str(error.value)


def test_a_bad_parquet_file_is_refused_with_the_row(tmp_path):
    path = write_documents(tmp_path / "x.parquet", ["one", "two", None])
    with pytest.raises(CorpusError, match='x.parquet, row 2: "text" is None, not a string'):
        list(documents(path))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CorpusError, match="x.parquet is damaged from row 0 on, or not a parquet file"):
        list(documents(path))
    pyarrow = pytest.importorskip("pyarrow")
    pyarrow.parquet.write_table(pyarrow.table({"words": ["one"]}), path)
    with pytest.raises(CorpusError, match='x.parquet has no column "text". docs/corpora.md shows how to read any'):
        list(documents(path))


def test_of_a_folder_all_files_of_one_kind_but_hidden_ones_and_artifacts_are_read(tmp_path):
    files = {"a.txt": "one", "more/b.txt": "two", "notes.md": "another type", "Web/ids.uint32": "own"}
    hidden = (".git/x.txt", "more/.cache/deep/x.txt", ".Web.new/x.txt", "Web/merges.txt")
    for name, text in {**files, **dict.fromkeys(hidden, "hidden")}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "more" / "loop").symlink_to(tmp_path)
    assert list(documents(tmp_path)) == ["one", "two"]
    assert list(documents(tmp_path / ".git" / "x.txt")) == ["hidden"]
    for name, problem in (("none.txt", "no file or folder"), ("Web", "no such files")):
        with pytest.raises(CorpusError, match=problem):
            list(documents(tmp_path / name))
    for name, kind in (("c.jsonl", r"\.jsonl and \.txt"), ("b.txt.gz", r"\.txt and \.txt\.gz")):
        (tmp_path / name).write_text('{"text": "three"}')
        with pytest.raises(CorpusError, match=rf"contains {kind} files: .* files of one of these kinds"):
            list(documents(tmp_path))
        (tmp_path / name).unlink()


def test_a_line_of_json_is_read_after_a_byte_order_mark_and_beside_long_numbers(tmp_path):
    """Python refuses to read integers of more than 4,300 digits."""
    line = b'\xef\xbb\xbf{"text": "one", "n": %s}\n' % (b"9" * 5000)
    (tmp_path / "a.jsonl").write_bytes(line)
    assert list(documents(tmp_path / "a.jsonl")) == ["one"]
