"""`g2c export`: what is written is read back as the programs that it is for read it."""

import json
import os
import pickle
import shutil
import sys

import numpy
import pytest

from g2c.common.errors import CourseError, FileFormatError, MissingFileError, SavingError
from g2c.corpus.encoding import encode_corpus
from g2c.course import cli
from g2c.formats import export as export_module
from g2c.formats.artifact import save_artifact
from g2c.formats.export import export
from g2c.formats.tokenizer_json import fingerprint
from g2c.solutions.bpe import BPETokenizer
from support.scarce import full_disk

DOCUMENTS = [f"Once upon a time, {number} " + "and on, " * (number % 7) + "the end." for number in range(40)]
PLAY = list(b"To be, or not to be" * 200)


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
    return save_artifact(BPETokenizer(), tmp_path_factory.mktemp("artifacts") / "play", PLAY)


# --- nanoGPT: np.memmap(os.path.join(data_dir, 'train.bin'), dtype=np.uint16, mode='r') -------------------------------


@pytest.mark.parametrize("block", [7, 1 << 20])
def test_nanogpt_as_its_train_py_reads_it(stories, ids, tmp_path, block, monkeypatch):
    monkeypatch.setattr(export_module, "_COPIED_IDS", block)
    folder = export(stories, "nanogpt", tmp_path / "data")
    assert sorted(os.listdir(folder)) == ["meta.pkl", "train.bin", "val.bin"]
    train, val = (numpy.memmap(folder / f"{part}.bin", dtype=numpy.uint16, mode="r") for part in ("train", "val"))
    assert [*train, *val] == ids
    assert train[-1] == 256, "the split is at the end of a document"
    assert 0.85 < len(train) / len(ids) < 0.95
    assert pickle.loads((folder / "meta.pkl").read_bytes())["vocab_size"] == 290


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
    published = save_artifact(tokenizer, tmp_path / "published", [97, 256, 300, 0xC3])
    folder = export(published, "nanogpt", tmp_path / "data")
    encode, decode = nanogpt_sample(folder / "meta.pkl")
    assert pickle.loads((folder / "meta.pkl").read_bytes())["vocab_size"] == 301
    assert decode([97, 256, 300, 299, 0xC3]) == "aä<|endoftext|>\ufffd"
    assert encode("aä") == [97, 256]


def test_with_gpt2s_own_tokenizer_nanogpt_finds_no_meta_pkl_and_takes_gpt2_from_tiktoken(
    stories, tmp_path, monkeypatch, tokenizer
):
    monkeypatch.setattr(export_module, "GPT2_FINGERPRINT", fingerprint(tokenizer))
    assert sorted(os.listdir(export(stories, "nanogpt", tmp_path / "data"))) == ["train.bin", "val.bin"]


def test_without_documents_the_split_is_at_nine_tenths(play, tmp_path):
    folder = export(play, "nanogpt", tmp_path / "data")
    assert (folder / "train.bin").stat().st_size == 2 * 3420
    assert (folder / "val.bin").stat().st_size == 2 * 380


# --- tokenizers alone -------------------------------------------------------------------------------------------------


@pytest.mark.interop
@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"])
def test_tiktoken_reads_its_ranks_file(tmp_path, pattern):
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed (pip install -e '.[interop]')")
    tiktoken_load = pytest.importorskip("tiktoken.load")
    text = "She sells sea shells, I'LL 'tis: 12345 naïve 日本語\u2028👋🏽\n  def f(x):\n    <|end|> she <|pad|><|end"
    tokenizer = BPETokenizer.with_course_special_tokens(pattern=pattern)
    tokenizer.train_exact(text * 4, 300, progress=False)
    folder = export(save_artifact(tokenizer, tmp_path / "sea", [1, 2]), "tiktoken", tmp_path / "data")
    others = json.loads((folder / "encoding.json").read_text(encoding="utf-8"))
    ranks = tiktoken_load.load_tiktoken_bpe(str(folder / "ranks.tiktoken"))
    encoding = tiktoken.Encoding(**others, mergeable_ranks=ranks)
    assert encoding.encode(text, allowed_special="all") == tokenizer.encode(text)
    again = BPETokenizer.from_tiktoken_file(folder / "ranks.tiktoken", others["special_tokens"], pattern)
    assert (again.merges, again.special_to_id) == (tokenizer.merges, tokenizer.special_to_id)


# --- what cannot be done ----------------------------------------------------------------------------------------------


def test_what_cannot_be_exported_leaves_nothing_behind(play, tmp_path):
    damaged, large, short = (tmp_path / name for name in ("damaged", "large", "short"))
    shutil.copytree(play, damaged)
    (damaged / "ids.uint32").write_bytes((play / "ids.uint32").read_bytes()[:-4])
    save_artifact(BPETokenizer({"<|endoftext|>": 100_000}), large, [72, 105, 100_000])
    save_artifact(BPETokenizer(), short, [1])
    for artifact, format, error, problem in (
        (damaged, "nanogpt", FileFormatError, "ids.uint32"),
        (tmp_path / "nothing", "nanogpt", MissingFileError, "There is no artifact"),
        (play, "numpy", CourseError, "the formats are nanogpt, tiktoken"),
        (short, "nanogpt", CourseError, "is 1, but training and validation need at least 2"),
        (large, "nanogpt", CourseError, "up to 65,535, but this tokenizer has IDs up to 100,000"),
        (play, "nanogpt", SavingError, "short already exists. Give a folder that does not"),
    ):
        with pytest.raises(error, match=problem):
            export(artifact, format, short if error is SavingError else tmp_path / "data")
    with pytest.raises(SavingError, match="is inside the artifact"):
        export(short, "tiktoken", short / "data")
    assert sorted(os.listdir(tmp_path)) == ["damaged", "large", "short"]


def test_a_full_disk_leaves_nothing_behind(stories, tmp_path):
    with full_disk(), pytest.raises(SavingError, match="Free some space"):
        export(stories, "nanogpt", tmp_path / "data")
    assert os.listdir(tmp_path) == []


def test_the_command_lists_what_it_wrote(stories, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["export", str(stories), "--format", "nanogpt"]) == 0
    out = capsys.readouterr().out
    assert "stories-nanogpt/train.bin" in out and "stories-nanogpt/val.bin" in out
    assert cli.main(["export", str(stories), "--format", "x"]) == 1


def test_without_tiktoken_its_format_says_what_to_install(stories, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(CourseError, match="This format needs tiktoken. Install it with: .*interop"):
        export(stories, "tiktoken", tmp_path / "data")
