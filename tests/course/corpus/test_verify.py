"""`g2c verify`: all that is right passes, and whatever is changed is noticed, with the file and what differs."""

import numpy
import pytest

from coach.common.files import sha256_of
from g2c import commands
from g2c.common.text import Corpus
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.verify import verify
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import save_artifact
from support.manifests import change_manifest

TEXT = "First Citizen: we are accounted poor citizens, the patricians good. 1234 we'll\n\n  Ça va 中文 \U0001f44b\n" * 3
SPECIAL_TOKENS = ["<|endoftext|>", "<|end|>"]
EXACT = {"algorithm": "train_exact"}


def trained(pattern=None):
    tokenizer = BPETokenizer(SPECIAL_TOKENS, pattern=pattern)
    tokenizer.train(TEXT, tokenizer.base_vocab_size + 40, progress=False)
    return tokenizer


def saved(folder, ids, tokenizer, text=TEXT, train=EXACT):
    corpus = Corpus("poem", text, len(text.encode()), sha256_of(text.encode()))
    return save_artifact(tokenizer, folder, ids, corpus=corpus, train=train)


@pytest.fixture
def artifact(tmp_path):
    return saved(tmp_path / "poem", trained().encode(TEXT), trained())


def failures(folder):
    return [check for check in verify(folder) if check.passed is False]


@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4", r"\w+|\W"])
def test_what_the_course_writes_passes(tmp_path, pattern):
    documents = [TEXT, "", "with <|end|> and <|endoftext|> in it", "\ufeff\0\r\n", TEXT]
    folder = encode_corpus(trained(pattern), iter(documents), tmp_path / "documents", workers=1)
    checks = list(verify(folder))
    assert [check.passed for check in checks] == [True] * 4
    assert any("encoded again, it gives the same" in check.detail for check in checks)


def test_the_bytes_of_a_corpus_are_not_compared_if_there_are_none(tmp_path):
    normalizing = trained()
    normalizing.normalization = "NFC"
    for folder, why in (
        (encode_corpus(normalizing, ["e\u0301"], tmp_path / "composed"), "the tokenizer normalizes texts"),
        (save_artifact(trained(), tmp_path / "ids", [1]), "manifest.json names no corpus"),
    ):
        assert [check.detail for check in verify(folder) if check.passed is None][0].endswith(why)


def test_the_command_prints_a_line_for_each_check_and_exits_with_0_or_1(artifact, monkeypatch, capsys):
    monkeypatch.setenv("G2C_ARTIFACTS", str(artifact.parent))
    for name in ("poem", str(artifact)):
        assert commands.main(["verify", name]) == 0
        *lines, last = capsys.readouterr().out.splitlines()
        assert [line[:8] for line in lines] == ["ok      "] * 4 and last.startswith("All 4 checks passed.")
    assert commands.main(["verify", "story"]) == 1
    assert "There is no artifact" in capsys.readouterr().err
    (artifact / "tokenizer.json").unlink()
    assert commands.main(["verify", "poem"]) == 1
    line, last = capsys.readouterr().out.splitlines()
    assert line.startswith("FAILED") and "tokenizer.json" in line
    assert last == "1 of 1 checks failed."


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda ids: [ids[0] - 1, *ids[1:]], "decoded, it has"),
        (lambda ids: [*ids[:5], 5000, *ids[6:]], "no token with ID 5000"),
        (lambda ids: [200, 200], "it does not decode to UTF-8 text"),
    ],
)
def test_forged_ids_are_noticed(artifact, change, problem):
    ids = change(numpy.fromfile(artifact / "ids.uint32", "<u4").tolist())
    (artifact / "ids.uint32").write_bytes(content := numpy.array(ids, "<u4").tobytes())
    change_manifest(artifact, lambda manifest: manifest["ids"].update(sha256=sha256_of(content)))
    assert any(problem in failure.detail for failure in failures(artifact))


def test_another_corpus_of_the_same_size_is_noticed(tmp_path):
    folder = saved(tmp_path / "poem", trained().encode(TEXT), trained(), TEXT.replace("First", "FIRST"))
    (failure,) = failures(folder)
    assert failure.detail.endswith("bytes, which are not those of the corpus poem")


@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"])
def test_ids_that_decode_rightly_but_that_encoding_does_not_give(tmp_path, pattern):
    tokenizer = trained(pattern)
    ids = tokenizer.encode(TEXT)
    place = next(place for place, token_id in enumerate(ids) if token_id in tokenizer.merges.values())
    pair = next(pair for pair, new_id in tokenizer.merges.items() if new_id == ids[place])
    wrong = [*ids[:place], *pair, *ids[place + 1 :]]
    (failure,) = failures(saved(tmp_path / "poem", wrong, tokenizer))
    assert f"encoded again, ID number {place:,} is {ids[place]}, not {pair[0]}" in failure.detail
    # Without a separator, and not known to be one text, two documents could touch there.
    folder = saved(tmp_path / "documents", wrong, tokenizer, train=None)
    assert failures(folder) == []
    assert any("correct only if a document begins near there" in check.detail for check in verify(folder))


def test_long_texts_are_encoded_again_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("g2c.corpus.verify.CHUNK_IDS", 70)
    monkeypatch.setattr("g2c.corpus.verify.TAIL_IDS", 30)
    for pattern in (None, "gpt2", "gpt4"):
        tokenizer, text = trained(pattern), TEXT * 5 + "<|end|>" + TEXT
        assert failures(saved(tmp_path / "poem", tokenizer.encode(text), tokenizer, text)) == []


def test_a_library_that_disagrees_is_named(artifact, monkeypatch):
    monkeypatch.setattr("g2c.corpus.verify.encode_fast", lambda tokenizer, text: [0])
    (failure,) = failures(artifact)
    assert failure.subject == "tokenizer.json" and "tokenizers encodes '' as [], g2c as [0]" in failure.detail
