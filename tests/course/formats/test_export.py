"""`g2c export`: what is written is read back as the programs that it is for read it."""

import json
import os
import pickle
import struct
import subprocess
import sys
from importlib.util import find_spec

import numpy
import pytest

from g2c.common.errors import CourseError, FileFormatError, MissingFileError, SavingError
from g2c.corpus.encoding import encode_corpus
from g2c.course import cli
from g2c.formats import export as export_module
from g2c.formats.artifact import save_artifact
from g2c.formats.export import FORMATS, export
from g2c.formats.tokenizer_json import fingerprint, load
from g2c.solutions.bpe import BPETokenizer

DOCUMENTS = [f"Once upon a time, {number} " + "and on, " * (number % 7) + "the end." for number in range(40)]


@pytest.fixture(scope="module")
def tokenizer():
    tokenizer = BPETokenizer(["<|endoftext|>"], pattern="gpt4")
    tokenizer.train(" ".join(DOCUMENTS), 290, progress=False)
    return tokenizer


@pytest.fixture(scope="module")
def stories(tokenizer, tmp_path_factory):
    """An artifact of documents, each with a separator after it."""
    return encode_corpus(tokenizer, iter(DOCUMENTS), tmp_path_factory.mktemp("artifacts") / "stories", workers=1)


@pytest.fixture(scope="module")
def ids(tokenizer):
    return [token_id for document in DOCUMENTS for token_id in [*tokenizer.encode(document), 256]]


@pytest.fixture(scope="module")
def play(tmp_path_factory):
    """An artifact of one text, in which nothing says where a document ends."""
    tokenizer = BPETokenizer()
    return save_artifact(tokenizer, tmp_path_factory.mktemp("artifacts") / "play", PLAY)


PLAY = list(b"To be, or not to be" * 200)


@pytest.fixture(params=[7, 1 << 20], ids=["blocks of 7", "one block"])
def block(request, monkeypatch):
    """Whether all fits into one block must not matter."""
    monkeypatch.setattr(export_module, "_BLOCK", request.param)
    monkeypatch.setattr(export_module, "_ROWS_AT_ONCE", request.param)


def large_vocabulary(folder):
    tokenizer = BPETokenizer({"<|endoftext|>": 100_000})
    return save_artifact(tokenizer, folder, [72, 105, 100_000] * 10)


# --- nanoGPT: np.memmap(os.path.join(data_dir, 'train.bin'), dtype=np.uint16, mode='r') -------------------------------


def test_nanogpt_as_its_train_py_reads_it(stories, ids, tmp_path, block):
    folder = export(stories, "nanogpt", tmp_path / "data")
    assert sorted(os.listdir(folder)) == ["meta.pkl", "train.bin", "val.bin"]
    train, val = (numpy.memmap(folder / f"{part}.bin", dtype=numpy.uint16, mode="r") for part in ("train", "val"))
    assert [*train, *val] == ids
    assert train[-1] == 256, "the split is at the end of a document"
    assert 0.85 < len(train) / len(ids) < 0.95
    meta = pickle.loads((folder / "meta.pkl").read_bytes())
    assert meta["vocab_size"] == 290


def nanogpt_sample(meta_file):
    """The two functions that nanoGPT's sample.py makes from meta.pkl: a prompt to IDs, and IDs to text."""
    meta = pickle.loads(meta_file.read_bytes())
    stoi, itos = meta["stoi"], meta["itos"]
    return lambda text: [stoi[character] for character in text], lambda ids: "".join(
        [itos[token_id] for token_id in ids]
    )


def test_nanogpt_as_its_sample_py_reads_it(tokenizer, stories, ids, tmp_path):
    encode, decode = nanogpt_sample(export(stories, "nanogpt", tmp_path / "data") / "meta.pkl")
    assert decode(ids) == tokenizer.decode(ids), "samples are the text of their IDs"
    assert encode("\n") == [10], "the prompt that sample.py has by default"
    assert decode(encode("Any prompt of ASCII.")) == "Any prompt of ASCII."
    for prompt in ("Once upon a time<|endoftext|>", "ein Märchen: 日本語 👋🏽", ""):
        written = "".join(chr(0xF0000 + token_id) for token_id in tokenizer.encode(prompt))
        assert encode(written) == tokenizer.encode(prompt), "a prompt of private characters has the IDs of encode"


def test_nanogpt_decodes_every_id_and_its_model_has_a_place_for_each(tmp_path):
    """A published table: special tokens after the merges, IDs that are unused, and tokens that are half a character."""
    tokenizer = BPETokenizer({"<|endoftext|>": 300})
    tokenizer.merges, tokenizer.vocab = {(0xC3, 0xA4): 256}, tokenizer.vocab | {256: "ä".encode()}
    folder = export(
        save_artifact(tokenizer, tmp_path / "published", [97, 256, 300, 0xC3]), "nanogpt", tmp_path / "data"
    )
    encode, decode = nanogpt_sample(folder / "meta.pkl")
    assert pickle.loads((folder / "meta.pkl").read_bytes())["vocab_size"] == 301
    assert decode([97, 256, 300, 299, 0xC3]) == "aä<|endoftext|>\ufffd"
    assert encode("aä") == [97, 256]
    with pytest.raises(KeyError):
        encode("ö")


def test_with_gpt2s_own_tokenizer_nanogpt_finds_no_meta_pkl_and_takes_gpt2_from_tiktoken(
    stories, tmp_path, monkeypatch, tokenizer
):
    monkeypatch.setattr(export_module, "GPT2_FINGERPRINT", fingerprint(tokenizer))
    assert sorted(os.listdir(export(stories, "nanogpt", tmp_path / "data"))) == ["train.bin", "val.bin"]


def test_without_documents_the_split_is_at_nine_tenths(play, tmp_path):
    folder = export(play, "nanogpt", tmp_path / "data")
    assert (folder / "train.bin").stat().st_size == 2 * 3420
    assert (folder / "val.bin").stat().st_size == 2 * 380


# --- datatrove: utils/dataset.py, pipeline/tokens/merger.py -----------------------------------------------------------


def test_datatrove_by_its_layout(tokenizer, stories, ids, tmp_path, block):
    folder = export(stories, "datatrove", tmp_path / "data")
    assert numpy.fromfile(folder / "tokens.ds", "<u2").tolist() == ids
    ends = numpy.fromfile(folder / "tokens.ds.index", "<u8").tolist()
    assert ends == numpy.cumsum([len(tokenizer.encode(document)) + 1 for document in DOCUMENTS]).tolist()
    first, count, _ = (folder / "tokens.ds.metadata").read_text(encoding="utf-8").split("\n")
    path, size = first.split("|")
    assert (size, count) == ("2", str(len(ids)))
    assert load(path).vocab == tokenizer.vocab, "nanotron loads the tokenizer from the path in the metadata"


def test_datatrove_with_ids_of_more_than_two_bytes(tmp_path):
    folder = export(large_vocabulary(tmp_path / "large"), "datatrove", tmp_path / "data")
    assert numpy.fromfile(folder / "tokens.ds", "<u4").tolist() == [72, 105, 100_000] * 10
    assert (folder / "tokens.ds.metadata").read_text(encoding="utf-8").split("\n")[0].endswith("large|4")


def test_datatroves_metadata_has_no_place_for_a_bar_in_the_path(tmp_path):
    with pytest.raises(CourseError, match="it contains a |"):
        export(large_vocabulary(tmp_path / "a|b"), "datatrove", tmp_path / "data")


def test_datatrove_needs_document_ends(play, tmp_path):
    with pytest.raises(CourseError, match=r"no <\|endoftext\|> separates documents in these IDs"):
        export(play, "datatrove", tmp_path / "data")
    assert os.listdir(tmp_path) == []


def test_datatrove_with_its_own_code(tokenizer, stories, tmp_path):
    """Its merger takes the size of an ID from the metadata, and shuffles the documents."""
    merger = pytest.importorskip("datatrove.pipeline.tokens.merger", reason="datatrove is not installed")
    folder = export(stories, "datatrove", tmp_path / "data")
    with open(folder / "tokens.ds.index", "rb") as index, open(folder / "tokens.ds", "rb") as data:
        ends = merger.load_doc_ends(index)
        rows = [numpy.frombuffer(row, "<u2").tolist() for row in merger.get_data_reader(data, ends, nb_bytes=2)]
    documents = [[*tokenizer.encode(document), 256] for document in DOCUMENTS]
    assert rows == documents

    merger.DocumentTokenizerMerger(str(folder), str(tmp_path / "merged"), save_filename="all", shuffle=False).run()
    assert numpy.fromfile(tmp_path / "merged" / "000_all.ds", "<u2").tolist() == sum(documents, [])
    own = (tmp_path / "merged" / "000_all.ds.metadata").read_text(encoding="utf-8").split("\n")
    assert own[:2] == (folder / "tokens.ds.metadata").read_text(encoding="utf-8").split("\n")[:2]


def test_datatrove_with_its_default_reader(tokenizer, stories, ids, tmp_path):
    pytest.importorskip("torch", reason="datatrove's reader needs torch, which is not installed")
    dataset = pytest.importorskip("datatrove.utils.dataset", reason="datatrove is not installed")
    folder = export(stories, "datatrove", tmp_path / "data")
    rows = dataset.DatatroveFolderDataset(str(folder), seq_len=15)
    assert [token_id for row in rows for token_id in row["input_ids"].tolist()] == ids[: len(ids) // 16 * 16]


# --- parquet: datasets.load_dataset -----------------------------------------------------------------------------------


@pytest.fixture
def parquet():
    return pytest.importorskip("pyarrow.parquet", reason="parquet needs pyarrow: pip install -e '.[corpora]'")


def test_parquet_has_a_row_for_each_document(parquet, tokenizer, stories, tmp_path, block):
    folder = export(stories, "parquet", tmp_path / "data")
    parts = [parquet.read_table(folder / f"{part}.parquet") for part in ("train", "validation")]
    assert all(part.column_names == ["input_ids"] for part in parts)
    rows = [row for part in parts for row in part.column("input_ids").to_pylist()]
    assert rows == [[*tokenizer.encode(document), 256] for document in DOCUMENTS]
    assert 0.85 < len(parts[0]) / len(rows) < 0.95


def test_parquet_without_documents_has_rows_of_one_length(parquet, play, tmp_path):
    folder = export(play, "parquet", tmp_path / "data")
    rows = [
        row
        for part in ("train", "validation")
        for row in parquet.read_table(folder / f"{part}.parquet").column("input_ids").to_pylist()
    ]
    assert sum(rows, []) == PLAY
    assert [len(row) for row in rows] == [1024, 1024, 1024, 728]


if find_spec("datasets"):

    def test_parquet_with_datasets_own_code(tokenizer, stories, tmp_path):
        import datasets

        folder = export(stories, "parquet", tmp_path / "data")
        splits = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
        assert sorted(splits) == ["train", "validation"]
        rows = [row["input_ids"] for name in ("train", "validation") for row in splits[name]]
        assert rows == [[*tokenizer.encode(document), 256] for document in DOCUMENTS]


# --- litdata: streaming/writer.py, streaming/item_loader.py ---------------------------------------------------------


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(export_module, "LITDATA_CHUNK", 100)


def test_litdata_by_its_layout(stories, ids, tmp_path, block, small_chunks):
    folder = export(stories, "litdata", tmp_path / "data")
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    found = []
    for chunk in index["chunks"]:
        data = (folder / chunk["filename"]).read_bytes()
        items, begin, end = struct.unpack("<III", data[:12])
        assert (items, begin, end) == (chunk["chunk_size"], 12, len(data)) == (1, 12, chunk["chunk_bytes"])
        found.append(numpy.frombuffer(data, "<i4", offset=(1 + chunk["chunk_size"] + 1) * 4).tolist())
        assert len(found[-1]) == chunk["dim"]
    assert sum(found, []) == ids
    assert {len(chunk) for chunk in found[:-1]} == {100}


def test_litdata_with_its_own_code(stories, ids, tmp_path, small_chunks, monkeypatch):
    litdata = pytest.importorskip("litdata", reason="litdata is not installed")
    folder = export(stories, "litdata", tmp_path / "data")
    dataset = litdata.StreamingDataset(str(folder), item_loader=litdata.TokensLoader(block_size=20), shuffle=False)
    samples = [token_id for sample in dataset for token_id in sample.tolist()]
    assert samples == ids[: len(ids) // 20 * 20]


# --- what cannot be done ----------------------------------------------------------------------------------------------


def test_nanogpt_has_no_place_for_large_ids(tmp_path):
    artifact = large_vocabulary(tmp_path / "large")
    with pytest.raises(CourseError, match="up to 65,535, but this tokenizer has IDs up to 100,000"):
        export(artifact, "nanogpt", tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_what_is_there_already_is_kept(stories, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SavingError, match="already exists"):
        export(stories, "nanogpt", tmp_path / "data")
    assert os.listdir(tmp_path / "data") == ["mine.txt"]


def test_a_damaged_artifact_is_not_exported(play, tmp_path):
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for file in play.iterdir():
        (damaged / file.name).write_bytes(file.read_bytes())
    (damaged / "ids.uint32").write_bytes((play / "ids.uint32").read_bytes()[:-4])
    with pytest.raises(FileFormatError, match="ids.uint32"):
        export(damaged, "nanogpt", tmp_path / "data")
    with pytest.raises(MissingFileError):
        export(tmp_path / "nothing", "nanogpt", tmp_path / "data")
    with pytest.raises(CourseError, match="the formats are nanogpt, datatrove, parquet, litdata"):
        export(play, "numpy", tmp_path / "data")
    with pytest.raises(CourseError, match="is 1, but training and validation need at least 2"):
        export(save_artifact(BPETokenizer(), tmp_path / "short", [1]), "nanogpt", tmp_path / "data")
    assert sorted(os.listdir(tmp_path)) == ["damaged", "short"]


def test_a_full_disk_leaves_nothing_behind(stories, tmp_path):
    # 250 bytes: less than what any format needs; every write beyond that fails.
    program = f"""
import resource, signal
from pathlib import Path
from g2c.common.errors import SavingError
from g2c.formats.export import FORMATS, export
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    import pyarrow.parquet
except ImportError:
    del FORMATS["parquet"]
resource.setrlimit(resource.RLIMIT_FSIZE, (250, 250))
for name in FORMATS:
    try:
        export(Path({str(stories)!r}), name, Path({str(tmp_path / "data")!r}))
    except SavingError as error:
        print(name, str(error)[:20])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) >= len(FORMATS) - 1, done.stdout
    assert os.listdir(tmp_path) == []


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_lists_what_it_wrote(stories, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["export", str(stories), "--format", "nanogpt"]) == 0
    out = capsys.readouterr().out
    assert "stories-nanogpt/train.bin" in out and "stories-nanogpt/val.bin" in out
    assert cli.main(["export", str(stories), "--format", "nanogpt"]) == 1
    assert "already exists" in capsys.readouterr().err
    assert cli.main(["export", str(stories), "--format", "x"]) == 1
    with pytest.raises(SystemExit) as ended:
        cli.main(["export", str(stories)])
    assert ended.value.code == 2
