"""The named tokenizers: trained on their corpus or the fallback, saved, and loaded again."""

import hashlib
from dataclasses import replace

import numpy
import pytest
from tokenizers import Tokenizer

from g2c.common.errors import CorpusError
from g2c.common.paths import artifacts_folder
from g2c.corpus.corpora import CORPORA, NAMED_TOKENIZERS, load_corpus
from g2c.corpus.documents import documents
from g2c.corpus.named_tokenizers import train, train_or_load
from g2c.solutions.bpe import BPETokenizer

NAME = "ShakespeareTokenizer"
STORIES = ["Once upon a time there was a fox.", "The end of the fox.", "Ça va 中文"]


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """No corpus is here, no artifact is here, the tokenizers are small, and their class is the answer key's."""
    monkeypatch.setenv("G2C_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    monkeypatch.setenv("G2C_SOLUTIONS", "all")
    monkeypatch.setattr("g2c.tokenizer.BPETokenizer", BPETokenizer)
    for name, recipe in NAMED_TOKENIZERS.items():
        monkeypatch.setitem(NAMED_TOKENIZERS, name, replace(recipe, vocab_size=300))


@pytest.fixture
def stories(tmp_path):
    """The corpus tinystories, with three stories."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / CORPORA["tinystories"].files[0].file).write_text("\n<|endoftext|>\n".join(STORIES))


def trained_on_pydocs():
    with pytest.warns(UserWarning, match="pydocs instead"):
        return train(NAME, progress=False)


def test_shakespeare_without_its_corpus_is_trained_on_pydocs_and_says_so():
    artifact = trained_on_pydocs()
    corpus = load_corpus("pydocs")
    assert artifact.path == artifacts_folder() / NAME
    assert artifact.tokenizer.vocab_size == 300
    assert artifact.manifest["corpus"] == {"name": "pydocs", "bytes": corpus.size, "sha256": corpus.sha256}
    assert artifact.manifest["train"] == {"algorithm": "train_exact", "ties": "first-seen", "vocab_size": 300}
    rust = Tokenizer.from_file(str(artifact.path / "tokenizer.json"))
    ids = numpy.memmap(artifact.path / "ids.uint32", "<u4").tolist()
    assert ids == rust.encode(corpus.text).ids == artifact.ids.tolist()
    assert artifact.tokenizer.decode(ids) == corpus.text


def test_stories_are_documents_that_end_with_the_separator(stories):
    assert list(documents("tinystories")) == STORIES
    artifact = train("StoryTokenizer", progress=False)
    tokenizer = artifact.tokenizer
    end = tokenizer.special_to_id["<|endoftext|>"]
    expected = [token_id for story in STORIES for token_id in [*tokenizer.encode(story), end]]
    assert artifact.ids.tolist() == expected
    assert artifact.manifest["documents"] == {"count": 3, "separator_id": end}
    assert artifact.manifest["corpus"]["name"] == "tinystories"
    assert artifact.manifest["corpus"]["bytes"] == len("".join(f"{story}<|endoftext|>" for story in STORIES).encode())
    assert artifact.manifest["train"]["algorithm"] == "train_exact_corpus"


@pytest.mark.parametrize(("name", "command"), [("StoryTokenizer", "tinystories"), ("G2CTokenizer", "--small")])
def test_a_corpus_that_is_not_here_is_an_error_with_the_command(name, command):
    for function in (train, train_or_load):
        with pytest.raises(CorpusError, match=rf"\./datasets\.sh {command}"):
            function(name, progress=False)
    assert not artifacts_folder().exists()


# --- train or load ----------------------------------------------------------------------------------------------------


def test_what_is_damaged_is_trained_again():
    whole = trained_on_pydocs()
    content = (whole.path / "ids.uint32").read_bytes()
    (whole.path / "ids.uint32").write_bytes(content[:-4])
    with pytest.warns(UserWarning) as record:
        repaired = train_or_load(NAME, progress=False)
    told = [str(warning.message) for warning in record]
    assert any("ids.uint32 has" in text and "manifest.json does not match it: ids.count is" in text for text in told), (
        told
    )
    assert (repaired.path / "ids.uint32").read_bytes() == content


def test_what_was_trained_on_the_fallback_is_trained_again_when_the_corpus_is_here(tmp_path, monkeypatch):
    trained_on_pydocs()
    data = b"First Citizen: before we proceed any further, hear me speak. " * 3
    source = CORPORA["tinyshakespeare"].files[0]
    source = replace(source, approximate_size=len(data), sha256=hashlib.sha256(data).hexdigest())
    monkeypatch.setitem(CORPORA, "tinyshakespeare", replace(CORPORA["tinyshakespeare"], files=(source,)))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / source.file).write_bytes(data)
    artifact = train_or_load(NAME, progress=False)
    assert artifact.manifest["corpus"]["name"] == "tinyshakespeare"
    assert artifact.tokenizer.decode(artifact.ids).encode() == data
    again = train_or_load(NAME, progress=False)
    assert again.manifest == artifact.manifest
