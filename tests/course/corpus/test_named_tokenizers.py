"""Tokenizers trained on a corpus and saved with it: the course's own, and any other, in any number of shards."""

import warnings
from collections import Counter
from dataclasses import replace
from pydoc_data.topics import topics

import pytest
from tokenizers import Tokenizer

from coach.common.errors import CourseError, SavingError
from coach.common.files import sha256_of
from coach.common.paths import artifacts_folder
from g2c.common.errors import CorpusError
from g2c.corpus import batches, corpora, training
from g2c.corpus import documents as corpus_documents
from g2c.corpus.corpora import CORPORA, NAMED_TOKENIZERS, Dataset, NamedTokenizer, RemoteFile, load_corpus
from g2c.corpus.named_tokenizers import train, train_and_encode, train_or_load
from g2c.corpus.training import count_corpus_words
from g2c.corpus.verify import verify
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact
from support.corpus_files import write_documents

NAME = "ShakespeareTokenizer"
DOCUMENTS = [text[:600] for text in list(topics.values())[:40]]
TEXT = "<|endoftext|>".join(DOCUMENTS)


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """No corpus is here, no artifact is here, and pydocs and the course's tokenizers are small."""
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("G2C_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    monkeypatch.setattr(corpus_documents, "_READ_BYTES", 100)
    monkeypatch.setattr(corpora, "pydocs_topics", lambda: DOCUMENTS)
    for name, recipe in NAMED_TOKENIZERS.items():
        monkeypatch.setitem(NAMED_TOKENIZERS, name, replace(recipe, vocab_size=300))


def publish(tmp_path, monkeypatch, name, data):
    """Make a file with this content a corpus that is here."""
    (tmp_path / "data" / name).write_bytes(data)
    source = RemoteFile(name, "", len(data), sha256_of(data))
    monkeypatch.setitem(CORPORA, name, Dataset("", (source,)))


def test_shakespeare_is_trained_on_pydocs_and_again_if_it_is_damaged_or_its_corpus_has_come(tmp_path, monkeypatch):
    with pytest.warns(UserWarning, match="pydocs instead"):
        artifact, corpus = train(NAME, progress=False), load_corpus("pydocs")
    assert artifact.manifest["corpus"] == {"name": "pydocs", "bytes": corpus.size, "sha256": corpus.sha256}
    assert artifact.manifest["train"] == {"algorithm": "train_exact", "ties": "first-seen", "vocab_size": 300}
    assert artifact.ids.tolist() == Tokenizer.from_file(str(artifact.path / "tokenizer.json")).encode(corpus.text).ids
    assert artifact.tokenizer.decode(artifact.ids) == corpus.text
    ids_file = artifact.path / "ids.uint32"
    content = ids_file.read_bytes()
    ids_file.write_bytes(content[:-4])
    problem = "ids.uint32 is not the file that was saved"
    with pytest.warns(UserWarning, match="pydocs instead"), pytest.warns(UserWarning, match=problem):
        train_or_load(NAME, progress=False)
    assert ids_file.read_bytes() == content
    # Then the corpus is fetched.
    data = b"First Citizen: before we proceed any further, hear me speak. " * 3
    publish(tmp_path, monkeypatch, "tinyshakespeare", data)
    with pytest.warns(UserWarning, match="another corpus than its recipe has now"):
        artifact = train_or_load(NAME, progress=False)
    assert artifact.manifest["corpus"]["name"] == "tinyshakespeare"
    assert artifact.tokenizer.decode(artifact.ids).encode() == data
    before = ids_file.stat().st_ino
    train_or_load(NAME, progress=False)
    assert ids_file.stat().st_ino == before, "what is right is not trained again"


def test_without_its_corpus_it_is_an_error_with_the_command_and_stories_end_with_the_separator(tmp_path):
    for function in (train, train_or_load):
        with pytest.raises(CorpusError, match=r"\./datasets\.sh g2c"):
            function("G2CTokenizer", progress=False)
    assert not artifacts_folder().exists()
    stories = [text.strip() for text in DOCUMENTS]
    corpus = write_documents(tmp_path / "stories.txt", stories)
    corpus.rename(tmp_path / "data" / CORPORA["tinystories"].files[0].file)
    tokenizer, ids, manifest, _ = train("StoryTokenizer", progress=False)
    assert ids.tolist() == [i for story in stories for i in [*tokenizer.encode_fast(story), 256]]
    size = len("".join(f"{story}<|endoftext|>" for story in stories).encode())
    assert (manifest["corpus"]["name"], manifest["corpus"]["bytes"]) == ("tinystories", size)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"vocab_size": 310}, "another vocab_size than its recipe has now"),
        ({"pattern": "gpt2"}, "another pattern than its recipe has now"),
        ({"corpus": "tale"}, "another corpus than its recipe has now"),
    ],
)
def test_after_a_change_of_the_recipe_it_is_trained_again(tmp_path, monkeypatch, change, problem):
    publish(tmp_path, monkeypatch, "tale", b"Once upon a time there was a fox, and the end of the fox. " * 9)
    monkeypatch.setitem(NAMED_TOKENIZERS, NAME, NamedTokenizer(NAME, "pydocs", 300, None))
    train_or_load(NAME, progress=False)
    recipe = replace(NAMED_TOKENIZERS[NAME], **change)
    monkeypatch.setitem(NAMED_TOKENIZERS, NAME, recipe)
    with pytest.warns(UserWarning, match=f"{NAME} was trained with {problem}.*The tokenizer is now trained again"):
        artifact = train_or_load(NAME, progress=False)
    assert artifact.tokenizer.vocab_size == recipe.vocab_size
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert train_or_load(NAME, progress=False).manifest == artifact.manifest


@pytest.mark.parametrize("name", ["corpus.txt", "corpus.jsonl"])
@pytest.mark.parametrize(("pattern", "ties"), [(None, "first-seen"), ("gpt2", "lowest-id"), (r"\w+|\W+", "first-seen")])
def test_a_file_gives_the_merges_and_ids_of_its_text_or_documents(tmp_path, name, pattern, ties):
    expected, is_text = BPETokenizer(["<|endoftext|>"], pattern), name == "corpus.txt"
    ids = expected.train_exact(TEXT if is_text else DOCUMENTS, 400, ties=ties, progress=False)
    corpus = write_documents(tmp_path / name, [TEXT] if is_text else DOCUMENTS)
    artifact = load_artifact(train_and_encode(corpus, "Mine", 400, pattern=pattern, ties=ties, progress=False))
    assert artifact.tokenizer.merges == expected.merges
    separated = [token_id for text in DOCUMENTS for token_id in [*expected.encode_fast(text), 256]]
    assert artifact.ids.tolist() == (ids if is_text else separated)
    assert artifact.manifest["corpus"]["name"] == name
    algorithm = "train_exact" if is_text and pattern is None else "train_exact_corpus"
    assert artifact.manifest["train"] == {"algorithm": algorithm, "ties": ties, "vocab_size": 400}
    assert [check for check in verify("Mine") if check.passed is False] == []
    assert [path.name for path in artifacts_folder().iterdir()] == ["Mine"]


def test_what_is_wrong_is_told_before_the_training(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "train_on_words", lambda *_, **__: pytest.fail("trained before the checks"))
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 au lait")
    (tmp_path / "empty.txt").touch()
    (artifacts_folder() / "Thesis").mkdir(parents=True)
    (artifacts_folder() / "Thesis" / "thesis.tex").touch()
    for changes, error, problem in (
        ({"corpus": "nowhere.jsonl"}, CorpusError, "nowhere"),
        ({"corpus": tmp_path / "latin.txt", "pattern": None}, CorpusError, r"byte 3 \(0xe9\) is not valid"),
        ({"corpus": tmp_path / "empty.txt"}, CorpusError, "There is no document in empty.txt"),
        ({"vocab_size": 100}, ValueError, "vocab_size is 100, but it must be at least"),
        ({"pattern": "GPT-4"}, ValueError, "There is no pattern named 'GPT-4'"),
        ({"out": "story"}, CourseError, "one of the course's own tokenizers"),
        ({"out": f"{artifacts_folder()}/StoryTokenizer"}, CourseError, "one of the course's own tokenizers"),
        ({"ties": "best"}, ValueError, "ties is"),
        ({"out": "Thesis"}, SavingError, "thesis.tex"),
    ):
        with pytest.raises(error, match=problem):
            train_and_encode(**{"corpus": "pydocs", "out": "Mine", "vocab_size": 400, **changes})


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4", r"\S+|\s+"])
@pytest.mark.parametrize("workers", [1, 2])
def test_words_are_those_of_the_text_in_order_of_first_appearance(tmp_path, monkeypatch, pattern, workers):
    monkeypatch.setattr(batches, "BATCH_BYTES", 4000)
    text = "\n\n".join(DOCUMENTS)
    corpus = write_documents(tmp_path / "plain.txt", [text])
    tokenizer = BPETokenizer(["<|endoftext|>"], pattern=pattern)
    words = count_corpus_words(tokenizer, corpus, workers=workers, progress=False)
    assert list(words.items()) == list(Counter(tokenizer._pieces(text)).items())


def test_without_a_pattern_each_document_is_a_word():
    words = count_corpus_words(BPETokenizer(), iter(["to be", "or", "to be"]), workers=1, progress=False)
    assert list(words.items()) == [(b"to be", 2), (b"or", 1)]
