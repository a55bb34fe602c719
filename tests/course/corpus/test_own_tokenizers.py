"""A tokenizer for any corpus: trained, encoded and saved, and continued after an interruption."""

from functools import partial
from pydoc_data.topics import topics

import pytest

from g2c.common.errors import CorpusError, CourseError, SavingError
from g2c.corpus import encoding, named_tokenizers
from g2c.corpus.named_tokenizers import train_and_encode
from g2c.corpus.verify import verify
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact
from support.corpus_files import stopped_after, write_documents

DOCUMENTS = [text[:600] for text in list(topics.values())[:40]]
TEXT = "<|endoftext|>".join(DOCUMENTS)


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    monkeypatch.setenv("G2C_DATA", str(tmp_path / "data"))


@pytest.fixture
def text_file(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(TEXT.encode())
    return path


def made(corpus, vocab_size=400, **options):
    return load_artifact(train_and_encode(corpus, "Mine", vocab_size, workers=1, progress=False, **options))


def left_over(tmp_path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "artifacts").glob(".*"))


@pytest.mark.parametrize(("pattern", "ties"), [(None, "first-seen"), ("gpt2", "lowest-id"), (r"\w+|\W+", "first-seen")])
def test_a_text_file_gives_the_merges_and_ids_of_its_text(text_file, tmp_path, pattern, ties):
    expected = BPETokenizer(["<|endoftext|>"], pattern)
    ids = expected.train_exact(TEXT, 400, ties=ties, progress=False)
    artifact = made(text_file, pattern=pattern, ties=ties)
    assert artifact.tokenizer.merges == expected.merges
    assert artifact.ids.tolist() == ids
    assert artifact.manifest["corpus"]["name"] == "corpus.txt"
    algorithm = "train_exact_corpus" if pattern else "train_exact"
    assert artifact.manifest["train"] == {"algorithm": algorithm, "ties": ties, "vocab_size": 400}
    assert [check for check in verify("Mine") if check.passed is False] == []
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("pattern", [None, "gpt4"])
def test_documents_are_apart_and_end_with_the_separator(tmp_path, pattern):
    artifact = made(write_documents(tmp_path / "corpus.jsonl", DOCUMENTS), pattern=pattern)
    expected = BPETokenizer(["<|endoftext|>"], pattern)
    expected.train_exact(DOCUMENTS, 400, progress=False)
    assert artifact.tokenizer.merges == expected.merges
    assert artifact.ids.tolist() == [i for document in DOCUMENTS for i in [*expected.encode(document), 256]]
    assert [check for check in verify("Mine") if check.passed is False] == []


# --- interruptions ----------------------------------------------------------------------------------------------------


def test_after_an_interruption_the_encoding_continues(text_file, tmp_path, monkeypatch):
    monkeypatch.setattr(named_tokenizers, "encode_corpus", partial(encoding.encode_corpus, shard_bytes=4000))
    with stopped_after(2):
        made(text_file)
    for other in ({"vocab_size": 401}, {"pattern": "gpt2"}, {"special_tokens": ["<|end|>"]}):
        with pytest.raises(CourseError, match="interrupted work with another tokenizer.*--again"):
            made(text_file, **other)
    assert left_over(tmp_path) == [".Mine.encoding"]
    artifact = made(text_file)
    assert artifact.tokenizer.decode(artifact.ids) == TEXT
    assert left_over(tmp_path) == []


def test_a_corpus_that_changes_after_the_training_is_noticed(tmp_path, monkeypatch):
    corpus = write_documents(tmp_path / "work.jsonl", DOCUMENTS)

    def encode_other_documents(*arguments, **options):
        write_documents(corpus, ["other", "documents"])
        return encoding.encode_corpus(*arguments, **options)

    monkeypatch.setattr(named_tokenizers, "encode_corpus", encode_other_documents)
    with pytest.raises(CorpusError, match="The corpus work.jsonl was changed while it was being read.*--again"):
        made(corpus)
    assert not (tmp_path / "artifacts" / "Mine").exists()


# --- errors, before anything is trained -------------------------------------------------------------------------------


@pytest.fixture
def no_training(monkeypatch):
    for train in ("train_on_words", "train_exact_corpus"):
        monkeypatch.setattr(named_tokenizers, train, lambda *_, **__: pytest.fail("trained before the checks"))


def test_what_is_wrong_is_told_before_the_training(no_training, text_file, tmp_path):
    def refuses(error, match, corpus=text_file, out="Mine", vocab_size=400, **options):
        with pytest.raises(error, match=match):
            train_and_encode(corpus, out, vocab_size, **options)

    refuses(CorpusError, "nowhere", corpus="nowhere.jsonl")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 au lait")
    refuses(CorpusError, r"byte 3 \(0xe9\) is not valid", corpus=tmp_path / "latin.txt", pattern=None)
    refuses(ValueError, "vocab_size is 100, but it must be at least", vocab_size=100)
    refuses(ValueError, "is not a valid regex", pattern="(")
    refuses(ValueError, "There is no pattern named 'GPT-4'", pattern="GPT-4")
    refuses(ValueError, "is listed twice", special_tokens=["<|a|>", "<|a|>"])
    refuses(CourseError, "one of the course's own tokenizers", out="story")
    refuses(CourseError, "one of the course's own tokenizers", out="StoryTokenizer")
    refuses(ValueError, "is not a name for an artifact", out=".hidden")
    refuses(ValueError, "ties is", ties="best")
    (tmp_path / "artifacts" / "Thesis").mkdir(parents=True)
    (tmp_path / "artifacts" / "Thesis" / "thesis.tex").touch()
    refuses(SavingError, "thesis.tex", out="Thesis")
