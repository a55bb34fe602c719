"""`g2c verify`: all that is right passes, and whatever is changed is noticed, with the file and what differs."""

import numpy
import pytest

from coach.common.files import sha256_of
from g2c import commands
from g2c.common.text import Corpus
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.verify import verify
from g2c.tokenizer import save_artifact
from support.tokenizer_files import TEXT, trained


def saved(folder, ids, tokenizer, text=TEXT, algorithm="train_exact"):
    corpus = Corpus("poem", text, len(text.encode()), sha256_of(text.encode()))
    return save_artifact(tokenizer, folder, ids, corpus=corpus, train={"algorithm": algorithm})


@pytest.fixture
def artifact(tmp_path):
    return saved(tmp_path / "poem", trained().encode(TEXT), trained())


def failures(folder):
    return [check for check in verify(folder) if check.passed is False]


@pytest.mark.parametrize("chunk", [70, 1 << 18])
@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4", r"\w+\W*|\W"])
def test_what_the_course_writes_passes_however_it_is_divided(tmp_path, monkeypatch, pattern, chunk):
    monkeypatch.setattr("g2c.corpus.verify.CHUNK_IDS", chunk)
    monkeypatch.setattr("g2c.corpus.verify.TAIL_IDS", 30)
    tokenizer, text = trained(pattern), TEXT * 5 + "<|end|>" + TEXT
    documents = [text, "", "with <|end|> and <|endoftext|> in it", "\ufeff\0\r\n", TEXT]
    folder = encode_corpus(tokenizer, iter(documents), tmp_path / "documents", workers=1)
    assert [check.passed for check in verify(folder)] == [True] * 4
    assert failures(saved(tmp_path / "poem", tokenizer.encode(text), tokenizer, text)) == []


def test_the_bytes_are_compared_with_those_of_the_corpus_if_there_are_any(tmp_path):
    tokenizer, normalizing = trained(), trained()
    normalizing.normalization = "NFC"
    other = saved(tmp_path / "poem", tokenizer.encode(TEXT), tokenizer, TEXT.replace("First", "FIRST"))
    for folder, passed, found in (
        (encode_corpus(normalizing, ["e\u0301"], tmp_path / "composed"), None, "the tokenizer normalizes texts"),
        (save_artifact(tokenizer, tmp_path / "ids", [1]), None, "manifest.json names no corpus"),
        (other, False, "bytes, which are not those of the corpus poem"),
    ):
        [check] = [check for check in verify(folder) if not check.passed]
        assert check.passed is passed and check.detail.endswith(found)


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
    ids, manifest = artifact / "ids.uint32", artifact / "manifest.json"
    before = ids.read_bytes()
    ids.write_bytes(numpy.array(change(trained().encode(TEXT)), "<u4").tobytes())
    manifest.write_text(manifest.read_text().replace(sha256_of(before), sha256_of(ids.read_bytes())))
    assert any(problem in failure.detail for failure in failures(artifact))


def test_ids_that_decode_rightly_but_that_encoding_does_not_give(tmp_path):
    tokenizer = trained("gpt4")
    ids = tokenizer.encode(TEXT)
    place = next(place for place, token_id in enumerate(ids) if token_id in tokenizer.merges.values())
    pair = next(pair for pair, new_id in tokenizer.merges.items() if new_id == ids[place])
    wrong = [*ids[:place], *pair, *ids[place + 1 :]]
    (failure,) = failures(saved(tmp_path / "poem", wrong, tokenizer))
    assert f"encoded again, ID number {place:,} is {ids[place]}, not {pair[0]}" in failure.detail
    # Without a separator, and not known to be one text, two documents could touch there.
    folder = saved(tmp_path / "documents", wrong, tokenizer, algorithm="train_exact_corpus")
    assert failures(folder) == []
    assert any("correct only if a document begins near there" in check.detail for check in verify(folder))


def test_a_library_that_disagrees_is_named(artifact, monkeypatch):
    monkeypatch.setattr("g2c.corpus.verify.encode_fast", lambda tokenizer, text: [0])
    (failure,) = failures(artifact)
    assert failure.subject == "tokenizer.json" and "tokenizers encodes '' as [], g2c as [0]" in failure.detail
