"""An artifact is saved whole or not at all, and read only if it is what was saved; ids.uint32 has token IDs alone."""

import json
import os
from array import array
from unittest.mock import ANY

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from coach.common.errors import FileFormatError, MissingFileError, SavingError
from g2c.common.text import Corpus
from g2c.corpus.verify import verify
from g2c.formats.artifact import save_artifact
from g2c.formats.manifest import IdSummary
from g2c.formats.table import Table
from g2c.formats.token_ids import id_blocks, read_ids
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import COURSE_SPECIAL_TOKENS
from support.tokenizer_files import TEXT, state, trained

TOKENIZER = trained("gpt4", COURSE_SPECIAL_TOKENS)
IDS = TOKENIZER.encode(TEXT)
load_artifact = BPETokenizer.load_artifact
FILES = ["ids.uint32", "manifest.json", "tokenizer.json", "tokenizer_config.json"]


def saved_artifact(folder, tokenizer=TOKENIZER):
    corpus = Corpus("poem", TEXT, len(TEXT.encode()), "0" * 64)
    return save_artifact(tokenizer, folder, tokenizer.encode(TEXT), corpus=corpus, train={"algorithm": "train"})


@pytest.fixture
def folder(tmp_path):
    return saved_artifact(tmp_path / "artifact")


@pytest.mark.parametrize("mmap", [False, True])
def test_an_artifact_is_what_was_saved_and_its_manifest_says_what_it_is(folder, mmap):
    tokenizer, ids, manifest, path = load_artifact(folder, mmap=mmap)
    assert (state(tokenizer), ids.tolist(), path) == (state(TOKENIZER), IDS, folder)
    assert isinstance(ids, numpy.memmap) == mmap
    assert numpy.memmap(folder / "ids.uint32", "<u4").tolist() == IDS
    assert Tokenizer.from_file(str(folder / "tokenizer.json")).encode(TEXT).ids == IDS
    limits = {"count": len(IDS), "min_id": min(IDS), "max_id": max(IDS)}
    files = {"file": "tokenizer.json", "sha256": ANY, "config_file": "tokenizer_config.json", "config_sha256": ANY}
    special = {"special_tokens": [*COURSE_SPECIAL_TOKENS]}
    expected = {
        "version": 1,
        "ids": {"file": "ids.uint32", "dtype": "uint32", "byte_order": "little", **limits, "sha256": ANY},
        "documents": {"count": 1, "separator_id": 256},
        "tokenizer": {**files, "vocab_size": 324, **special, "num_merges": 60, "pattern": TOKENIZER.pattern},
        "corpus": {"name": "poem", "bytes": len(TEXT.encode()), "sha256": "0" * 64},
        "train": {"algorithm": "train"},
        "software": {"g2c": ANY, "tokenizers": ANY},
    }
    assert list(manifest.items()) == list(expected.items())
    assert manifest == json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


@given(st.lists(st.sampled_from([1, 2, 256]), max_size=12), st.integers(1, 5))
def test_documents_are_counted_between_separators(ids, block):
    """A document is a run of IDs without a separator, in however many blocks the IDs come."""
    summary = IdSummary(Table.of(BPETokenizer(["<|endoftext|>"])))
    for begin in range(0, len(ids), block):
        summary.add(numpy.array(ids[begin : begin + block], "<u4"))
    runs = [run for run in "".join("|" if token_id == 256 else "x" for token_id in ids).split("|") if run]
    assert summary.documents == len(runs)
    found = summary.count, min(summary.extremes, default=None), max(summary.extremes, default=None)
    assert found == (len(ids), min(ids, default=None), max(ids, default=None))


def test_a_name_means_the_courses_artifacts(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    folder = saved_artifact("MyTokenizer")
    assert folder == load_artifact("MyTokenizer").path == tmp_path / "artifacts" / "MyTokenizer"


def test_saving_again_replaces_all_of_it_and_what_file_browsers_put_there(folder, tmp_path):
    (folder / ".DS_Store").touch()
    (folder / "chat_template.jinja").touch()  # Artifacts had one until version 0.5.
    mapped = load_artifact(folder, mmap=True).ids
    saved_artifact(folder, BPETokenizer(pattern="gpt2"))
    assert mapped.tolist() == IDS, "a memory map outlives the folder"
    assert state(load_artifact(folder).tokenizer) == state(BPETokenizer(pattern="gpt2"))
    assert sorted(os.listdir(folder)) == FILES
    assert os.listdir(tmp_path) == ["artifact"]


def test_a_folder_with_other_files_and_the_current_one_are_not_replaced(folder, tmp_path, monkeypatch):
    homework = tmp_path / "homework"
    homework.mkdir()
    (homework / "notes.txt").write_text("mine")
    monkeypatch.chdir(folder)
    for place, problem in (
        (homework, "homework also contains 'notes.txt', which is not part of an artifact"),
        ("/", "/ also contains"),
        (homework / "notes.txt", "notes.txt could not be written: Not a directory"),
        (".", "is the current folder, which cannot be replaced"),
        (folder, "is the current folder, which cannot be replaced"),
    ):
        with pytest.raises(SavingError, match=problem):
            saved_artifact(place)
    assert (homework / "notes.txt").read_text() == "mine"
    assert sorted(os.listdir()) == FILES


def test_ids_that_the_tokenizer_does_not_have_are_not_saved(folder, tmp_path):
    for target in (folder, tmp_path / "another"):
        with pytest.raises(ValueError, match="The ID 324 at position 2 is not one of the tokenizer's"):
            save_artifact(TOKENIZER, target, [1, 2, 324])
        with pytest.raises(TypeError, match="not JSON serializable"):
            save_artifact(TOKENIZER, target, [1], train={"when": object()})
    # IDs of a published table end beyond the number of tokens, and there are holes between them.
    published = BPETokenizer({"<|endoftext|>": 310})
    with pytest.raises(ValueError, match="The ID 305 at position 1 is not one of the tokenizer's"):
        save_artifact(published, tmp_path / "another", [108, 305])
    assert os.listdir(tmp_path) == ["artifact"]
    assert load_artifact(folder).ids.tolist() == IDS
    assert load_artifact(save_artifact(published, tmp_path / "another", [108, 310])).ids.tolist() == [108, 310]


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    return saved_artifact(tmp_path_factory.mktemp("any") / "artifact")


@given(data=st.data())
def test_any_bytes_in_any_file_are_refused_or_what_was_saved(damaged, data):
    path = damaged / data.draw(st.sampled_from(FILES))
    content = path.read_bytes()
    place = data.draw(st.integers(0, len(content)))
    rest = content[place + data.draw(st.integers(0, 8)) :]
    changed = content[:place] + data.draw(st.binary(max_size=8)) + rest
    path.write_bytes(changed)
    try:
        artifact = load_artifact(damaged)
    except FileFormatError as error:
        assert str(path) in str(error)
    else:
        assert path.name == "manifest.json" or changed == content
        assert (state(artifact.tokenizer), artifact.ids.tolist()) == (state(TOKENIZER), IDS)
    finally:
        path.write_bytes(content)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_or_no_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(MissingFileError, match=name):
        load_artifact(folder)
    os.mkfifo(folder / name)
    with pytest.raises(FileFormatError, match=f"{name} is not a regular file. Give a file."):
        load_artifact(folder)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda m: m["ids"].pop("sha256"), "ids.uint32 is not the file that was saved"),
        (lambda m: m["tokenizer"].update(config_sha256="0" * 64), "tokenizer_config.json is not the file that was"),
        (lambda m: m.update(version=2), "has version 2, but this program reads version 1. Update the course"),
        (lambda m: m.pop("version"), "is not the manifest of an artifact"),
        (lambda m: m.update(corpus="poem"), "'poem' as corpus, which should be an object"),
    ],
)
def test_a_manifest_that_is_not_that_of_the_files_is_refused(folder, change, problem):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8")) | {"review": {"by": "somebody"}}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert load_artifact(folder).manifest == manifest, "what a later version adds is kept"
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(FileFormatError) as error:
        load_artifact(folder)
    assert problem in str(error.value)
    (failure,) = verify(folder)
    assert failure.detail == str(error.value)


LAST = 2**31 - 1


def written(ids):
    """The bytes of ids.uint32."""
    return b"".join(block.data for block in id_blocks(ids))


@pytest.mark.parametrize(
    "ids",
    [
        [1, LAST],
        (i for i in (1, LAST)),
        array("I", [1, LAST]),
        [numpy.int64(1), numpy.uint64(LAST)],
        *(numpy.array([1, LAST], dtype=kind) for kind in ("<u4", ">u4", "<i4", "<i8", "<u8")),
        numpy.array([1, 7, LAST, 7])[::2],
    ],
)
def test_ids_come_in_many_forms(ids):
    assert written(ids) == b"\x01\0\0\0\xff\xff\xff\x7f"


@pytest.mark.parametrize("mmap", [False, True])
def test_a_file_is_read_as_asked_unless_it_is_truncated(tmp_path, mmap):
    (tmp_path / "ids").write_bytes(b"\x01\0\0\0\xff\xff\xff\x7f")
    loaded = read_ids(tmp_path / "ids", mmap=mmap)
    assert (loaded.dtype, loaded.tolist(), loaded.flags.writeable) == (numpy.dtype("<u4"), [1, LAST], not mmap)
    (tmp_path / "short").write_bytes(b"\1\0\0\0\2\0\0")
    with pytest.raises(FileFormatError, match="short has 7 bytes, which is not a multiple of 4: it is truncated"):
        read_ids(tmp_path / "short", mmap=mmap)


def test_more_ids_than_one_block(monkeypatch):
    monkeypatch.setattr("g2c.formats.token_ids.BLOCK_IDS", 1000)
    ids = numpy.arange(2500)
    for form in (ids, ids.tolist(), iter(ids.tolist())):
        assert written(form) == ids.astype("<u4").tobytes()
    with pytest.raises(ValueError, match="The ID -1 at position 2500 is not a token ID"):
        written([*ids.tolist(), -1])


@pytest.mark.parametrize(
    ("ids", "error", "problem"),
    [
        ([1, -1], ValueError, "The ID -1 at position 1 is not a token ID: IDs go from 0 to 2147483647"),
        (numpy.array([5, 2**31], dtype="u8"), ValueError, f"The ID {2**31} at position 1"),
        ([1, 2.0], TypeError, "must be integers: 'float' object"),
        ("text", TypeError, "of type str: encode the text first"),
        (numpy.array([1.0]), TypeError, "this one is 1-dimensional and of type float64"),
        (numpy.array([[1]]), TypeError, "this one is 2-dimensional"),
    ],
)
def test_what_is_not_a_token_id_is_not_written(ids, error, problem):
    with pytest.raises(error, match=problem):
        written(ids)
