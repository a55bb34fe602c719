"""An artifact is saved whole or not at all, and read only if it is what was saved."""

import json
import os
from functools import cache

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
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import COURSE_SPECIAL_TOKENS
from support.manifests import change_manifest

TEXT = "First Citizen: we are accounted poor citizens, the patricians good. 1234 we'll\n\n  Ça va 中文 \U0001f44b\n" * 3
CORPUS = Corpus("poem", TEXT, len(TEXT.encode()), "0" * 64)
load_artifact = BPETokenizer.load_artifact
FILES = ["ids.uint32", "manifest.json", "tokenizer.json", "tokenizer_config.json"]


@cache
def trained(pattern=None):
    tokenizer = BPETokenizer.with_course_special_tokens(pattern=pattern)
    tokenizer.train(TEXT, 324, progress=False)
    return tokenizer


def saved_artifact(folder, tokenizer=None, text=TEXT):
    tokenizer = tokenizer or trained()
    train = {"algorithm": "train", "vocab_size": 324}
    return save_artifact(tokenizer, folder, tokenizer.encode(text), corpus=CORPUS, train=train)


@pytest.fixture
def folder(tmp_path):
    return saved_artifact(tmp_path / "artifact")


def test_an_artifact_is_what_was_saved_and_its_manifest_says_what_it_is(tmp_path):
    tokenizer = trained("gpt4")
    folder = saved_artifact(tmp_path / "artifact", tokenizer)
    assert sorted(os.listdir(folder)) == FILES
    assert os.listdir(tmp_path) == ["artifact"]
    for mmap in (False, True):
        artifact = load_artifact(folder, mmap=mmap)
        assert (artifact.tokenizer.merges, artifact.tokenizer.vocab) == (tokenizer.merges, tokenizer.vocab)
        assert artifact.ids.tolist() == tokenizer.encode(TEXT)
        assert isinstance(artifact.ids, numpy.memmap) == mmap
        assert artifact.path == folder
        assert artifact.manifest == json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(TEXT).ids
    assert ids == numpy.memmap(folder / "ids.uint32", "<u4").tolist()
    manifest = artifact.manifest
    summary = {"count": len(ids), "min_id": min(ids), "max_id": max(ids), "sha256": manifest["ids"]["sha256"]}
    assert manifest["ids"] == {"file": "ids.uint32", "dtype": "uint32", "byte_order": "little", **summary}
    assert manifest["documents"] == {"count": 1, "separator_id": 256}
    described = {"vocab_size": 324, "num_merges": 60, "pattern": tokenizer.pattern}
    assert (described | {"special_tokens": [*COURSE_SPECIAL_TOKENS]}).items() <= manifest["tokenizer"].items()
    assert manifest["corpus"] == {"name": "poem", "bytes": len(TEXT.encode()), "sha256": "0" * 64}
    assert manifest["train"] == {"algorithm": "train", "vocab_size": 324}
    assert set(manifest["software"]) == {"g2c", "tokenizers"}
    assert list(manifest) == ["version", "ids", "documents", "tokenizer", "corpus", "train", "software"]


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
    assert mapped.tolist() == trained().encode(TEXT), "a memory map outlives the folder"
    artifact = load_artifact(folder)
    assert artifact.tokenizer.pattern == trained("gpt2").pattern
    assert sorted(os.listdir(folder)) == FILES
    assert os.listdir(tmp_path) == ["artifact"]


def test_a_folder_with_other_files_and_the_current_one_are_not_replaced(tmp_path, monkeypatch):
    folder = tmp_path / "homework"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(SavingError, match="homework also contains 'notes.txt', which is not part of an artifact"):
        saved_artifact(folder)
    with pytest.raises(SavingError, match="/ also contains"):
        saved_artifact("/")
    with pytest.raises(SavingError, match="notes.txt could not be written: Not a directory"):
        saved_artifact(folder / "notes.txt")
    assert (folder / "notes.txt").read_text() == "mine"
    monkeypatch.chdir(saved_artifact(tmp_path / "artifact"))
    for place in (".", tmp_path / "artifact"):
        with pytest.raises(SavingError, match="is the current folder, which cannot be replaced"):
            saved_artifact(place)
    assert sorted(os.listdir()) == FILES


def test_ids_that_the_tokenizer_does_not_have_are_not_saved(folder, tmp_path):
    for target in (folder, tmp_path / "another"):
        with pytest.raises(ValueError, match="The ID 324 at position 2 is not one of the tokenizer's"):
            save_artifact(trained(), target, [1, 2, 324])
        with pytest.raises(TypeError, match="not JSON serializable"):
            save_artifact(trained(), target, [1], train={"when": object()})
    # IDs of a published table end beyond the number of tokens, and there are holes between them.
    published = BPETokenizer({"<|endoftext|>": 310})
    with pytest.raises(ValueError, match="The ID 305 at position 1 is not one of the tokenizer's"):
        save_artifact(published, tmp_path / "another", [108, 305])
    assert os.listdir(tmp_path) == ["artifact"]
    assert load_artifact(folder).ids.tolist() == trained().encode(TEXT)
    assert load_artifact(save_artifact(published, tmp_path / "another", [108, 310])).ids.tolist() == [108, 310]


@given(data=st.data())
def test_any_bytes_in_any_file_are_refused_or_what_was_saved(tmp_path_factory, data):
    folder, name = saved_artifact(tmp_path_factory.mktemp("any") / "artifact"), data.draw(st.sampled_from(FILES))
    content = (folder / name).read_bytes()
    place = data.draw(st.integers(0, len(content)))
    rest = content[place + data.draw(st.integers(0, 8)) :]
    changed = content[:place] + data.draw(st.binary(max_size=8)) + rest
    (folder / name).write_bytes(changed)
    try:
        artifact = load_artifact(folder)
    except FileFormatError as error:
        assert str(folder / name) in str(error)
        assert any(check.passed is False for check in verify(folder))
    else:
        assert name == "manifest.json" or changed == content
        assert (artifact.tokenizer.merges, artifact.ids.tolist()) == (trained().merges, trained().encode(TEXT))


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
        (lambda m: m.update(version=2, extra={}), "has version 2, but this program reads version 1. Update the course"),
        (lambda m: m.pop("version"), "is not the manifest of an artifact"),
        (lambda m: m.update(corpus="poem"), "'poem' as corpus, which should be an object"),
    ],
)
def test_a_manifest_that_is_not_that_of_the_files_is_refused(folder, change, problem):
    change_manifest(folder, change)
    with pytest.raises(FileFormatError) as error:
        load_artifact(folder)
    assert problem in str(error.value)
    (failure,) = verify(folder)
    assert failure.detail == str(error.value)


def test_what_a_later_version_adds_to_a_manifest_is_kept(folder):
    change_manifest(folder, lambda manifest: manifest.update(review={"by": "somebody"}))
    assert load_artifact(folder).manifest["review"] == {"by": "somebody"}
