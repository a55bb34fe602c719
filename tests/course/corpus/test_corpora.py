"""Corpora: what is in the table, what `load_corpus` checks, and what `documents` makes of files."""

import gzip
import hashlib
import json
import os
import subprocess
import sys
import tracemalloc
import warnings

import pytest

from g2c.common.errors import CorpusError
from g2c.common.paths import data_folder
from g2c.corpus import corpora
from g2c.corpus import documents as documents_module
from g2c.corpus.corpora import CORPORA, Entry, RemoteFile, corpus_files, corpus_is_here, load_corpus
from g2c.corpus.documents import document_files, document_parts, documents

TEXT = "To be, or not to be: that is the question.\nNaïve? Ünïcode, 你好 👋\n"


@pytest.fixture
def data(tmp_path, monkeypatch):
    """An empty data folder."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("G2C_DATA", str(folder))
    return folder


@pytest.fixture
def play(data, monkeypatch):
    """A corpus named `play`, with a checksum, that is in the data folder."""
    content = TEXT.encode()
    source = RemoteFile("play.txt", "https://example.org/play.txt", len(content), hashlib.sha256(content).hexdigest())
    monkeypatch.setitem(CORPORA, "play", Entry("a play", (source,), "--play"))
    path = data / "play.txt"
    path.write_bytes(content)
    return path


# --- the table --------------------------------------------------------------------------------------------------------


def test_the_table_has_the_corpora_of_the_course():
    names = ["tinyshakespeare", "pydocs", "tinystories-small", "tinystories", "g2c-small", "g2c-full", "g2c"]
    assert list(CORPORA) == names


def test_the_published_checksum_of_tinyshakespeare():
    (source,) = CORPORA["tinyshakespeare"].files
    assert source.approximate_size == 1_115_394
    assert source.sha256 == "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"


def test_every_file_has_one_name_and_one_source():
    by_name = {}
    for entry in CORPORA.values():
        for source in entry.files:
            assert by_name.setdefault(source.file, source) == source, "two sources would overwrite each other's file"
            assert source.url.startswith("https://")
            assert documents_module._is_known(data_path := data_folder() / source.file), (
                f"{data_path} could not be read"
            )


# --- load_corpus ------------------------------------------------------------------------------------------------------


def test_pydocs_is_always_there_and_always_the_same():
    first, second = load_corpus("pydocs"), load_corpus("pydocs")
    assert first == second
    assert first.size == len(first.text.encode()) > 300_000
    assert first.sha256 == hashlib.sha256(first.text.encode()).hexdigest()
    assert corpus_is_here("pydocs") and corpus_files("pydocs") == []


def test_a_corpus_is_the_file_character_for_character(play):
    play_bytes = play.read_bytes()
    corpus = load_corpus("play")
    assert corpus == corpora.Corpus("play", TEXT, len(play_bytes), hashlib.sha256(play_bytes).hexdigest())


def test_line_ends_stay_as_they_are(data, monkeypatch):
    monkeypatch.setitem(CORPORA, "dos", Entry("", (RemoteFile("dos.txt", "https://example.org", 8),), "dos"))
    (data / "dos.txt").write_bytes(b"a\r\nb\rc\n")
    assert load_corpus("dos").text == "a\r\nb\rc\n"


def test_a_missing_corpus_says_how_to_fetch_it(data):
    with pytest.raises(CorpusError, match=r"tinyshakespeare is not here .*missing.*\./datasets\.sh --tiny"):
        load_corpus("tinyshakespeare")
    assert not corpus_is_here("tinyshakespeare")


def test_an_unknown_corpus_lists_the_names():
    with pytest.raises(CorpusError, match="no corpus named 'shakespeer'.*tinyshakespeare, pydocs"):
        load_corpus("shakespeer")


def test_an_empty_corpus_is_refused(play):
    play.write_bytes(b"")
    with pytest.raises(CorpusError, match="play.txt is empty"):
        load_corpus("play")


def test_a_corpus_that_is_not_utf8_is_refused_with_the_place(play):
    play.write_bytes(b"abc\xff\xfe")
    with pytest.raises(CorpusError, match=r"play\.txt is not UTF-8 text: byte 3 \(0xff\)"):
        load_corpus("play")


def test_an_edited_corpus_is_refused(play):
    play.write_text(TEXT + "One more line.\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"not the published file.*\./datasets\.sh --play"):
        load_corpus("play")


def test_a_folder_in_the_place_of_a_corpus_is_an_error(data):
    (data / "tinyshakespeare.txt").mkdir()
    with pytest.raises(CorpusError, match="tinyshakespeare is not here"):
        load_corpus("tinyshakespeare")


def test_a_corpus_of_several_files_is_read_as_documents(data):
    for source in CORPORA["g2c-small"].files:
        (data / source.file).write_bytes(b"x")
    with pytest.raises(CorpusError, match=r"use documents\('g2c-small'\)"):
        load_corpus("g2c-small")


def test_the_fallback_comes_with_a_warning(data):
    with pytest.warns(UserWarning, match="tinyshakespeare is not here.*the course uses the corpus pydocs instead"):
        assert load_corpus("tinyshakespeare", fallback="pydocs").name == "pydocs"


def test_no_fallback_and_no_warning_when_the_corpus_is_there(play):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_corpus("play", fallback="pydocs").name == "play"


def test_g2c_is_the_full_corpus_when_it_is_there_and_else_the_small_one(data):
    assert corpora.resolve_corpus("g2c") == "g2c-small"
    with pytest.raises(CorpusError, match=r"g2c is not here.*\./datasets\.sh --small"):
        next(documents("g2c"))
    for source in CORPORA["g2c-full"].files:
        (data / source.file).write_bytes(b"x")
    assert corpora.resolve_corpus("g2c") == "g2c-full"


# --- documents --------------------------------------------------------------------------------------------------------


def test_documents_of_a_text_without_separators_are_the_text(play):
    assert list(documents("play")) == [TEXT]
    assert list(documents(play)) == [TEXT]


@pytest.mark.parametrize("block", [1, 2, 12, 13, 14, 1000])
def test_a_text_is_cut_at_separators_wherever_blocks_end(tmp_path, monkeypatch, block):
    monkeypatch.setattr(documents_module, "_BLOCK", block)
    path = tmp_path / "stories.txt"
    path.write_text("Ünö\n<|endoftext|>\n\ntwo\nlines\n<|endoftext|><|endoftext|>\n<|endof 👋 text|>", encoding="utf-8")
    assert list(documents(path)) == ["Ünö", "two\nlines", "<|endof 👋 text|>"]


def test_pydocs_is_one_document_a_topic():
    assert "\n\n".join(documents("pydocs")) == load_corpus("pydocs").text


def test_every_kind_of_file_gives_the_same_documents(tmp_path):
    stories = ["One\nstory.", "Two 你好", "Three"]
    separated = "\n<|endoftext|>\n".join(stories).encode()
    lines = "".join(json.dumps({"id": 1, "text": story}) + "\n" for story in stories).encode()
    (tmp_path / "a.txt").write_bytes(separated)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(separated))
    (tmp_path / "c.jsonl").write_bytes(lines)
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress(lines))
    for file in sorted(tmp_path.iterdir()):
        assert list(documents(file)) == stories, file.name
    (tmp_path / ".hidden.txt").write_text("not this")
    (tmp_path / "notes.md").write_text("nor this")
    assert list(documents(tmp_path)) == stories * 4
    assert list(documents(tmp_path / "*.gz")) == stories * 2


def test_parquet_is_read_by_its_column_text(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow: pip install -e '.[corpora]'")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = [f"page {number} 👋" for number in range(2500)]
    parquet.write_table(pyarrow.table({"id": range(2500), "text": texts}), tmp_path / "web.parquet")
    assert list(documents(tmp_path / "web.parquet")) == texts

    parquet.write_table(pyarrow.table({"words": texts}), tmp_path / "other.parquet")
    with pytest.raises(CorpusError, match='other.parquet has no column "text"; its columns are words'):
        list(documents(tmp_path / "other.parquet"))

    parquet.write_table(pyarrow.table({"text": ["a", None]}), tmp_path / "holes.parquet")
    with pytest.raises(CorpusError, match="holes.parquet, row 1"):
        list(documents(tmp_path / "holes.parquet"))

    (tmp_path / "cut.parquet").write_bytes((tmp_path / "web.parquet").read_bytes()[:-100])
    with pytest.raises(CorpusError, match="cut.parquet is damaged, or not a parquet file"):
        list(documents(tmp_path / "cut.parquet"))


@pytest.mark.sample(1)
@pytest.mark.parametrize("rows_in_group", [100, 10_000])
def test_of_a_parquet_file_only_a_part_is_in_memory(tmp_path, rows_in_group):
    pyarrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow: pip install -e '.[corpora]'")
    path = tmp_path / "web.parquet"
    texts = [os.urandom(20_000).hex() for _ in range(2500)]
    pytest.importorskip("pyarrow.parquet").write_table(
        pyarrow.table({"text": texts}), path, row_group_size=rows_in_group, use_dictionary=False
    )
    del texts
    program = (
        "import psutil, sys\n"
        "from pathlib import Path\n"
        "from g2c.corpus.documents import documents\n"
        "process, used = psutil.Process(), []\n"
        "for number, document in enumerate(documents(Path(sys.argv[1]))):\n"
        "    if number % 50 == 0:\n"
        "        used.append(process.memory_info().rss)\n"
        "print(number + 1, max(used) - used[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    number, grown = map(int, done.stdout.split())
    assert number == 2500
    assert grown < 60e6, f"reading {path.stat().st_size:,} bytes of parquet took {grown:,} bytes of memory"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"text": "x"}\n{"text": \n', r"a\.jsonl, line 2: not valid JSON"),
        ("a.jsonl", b'{"text": "x"}\n\n{"body": "x"}\n', r'a\.jsonl, line 3: expected a JSON object whose "text"'),
        ("a.jsonl", b'["x"]\n', r"a\.jsonl, line 1: expected a JSON object"),
        ("a.jsonl", b'{"text": "x"}\n{"text": "\xff"}\n', r"byte 24 \(0xff\)"),
        ("a.jsonl", b"[" * 100_000, r"a\.jsonl, line 1"),
        ("a.txt", b"one<|endoftext|>t\xe4wo", r"byte 17 \(0xe4\)"),
        ("a.txt", b"", "There is no document in"),
        ("a.txt", b"\n<|endoftext|>\n", "There is no document in"),
        ("a.txt.gz", gzip.compress(b"story " * 1000, mtime=0)[:-20], r"a\.txt\.gz cannot be read"),
        ("a.txt.gz", b"plain text", r"a\.txt\.gz cannot be read"),
        ("a.md", b"text", r"a\.md has an unknown file type: the types are \.txt"),
    ],
)
def test_bad_files_are_refused_with_the_place(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=message):
        list(documents(tmp_path / name))


def test_a_damaged_gzip_body_is_a_corpus_error(tmp_path):
    content = bytearray(gzip.compress(bytes(range(97, 123)) * 1000))
    content[20:24] = b"\xff\xff\xff\xff"
    (tmp_path / "a.txt.gz").write_bytes(content)
    with pytest.raises(CorpusError, match=r"a\.txt\.gz cannot be read"):
        list(documents(tmp_path / "a.txt.gz"))


@pytest.mark.parametrize("what", ["nothing.txt", "*.txt"])
def test_nothing_there_is_an_error(tmp_path, what):
    with pytest.raises(CorpusError, match="There is no corpus, file or folder"):
        list(documents(tmp_path / what))


def test_a_folder_without_texts_is_an_error(tmp_path):
    with pytest.raises(CorpusError, match="There is no readable file in the folder"):
        list(documents(tmp_path))


def test_documents_are_streamed_in_constant_memory(tmp_path):
    path = tmp_path / "stories.txt"
    story = ("Once upon a time. " * 50 + "\n<|endoftext|>\n").encode()
    with path.open("wb") as file:
        for _ in range(20_000):
            file.write(story)
    tracemalloc.start()
    try:
        count = sum(1 for _ in documents(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 20_000
    assert peak < 6_000_000 < path.stat().st_size, f"{peak} bytes at the peak for a file of {path.stat().st_size}"


# --- folders ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """A folder with two documents, and with what is not part of it: hidden folders and what `g2c encode` writes."""
    (tmp_path / "corpus" / "more").mkdir(parents=True)
    (tmp_path / "corpus" / "a.txt").write_text("one")
    (tmp_path / "corpus" / "more" / "b.jsonl").write_text('{"text": "two"}')
    for hidden in (".git", ".ipynb_checkpoints", "more/.cache/deep", ".Web.encoding"):
        (tmp_path / "corpus" / hidden).mkdir(parents=True)
        (tmp_path / "corpus" / hidden / "x.txt").write_text("hidden")
        (tmp_path / "corpus" / hidden / "journal.jsonl").write_text("{}")
    (tmp_path / "corpus" / "Web").mkdir()
    for name in ("ids.uint32", "manifest.json", "merges.txt"):
        (tmp_path / "corpus" / "Web" / name).write_text("own")
    return tmp_path / "corpus"


def test_of_a_folder_hidden_folders_and_artifacts_are_left_out(folder):
    assert document_files(folder) == [folder / "a.txt", folder / "more" / "b.jsonl"]
    assert list(documents(folder)) == ["one", "two"]


def test_a_hidden_folder_is_taken_when_it_is_named(folder):
    assert list(documents(folder / ".git" / "x.txt")) == ["hidden"]
    assert [path.name for path in document_files(folder / "more" / ".cache")] == ["journal.jsonl", "x.txt"]


def test_the_files_of_a_corpus_are_listed_as_they_are_read(data, play):
    assert document_files("play") == [play]
    assert document_files(str(data / "*.txt")) == [play]
    assert document_files("pydocs") == []


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(CorpusError, match="pipe.jsonl is not a regular file"):
        list(documents(tmp_path / "pipe.jsonl"))
    (tmp_path / "a.txt").write_text("one")
    assert list(documents(tmp_path)) == ["one"]


# --- what the sender could use up -------------------------------------------------------------------------------------


def test_a_text_document_of_any_length_comes_in_parts(tmp_path):
    path = tmp_path / "long.txt.gz"
    texts = ["Ünö " * 1_500_000 + "end", "\n\n" + "two\r\n" * 500_000 + "end"]
    path.write_bytes(gzip.compress("\n<|endoftext|>\n".join(texts).encode(), 1))
    found, texts_of_parts, longest = [], [], 0
    for text, ends in document_parts(path):
        longest = max(longest, len(text.encode()))
        texts_of_parts.append(text)
        if ends:
            found.append("".join(texts_of_parts))
            texts_of_parts = []
    assert texts_of_parts == [], "the last document has no end"
    assert found == [texts[0], texts[1].lstrip("\n")]
    assert found == list(documents(path))
    assert longest < 2 * documents_module._BLOCK


@pytest.mark.parametrize("block", [1, 2, 3, 5, 13, 14, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "one\r\n\n<|endoftext|>\n\r\ntwo\n\n",
        "\n\none\n\n\n\nmore<|endoftext|><|endoftext|>\n\n",
        "<|endoftext|>\n\n你好👋\n<|endof<|endoftext|>text|>",
        "\n\n\n",
    ],
)
def test_parts_are_those_of_the_whole_text_wherever_blocks_end(tmp_path, monkeypatch, block, text):
    """Line ends around a separator belong to it, and all others to the document."""
    first, *rest = text.split("<|endoftext|>")
    trimmed = [first, *(part.lstrip("\r\n") for part in rest)]
    expected = [part.rstrip("\r\n") for part in trimmed[:-1]] + trimmed[-1:]
    (tmp_path / "a.txt").write_bytes(text.encode())
    monkeypatch.setattr(documents_module, "_BLOCK", block)
    assert list(documents(tmp_path / "a.txt")) == [part for part in expected if part]


def write_gzip(path, *blocks):
    with gzip.open(path, "wb", compresslevel=1) as file:
        for block in blocks:
            file.write(block)


MEGABYTE = b"a" * (1 << 20)
TOO_LONG = [MEGABYTE] * (1 + documents_module.LONGEST_DOCUMENT // len(MEGABYTE))
BOMBS = {
    "a long line": ("x.jsonl.gz", [b'{"text": "', *TOO_LONG, b'"}'], "line 1: the line has more than 16,777,216 bytes"),
    "a long document": ("x.txt.gz", TOO_LONG, "begins with 'aaaaaa.*has more than 16,777,216 bytes"),
    "line ends": ("x.txt.gz", [b"\n" * (1 << 20)] * 18, "from byte 0 on, there are 16,777,216 line ends"),
    "empty lines": ("x.jsonl.gz", [b"\n" * (1 << 20)] * 2, "line [0-9]+: the content so far is more than 200 times"),
    "values": ("x.jsonl", [b'{"text": "x", "v": [', b"[]," * 1_000_001, b"1]}"], "contains more than 1,000,000 values"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", BOMBS)
def test_what_would_fill_the_memory_is_refused_with_the_place(tmp_path, name):
    file, blocks, message = BOMBS[name]
    if file.endswith(".gz"):
        write_gzip(tmp_path / file, *blocks)
    else:
        (tmp_path / file).write_bytes(b"".join(blocks))
    with pytest.raises(CorpusError, match=f"{file}.*{message}"):
        list(documents(tmp_path / file))


def test_a_document_as_long_as_the_limit_is_read(tmp_path):
    text = "a" * documents_module.LONGEST_DOCUMENT
    (tmp_path / "a.txt").write_text(text)
    assert [len(document) for document in documents(tmp_path / "a.txt")] == [len(text)]


def test_commas_in_a_text_are_not_values(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": ',[{"\\' * 400_000}))
    (document,) = documents(tmp_path / "a.jsonl")
    assert len(document) == 2_000_000


@pytest.fixture
def write_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow: pip install -e '.[corpora]'")
    parquet = pytest.importorskip("pyarrow.parquet")

    def write(texts, **options):
        parquet.write_table(pyarrow.table({"n": range(len(texts)), "text": texts}), tmp_path / "x.parquet", **options)
        return tmp_path / "x.parquet"

    return write


@pytest.mark.sample(5)
@pytest.mark.parametrize("compression", ["none", "zstd"])
@pytest.mark.parametrize("page_version", ["1.0", "2.0"])
@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", None])
def test_parquet_is_read_in_every_encoding(write_parquet, monkeypatch, encoding, page_version, compression):
    monkeypatch.setattr(documents_module, "_BATCH_BYTES", 1000)
    texts = [f"page {number % 70} 👋" * (1 + number % 5) for number in range(3000)]
    path = write_parquet(
        texts,
        use_dictionary=encoding is None,
        column_encoding={"text": encoding} if encoding else None,
        data_page_version=page_version,
        compression=compression,
        data_page_size=500,
        row_group_size=700,
    )
    assert list(documents(path)) == texts


def test_a_dictionary_that_repeats_one_long_text_is_refused_with_the_row(write_parquet):
    """Less than a kilobyte that stands for 2 GB."""
    import pyarrow

    texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 200, "int32"), ["a" * 10_000_000])
    path = write_parquet(texts, compression="zstd", store_schema=False, write_statistics=False)
    assert path.stat().st_size < 2000
    with pytest.raises(CorpusError, match=r"x.parquet, row \d+: the content so far is more than 200 times as large"):
        list(documents(path))


def test_a_parquet_page_that_is_too_large_is_refused_with_the_row(write_parquet, monkeypatch):
    monkeypatch.setattr(documents_module, "LARGEST_PAGE", 1 << 20)
    path = write_parquet(["a", "a" * 3_000_000], compression="zstd", row_group_size=1, write_statistics=False)
    with pytest.raises(CorpusError, match=r"x.parquet, row 1: a page of 3,000,\d+ bytes exceeds the 1,048,576-byte"):
        list(documents(path))


def test_a_parquet_document_that_is_too_long_is_refused_with_the_row(write_parquet, monkeypatch):
    monkeypatch.setattr(documents_module, "LONGEST_DOCUMENT", 100)
    with pytest.raises(CorpusError, match="x.parquet, row 1: the document has 101 bytes, which exceeds the 100-byte"):
        list(documents(write_parquet(["é" * 50, "a" * 101])))


@pytest.mark.parametrize("row", [0, 1500])
def test_parquet_that_is_not_utf8_is_refused_with_the_row(write_parquet, row):
    import pyarrow

    texts = [b"fine"] * 2000
    texts[row] = b"ab\xff"
    texts = pyarrow.StringArray.from_buffers(2000, *pyarrow.array(texts).buffers()[1:])
    with pytest.raises(CorpusError, match=rf'x.parquet, row {row}: "text" is not UTF-8: byte 2 \(0xff\) is not valid'):
        list(documents(write_parquet(texts)))


def test_parquet_without_strings_is_refused_with_the_row(write_parquet):
    with pytest.raises(CorpusError, match='x.parquet, row 0: "text" is of the type list, not a string'):
        list(documents(write_parquet([["one", "two"]])))
    with pytest.raises(CorpusError, match='x.parquet, row 2: "text" is null, not a string'):
        list(documents(write_parquet(["one", "two", None])))
