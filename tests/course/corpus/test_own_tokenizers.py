"""A tokenizer for any corpus: trained, encoded and saved, and continued after an interruption."""

import json
import os
import time
from pydoc_data.topics import topics

import pytest

from g2c.common.errors import CorpusError, CourseError, SavingError
from g2c.corpus import own_tokenizers
from g2c.corpus.own_tokenizers import train_and_encode
from g2c.corpus.verify import verify
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact

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


@pytest.fixture
def lines_file(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(json.dumps({"text": document}) for document in DOCUMENTS))
    return path


def made(corpus, vocab_size=400, **options):
    return load_artifact(train_and_encode(corpus, "Mine", vocab_size, workers=1, progress=False, **options))


def left_over(tmp_path) -> list[str]:
    return sorted(set(os.listdir(tmp_path / "artifacts")) - {"Mine"})


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
def test_documents_are_apart_and_end_with_the_separator(lines_file, pattern):
    artifact = made(lines_file, pattern=pattern)
    expected = BPETokenizer(["<|endoftext|>"], pattern)
    expected.train_exact(DOCUMENTS, 400, progress=False)
    assert artifact.tokenizer.merges == expected.merges
    assert artifact.ids.tolist() == [i for document in DOCUMENTS for i in [*expected.encode(document), 256]]
    assert [check for check in verify("Mine") if check.passed is False] == []


def test_special_tokens_at_any_ids(text_file):
    artifact = made(text_file, special_tokens={"<|endoftext|>": 300, "<｜end｜>": 1000}, pattern="gpt2")
    assert artifact.tokenizer.vocab_size == 400
    assert artifact.tokenizer.special_to_id == {"<|endoftext|>": 300, "<｜end｜>": 1000}
    assert artifact.tokenizer.decode(artifact.ids) == TEXT


# --- interruptions ----------------------------------------------------------------------------------------------------


class Stopped(Exception):
    pass


@pytest.fixture
def interrupted(text_file, monkeypatch):
    """Training is done, and the encoding was interrupted after two shards."""
    from g2c.corpus import encoding

    add, added = encoding._Job.add, []

    def stop_after_two(job, shard, result):
        add(job, shard, result)
        added.append(shard)
        if len(added) == 2:
            raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(encoding._Job, "add", stop_after_two)
        patch.setattr(own_tokenizers, "encode_corpus", in_small_shards)
        with pytest.raises(Stopped):
            made(text_file)
    monkeypatch.setattr(own_tokenizers, "encode_corpus", in_small_shards)
    return text_file


def in_small_shards(*arguments, **options):
    from g2c.corpus.encoding import encode_corpus

    return encode_corpus(*arguments, **options, shard_bytes=4000)


def test_after_an_interruption_it_is_not_trained_again(interrupted, tmp_path, monkeypatch):
    assert left_over(tmp_path) == [".Mine.encoding", ".Mine.training"]
    monkeypatch.setattr(own_tokenizers, "_train", lambda *_: pytest.fail("trained again"))
    artifact = made(interrupted)
    assert artifact.tokenizer.decode(artifact.ids) == TEXT
    assert artifact.manifest["train"]["algorithm"] == "train_exact_corpus"
    assert left_over(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"vocab_size": 401}, "another vocabulary size"),
        ({"pattern": "gpt2"}, "another pattern"),
        ({"special_tokens": ["<|endoftext|>", "<|end|>"]}, "other special tokens"),
        ({"ties": "lowest-id"}, "another rule for ties"),
        ({"corpus": "pydocs"}, "another corpus, or one that has changed"),
    ],
)
def test_other_settings_do_not_discard_interrupted_work(interrupted, options, part):
    options = {"corpus": interrupted, "vocab_size": 400} | options
    with pytest.raises(CourseError, match=f"interrupted work with {part}.*--again"):
        made(**options)
    artifact = made(**options, resume=False)
    assert artifact.tokenizer.vocab_size == options["vocab_size"]


def test_a_corpus_that_was_changed_is_noticed(interrupted):
    later = time.time() + 10
    os.utime(interrupted, (later, later))
    with pytest.raises(CourseError, match="interrupted work with another corpus"):
        made(interrupted)


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-10], lambda data: data.replace(b"exact_corpus", b"exact_corpuz")]
)
def test_what_was_kept_and_is_damaged_is_trained_again(interrupted, tmp_path, damage):
    (file,) = (tmp_path / "artifacts" / ".Mine.training").iterdir()
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(CourseError, match="interrupted work of encode_corpus"):
        made(interrupted)
    assert made(interrupted, resume=False).tokenizer.vocab_size == 400


# --- errors, before anything is trained -------------------------------------------------------------------------------


@pytest.fixture
def no_training(monkeypatch):
    monkeypatch.setattr(own_tokenizers, "_train", lambda *_: pytest.fail("trained before the arguments were checked"))


def test_what_is_wrong_is_told_before_the_training(no_training, text_file, tmp_path):
    def refuses(error, match, corpus=text_file, out="Mine", vocab_size=400, **options):
        with pytest.raises(error, match=match):
            train_and_encode(corpus, out, vocab_size, **options)

    refuses(CorpusError, "nowhere", corpus="nowhere.jsonl")
    refuses(ValueError, "vocab_size=100 is too small", vocab_size=100)
    refuses(ValueError, "is not a valid regex", pattern="(")
    refuses(ValueError, "is listed twice", special_tokens=["<|a|>", "<|a|>"])
    refuses(CourseError, "one of the course's own tokenizers", out="story")
    refuses(CourseError, "one of the course's own tokenizers", out="StoryTokenizer")
    refuses(ValueError, "is not a name for an artifact", out=".hidden")
    refuses(ValueError, "ties is", ties="best")
    (tmp_path / "artifacts" / "Thesis").mkdir(parents=True)
    (tmp_path / "artifacts" / "Thesis" / "thesis.tex").touch()
    refuses(SavingError, "thesis.tex", out="Thesis")


@pytest.mark.parametrize("pattern", [None, "gpt4"])
def test_a_corpus_that_is_not_utf8_is_refused_with_the_place(tmp_path, pattern):
    path = tmp_path / "latin.txt"
    path.write_bytes(b"caf\xe9 au lait")
    with pytest.raises(CorpusError, match=r"byte 3 \(0xe9\) is not valid"):
        made(path, 300, pattern=pattern)
    assert left_over(tmp_path) == []
